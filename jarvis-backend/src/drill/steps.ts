/**
 * The steps of a drill. Each step is on disk before its first request is sent. `restoring`: the copy may exist from now on. `cleaning`: the copy is
 * being removed. `ended`: the copy is gone, or is not provably the drill's.
 */
export const steps = ['restoring', 'checking', 'starting', 'asking', 'cleaning', 'ended'] as const
export type Step = (typeof steps)[number]

/**
 * The events that end a step.
 * - `done`: the step succeeded.
 * - `broken`: the step failed, or was stopped.
 * - `restarted`: JARVIS was restarted, and nobody waits for the verdict.
 */
export type StepEvent = 'done' | 'broken' | 'restarted'

/** Every drill ends through the step `cleaning`, which ends only when nothing is left to remove. */
const table: Readonly<Record<Step, Partial<Record<StepEvent, Step>>>> = {
  restoring: { done: 'checking', broken: 'cleaning', restarted: 'cleaning' },
  checking: { done: 'starting', broken: 'cleaning', restarted: 'cleaning' },
  starting: { done: 'asking', broken: 'cleaning', restarted: 'cleaning' },
  asking: { done: 'cleaning', broken: 'cleaning', restarted: 'cleaning' },
  cleaning: { done: 'ended', broken: 'cleaning', restarted: 'cleaning' },
  ended: {},
}

/** Returns the step after an event. @throws Error if the step has no such event, because the drill has ended */
export function nextStep(step: Step, event: StepEvent): Step {
  const next = table[step][event]
  if (next === undefined) throw new Error(`A drill that is ${step} cannot be ${event}.`)
  return next
}
