import type { Content, Entry } from 'protocol'
import type { StoredEntry } from './transcript-store.ts'

type Redact = { text(text: string): string; value<T>(value: T): T }

/** Converts an entry to the form that clients get: without the parts that only a model needs, and without secrets. */
export function wireEntry(entry: StoredEntry, redact: Redact): Entry {
  if (entry.type === 'assistant') {
    const { madeBy } = entry
    const model = madeBy === undefined ? {} : { model: madeBy === 'client' ? 'mcp' : 'command' }
    return { ...entry, ...model, content: entry.content.flatMap((item) => wireContent(item, redact)) }
  }
  if (entry.type === 'question_resolved' || entry.type === 'confirm_resolved') {
    const { speaker: _, ...shown } = entry
    return shown
  }
  if (entry.type !== 'user' && entry.type !== 'subrun') return entry
  const {
    context: _,
    todo: __,
    speaker: ___,
    wishes: ____,
    offered: _____,
    before: ______,
    after: _______,
    ...shown
  } = entry
  return shown
}

function wireContent(item: Content, redact: Redact): Content[] {
  switch (item.type) {
    case 'text':
      return [item]
    case 'thinking':
      return [{ type: 'thinking', text: redact.text(item.text) }]
    case 'redacted_thinking':
      return []
    case 'tool_call': {
      const { extra: _, ...call } = item
      return [{ ...call, toolInput: redact.value(call.toolInput) }]
    }
    default:
      return item satisfies never
  }
}
