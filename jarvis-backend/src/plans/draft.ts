import type { PlanStep } from 'protocol'
import type { Step } from '../runbooks/procedure.ts'
import type { Leads, Whose } from '../tools/tool.ts'
import type { ScriptStep } from './planned.ts'

/** What is collected while the steps are gone through. */
export type Draft = {
  /** In whose name. */
  whose: Whose
  steps: PlanStep[]
  script: ScriptStep[]
  calls: Leads['calls'][number][]
  read: Leads['read'][number][]
  bound: unknown[]
  targets: string[]
  /** The number in the plan of each step of the procedure; of a repeated one the last. */
  numbers: Map<number, number>
}

/** The next number of the plan, which the step has from now on. */
export function numbered({ number: own }: Step, { steps, numbers }: Draft): number {
  const number = steps.length + 1
  numbers.set(own, number)
  return number
}

/** The steps of the plan that a step comes after. What is read already has gone as planned. */
export function dependsOn({ after = [], onFailure }: Step, { numbers, script }: Draft) {
  const steps = after.flatMap((own) => script.find(({ number }) => number === numbers.get(own))?.number ?? [])
  return { after: steps.length > 0 ? { after: steps } : {}, onFailure }
}
