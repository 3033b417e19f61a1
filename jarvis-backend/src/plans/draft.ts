import type { PlanStep } from 'protocol'
import type { Step } from '../runbooks/procedure.ts'
import type { Leads, Whose } from '../tools/tool.ts'
import type { ScriptStep } from './planned.ts'

/** A plan in the making, after some of its steps. */
export type Draft = {
  /** The asker in whose name the plan is made. */
  whose: Whose
  steps: PlanStep[]
  script: ScriptStep[]
  calls: Leads['calls'][number][]
  read: Leads['read'][number][]
  bound: unknown[]
  targets: string[]
  /** The number in the plan of each step of the procedure; for a repeated step that of its last item. */
  numbers: Map<number, number>
}

/** Gives a step the next number of the plan. */
export function numbered({ number: own }: Step, { steps, numbers }: Draft): number {
  const number = steps.length + 1
  numbers.set(own, number)
  return number
}

/** The steps of the plan that a step comes after. Reads that were made already have gone as planned, so they are left out. */
export function dependsOn({ after = [], onFailure }: Step, { numbers, script }: Draft) {
  const steps = after.flatMap((own) => script.find(({ number }) => number === numbers.get(own))?.number ?? [])
  return { after: steps.length > 0 ? { after: steps } : {}, onFailure }
}
