import type { UndoFacts } from 'protocol'
import { dateOf, exactTime, timeOfDay } from '../../lib/format.ts'

/** `09:30` for today, otherwise with the day. */
export const when = (at: number, now: number): string =>
  dateOf(at) === dateOf(now) ? timeOfDay(at) : exactTime(at, now)

/** Describes an undo: `The level goes back to 5, until 14:20; loses what was written since.` */
export function undoWords({ kind, sentence, until, loses }: UndoFacts, now: number): string {
  const said = sentence.replace(/\.$/, '')
  if (kind === 'none') return said
  return [
    said,
    until === undefined ? '' : `, until ${when(until, now)}`,
    loses === undefined ? '' : `; loses ${lower(loses).replace(/\.$/, '')}`,
  ].join('')
}

/** Changes a sentence for use inside another one: lower case first letter, no final dot. A name in capitals stays unchanged. */
export const lower = (text: string) =>
  (/^[A-Z](?:[a-z]| )/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text).replace(/\.$/, '')
