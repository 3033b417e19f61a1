import type { PlanStep } from 'protocol'
import type { Step } from '../runbooks/procedure.ts'
import type { Leads, Whose } from '../tools/tool.ts'
import type { ScriptStep } from './planned.ts'

/** An unfinished plan, after some of its steps were added. */
export type Draft = {
  /** The asker in whose name the plan is made. */
  whose: Whose
  steps: PlanStep[]
  script: ScriptStep[]
  calls: Leads['calls'][number][]
  read: Leads['read'][number][]
  bound: unknown[]
  targets: string[]
  /** Maps the number of each step of the procedure to its number in the plan; for a repeated step, to the number of its last item. */
  numbers: Map<number, number>
}

/** Assigns the next number in the plan to a step of the procedure. */
export function numbered({ number: own }: Step, { steps, numbers }: Draft): number {
  const number = steps.length + 1
  numbers.set(own, number)
  return number
}

/** Returns the plan steps that must go well before a step. Reads that ran while the plan was made have already succeeded, so they are left out. */
export function dependsOn({ after = [], onFailure }: Step, { numbers, script }: Draft) {
  const steps = after.flatMap((own) => script.find(({ number }) => number === numbers.get(own))?.number ?? [])
  return { after: steps.length > 0 ? { after: steps } : {}, onFailure }
}
