import type { StepState } from 'protocol'
import type { StepNote } from '../calls/plans/plan.ts'
import { most, type ScriptStep } from './planned.ts'

/** The stored notes about the steps, by number. */
export type Notes = Readonly<Record<number, StepNote | undefined>>

/**
 * The end of a step’s call. `came`: it has a result, or the rules blocked it. `refused`: its card was denied, has expired or was withdrawn.
 * Undefined: it has not ended.
 */
export type CallEnd = 'came' | 'refused' | undefined

export type Next =
  /** The step’s call has ended: check whether the step went as planned. */
  | { type: 'close'; step: ScriptStep }
  /** The step is skipped, because the step `because`, on which it depends, did not go as planned. */
  | { type: 'leave'; step: ScriptStep; because: number }
  /** The calls to make now. They may run at the same time. */
  | { type: 'calls'; steps: readonly ScriptStep[] }
  | { type: 'end'; state: 'done' | 'stopped' | 'unknown'; why?: string }

const isOver = (state: StepState | undefined) => state === 'done' || state === 'skipped'
export const isBad = (state: StepState | undefined) => state === 'failed' || state === 'surprise' || state === 'unknown'
export const isClosed = (state: StepState | undefined) => isOver(state) || isBad(state)

/**
 * Decides the next action of a plan, from its steps and the stored notes. Pure, so that the plan continues at the same place after a restart.
 * @param stopBy the person who wants the plan to stop after its current step
 */
export function nextOf(
  steps: readonly ScriptStep[],
  notes: Notes,
  { endOf, stopBy }: { endOf(number: number): CallEnd; stopBy?: string | undefined },
): Next {
  const stateOf = (number: number) => notes[number]?.state
  const open = steps.filter(({ number }) => !isClosed(stateOf(number)))
  const ended = open.find(({ number }) => endOf(number) !== undefined)
  if (ended !== undefined) return { type: 'close', step: ended }
  const bad = steps.filter(({ number }) => isBad(stateOf(number)))
  const stopping = bad.find((step) => stops(step, stateOf(step.number), endOf(step.number)))
  if (stopping !== undefined) {
    const { state, outcome } = notes[stopping.number] ?? {}
    const isUnknown = state === 'unknown'
    const why = `Step ${stopping.number} ${isUnknown ? 'may have run' : 'did not go as planned'}: ${outcome}`
    return { type: 'end', state: isUnknown ? 'unknown' : 'stopped', why }
  }
  const [first] = open
  if (first === undefined) {
    const [failed] = bad
    if (failed === undefined) return { type: 'end', state: 'done' }
    const numbers = bad.map(({ number }) => number).join(', ')
    return { type: 'end', state: 'done', why: `It went on where a step failed: ${numbers}.` }
  }
  const because = first.after?.find((number) => stateOf(number) !== 'done')
  if (because !== undefined) return { type: 'leave', step: first, because }
  if (stopBy !== undefined)
    return { type: 'end', state: 'stopped', why: `${stopBy} stopped it before step ${first.number}.` }
  return { type: 'calls', steps: readsFrom(open, first, stateOf) }
}

/** True if a step that did not go as planned ends the plan. This is always so if the step may have run, or if its card was not approved. */
const stops = ({ onFailure }: ScriptStep, state: StepState | undefined, end: CallEnd): boolean =>
  onFailure !== 'skip' || state === 'unknown' || end === 'refused'

/**
 * Returns the steps that run next. A change or a step with a check runs alone. Consecutive reads run at the same time, unless one of them depends on
 * another.
 */
function readsFrom(
  open: readonly ScriptStep[],
  first: ScriptStep,
  stateOf: (number: number) => StepState | undefined,
): ScriptStep[] {
  const isAlone = ({ isRead, verify }: ScriptStep) => !isRead || verify !== undefined
  if (isAlone(first)) return [first]
  const end = open.findIndex(
    (step) => isAlone(step) || (step !== first && step.after?.some((number) => stateOf(number) !== 'done')),
  )
  return open.slice(0, Math.min(end === -1 ? open.length : end, most.readsAtOnce))
}
