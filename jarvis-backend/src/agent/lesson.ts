import type { StoredEntry } from './sessions/transcript-store.ts'

const askedChars = 160
const cameChars = 240

/**
 * Summarises a run as one list item: the question, the calls and their outcomes. Built from the transcript, without a model. Undefined for a
 * successful run without a change or an attempted change.
 * @param timeOf formats an entry’s time of day
 */
export function lessonOf(
  entries: readonly StoredEntry[],
  sessionId: string,
  timeOf: (at: number) => string,
): string | undefined {
  const inputs = new Map<string, string>()
  const changing = new Map<string, string>()
  const came: string[] = []
  let asked: string | undefined
  for (const entry of entries) {
    if (entry.type === 'user') asked = entry.text
    else if (entry.type === 'assistant') {
      for (const item of entry.content) {
        if (item.type === 'tool_call')
          inputs.set(item.toolUseId, `${item.toolName} ${argumentsOf(item.toolInput)}`.trim())
      }
    } else if (entry.type === 'tool_use' && entry.tier !== 'green') {
      changing.set(entry.toolUseId, inputs.get(entry.toolUseId) ?? entry.toolName)
    } else if (entry.type === 'tool_result' && changing.has(entry.toolUseId)) {
      const outcome = entry.isUnknown === true ? 'not known' : entry.isError ? 'failed' : 'done'
      came.push(`${changing.get(entry.toolUseId)}: ${outcome}. ${oneLine(entry.summary, cameChars)}`)
    } else if (entry.type === 'confirm_resolved' && entry.decision === 'denied') {
      const note = entry.note === undefined ? '' : ` "${oneLine(entry.note, askedChars)}"`
      came.push(`${inputs.get(entry.toolUseId) ?? 'a call'}: denied by ${entry.speaker ?? entry.by}.${note}`)
    } else if (entry.type === 'error') came.push(`It failed: ${oneLine(entry.error, cameChars)}`)
  }
  const at = entries[0]?.at
  if (came.length === 0 || asked === undefined || at === undefined) return undefined
  return [
    `- ${timeOf(at)} Asked: "${oneLine(asked, askedChars)}" (${sessionId})`,
    ...came.map((line) => `  - ${line}`),
  ].join('\n')
}

const argumentsOf = (input: Record<string, unknown>) =>
  Object.entries(input)
    .map(([key, value]) => `${key}=${oneLine(typeof value === 'string' ? value : JSON.stringify(value), 120)}`)
    .join(' ')

/**
 * Joins a text to one line, so that a line of a quoted text cannot begin a heading or a list. @param most the longest line, characters; a longer
 * text is cut
 */
function oneLine(text: string, most: number): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat.length > most ? `${flat.slice(0, most)}…` : flat
}
