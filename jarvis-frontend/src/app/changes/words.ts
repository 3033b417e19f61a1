import type { Change } from 'protocol'
import { isFinal } from 'protocol/facts'
import { lower, when } from '../../features/confirmations/undo-words.ts'
import { timeOfDay } from '../../lib/format.ts'

/** The state of a change as its row shows it. `due`: the time to go back has come, but the change was not yet seen to go back. */
export type Stand =
  | 'running'
  | 'made'
  | 'failed'
  | 'armed'
  | 'due'
  | 'undoing'
  | 'kept'
  | 'by_itself'
  | 'on_request'
  | 'could_not'
  | 'unknown'

type Told = Pick<Change, 'state' | 'goesBackAt' | 'decidedAt' | 'decidedBy' | 'problem'>

/** Returns the state of a change. @param now server's clock, Unix ms */
export function standOf({ state, goesBackAt, decidedAt, decidedBy, problem }: Told, now: number): Stand {
  if (state === 'armed') return goesBackAt !== undefined && goesBackAt <= now ? 'due' : 'armed'
  if (state === 'undone')
    return goesBackAt !== undefined && decidedAt !== undefined && decidedAt >= goesBackAt ? 'by_itself' : 'on_request'
  if (state !== 'made') return state
  return problem !== undefined ? 'could_not' : decidedBy !== undefined ? 'kept' : 'made'
}

/** Time of day with seconds, `09:30:31`, because a change goes back at an exact second. */
export function second(at: number): string {
  return `${timeOfDay(at)}:${String(new Date(at).getSeconds()).padStart(2, '0')}`
}

/** `may: true` if a change can be undone now, otherwise the reason. */
export function undoable(
  { state, undo }: Pick<Change, 'state' | 'undo'>,
  now: number,
): { may: true } | { may: false; why: string } {
  const no = (why: string) => ({ may: false, why }) as const
  if (state === 'undone') return no('taken back')
  if (state === 'undoing') return no('is being taken back')
  if (state === 'failed') return no('was not made')
  if (undo.kind === 'none') return no(`${isFinal(undo) ? 'cannot be undone: ' : ''}${lower(undo.sentence)}`)
  if (state === 'running') return no('is still being made')
  if (undo.until !== undefined && undo.until <= now) return no(`could be undone until ${when(undo.until, now)}`)
  return { may: true }
}

/**
 * Remaining times, ms, at which screen readers are told how much is left, and the sentence: `2 minutes left: CPU limit of 122 is 2 cores. Keep it?`
 */
export const spokenAtMs = [120_000, 30_000] as const
export const spokenWords = (leftMs: number, sentence: string) =>
  `${leftMs >= 60_000 ? `${leftMs / 60_000} minutes` : `${leftMs / 1_000} seconds`} left: ${keepQuestion(sentence)}`

/**
 * Says why a change goes back even if nobody can be reached. @param timerOn name of the node that has a timer of its own; undefined: the timer of
 * JARVIS
 */
export const armedWords = (timerOn: string | undefined) =>
  timerOn === undefined
    ? 'armed before the change, survives a restart'
    : 'by a timer of its own, also where JARVIS cannot reach it'

export const keepQuestion = (sentence: string) => `${sentence.replace(/\.$/, '')}. Keep it?`
