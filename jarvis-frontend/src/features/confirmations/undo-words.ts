import type { UndoFacts } from 'protocol'
import { dateOf, exactTime, timeOfDay } from '../../lib/format.ts'

/** `09:30` today, else with its day. */
export const when = (at: number, now: number): string =>
  dateOf(at) === dateOf(now) ? timeOfDay(at) : exactTime(at, now)

/** `The level goes back to 5, until 14:20; loses what was written since.` */
export function undoWords({ kind, sentence, until, loses }: UndoFacts, now: number): string {
  const said = sentence.replace(/\.$/, '')
  if (kind === 'none') return said
  return [
    said,
    until === undefined ? '' : `, until ${when(until, now)}`,
    loses === undefined ? '' : `; loses ${lower(loses).replace(/\.$/, '')}`,
  ].join('')
}

/** In the middle of a sentence. A name in capitals stays as it is. */
export const lower = (text: string) =>
  (/^[A-Z](?:[a-z]| )/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text).replace(/\.$/, '')
