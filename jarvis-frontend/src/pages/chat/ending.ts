import type { SessionView } from '../../features/chat/state.ts'
import { plural } from '../../lib/format.ts'

/** Returns the announcement for the end of a run: its outcome, the number of calls, and the beginning of its answer. */
export function ending(view: SessionView | undefined, runId: string): string {
  const entries = view?.entries.filter((entry) => entry.runId === runId) ?? []
  if (entries.some((entry) => entry.type === 'error')) return 'The answer failed.'
  const calls = entries.filter((entry) => entry.type === 'tool_use').length
  const refused = entries.filter((entry) => entry.type === 'blocked').length
  const said = entries
    .flatMap((entry) => (entry.type === 'assistant' ? entry.content : []))
    .findLast((part) => part.type === 'text')
  const sentence = firstSentence(said?.text ?? '')
  const counts = calls + refused > 0 ? ` ${plural(calls, 'call')}, ${refused} refused.` : ''
  return `Answer finished.${counts} ${sentence}`.trim()
}

const mostChars = 160

/**
 * Returns the first sentence of an answer for screen readers: at most the first paragraph, table row or list item, without Markdown characters, and
 * at most 160 characters. Empty if the answer begins with code.
 */
export function firstSentence(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? ''
  if (/^(```|~~~)/.test(line)) return ''
  const plain = line.replaceAll(/[*_`#|>]|^\s*(?:[-+]|\d+\.)\s|\]\([^()]*\)|\[/g, '').trim()
  const sentence = plain.split(/(?<=[.!?])\s/)[0] ?? ''
  if (sentence.length <= mostChars) return sentence
  return `${sentence.slice(0, mostChars).replace(/(?<!\s)\s+\S*$/, '')}…`
}
