/**
 * The steps of a drill. Each is on disk before what it stands for is sent. `restoring`: the copy may exist from now on.
 * `cleaning`: it is being removed. `ended`: it is gone, or is not provably the drill's.
 */
export const steps = ['restoring', 'checking', 'starting', 'asking', 'cleaning', 'ended'] as const
export type Step = (typeof steps)[number]

/**
 * - `done`: the step did what it should.
 * - `broken`: it did not, or was stopped.
 * - `restarted`: JARVIS began anew, and nobody waits for the verdict.
 */
export type StepEvent = 'done' | 'broken' | 'restarted'

/** Whatever happens, the way to the end goes through `cleaning`, which ends only when nothing is left to do. */
const table: Readonly<Record<Step, Partial<Record<StepEvent, Step>>>> = {
  restoring: { done: 'checking', broken: 'cleaning', restarted: 'cleaning' },
  checking: { done: 'starting', broken: 'cleaning', restarted: 'cleaning' },
  starting: { done: 'asking', broken: 'cleaning', restarted: 'cleaning' },
  asking: { done: 'cleaning', broken: 'cleaning', restarted: 'cleaning' },
  cleaning: { done: 'ended', broken: 'cleaning', restarted: 'cleaning' },
  ended: {},
}

/** @throws Error if the step has no such event: the drill has ended */
export function nextStep(step: Step, event: StepEvent): Step {
  const next = table[step][event]
  if (next === undefined) throw new Error(`A drill that is ${step} cannot be ${event}.`)
  return next
}
