import type { Draft, StoredEntry } from '../sessions/transcript-store.ts'
import { saying } from '../tool-runner.ts'
import { cutBeforeWords, isMute } from '../unmade.ts'

/**
 * Returns JARVIS’s closing text for a run that was stopped by a limit or because it repeats itself, or whose answer was cut before its first word.
 * Empty for any other run. @param entries the run’s entries
 */
export function stopWords(entries: readonly StoredEntry[]): Draft[] {
  const stop = entries.findLast(({ type }) => type === 'stuck' || type === 'budget')
  if (stop?.type === 'stuck')
    return [
      saying(
        `I stopped: ${lower(stop.text)}\n\nTell me what to try instead, or change what is in the way and ask again.`,
      ),
    ]
  if (stop?.type !== 'budget' || stop.what !== 'stopped') {
    const last = entries.at(-1)
    return last?.type === 'assistant' && isMute(last) && last.stopReason === 'max_tokens'
      ? [saying(cutBeforeWords)]
      : []
  }
  const unknown = hasUnknownPrice(entries) ? ' Not every price is known, so tokens counted where it is not.' : ''
  const isDay = / a day and has /.test(stop.text)
  const next = isDay
    ? 'The day ends at midnight; an operator changes the limit in Settings, Budgets.'
    : 'Ask me to go on, which begins a new run, or change the limit in Settings, Budgets.'
  return [saying(`I stopped at a limit: ${lower(stop.text)}${unknown} ${next}`)]
}

const lower = (text: string) => (/^I\b/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1))

/** True if the limit that stopped the run was checked in tokens, because a price is not known. */
const hasUnknownPrice = (entries: readonly StoredEntry[]): boolean => {
  const stop = entries.findLast(({ type }) => type === 'budget')
  return stop?.type === 'budget' && stop.isUnpriced === true
}
