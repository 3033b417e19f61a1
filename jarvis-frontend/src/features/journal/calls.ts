import type { JournalEntry } from 'jarvis-backend/protocol'
import { type JournalLine, lineOf } from './line.ts'

/** Entries of one call, newest first; any other entry stands alone. */
export type Row = { entries: readonly [JournalEntry, ...JournalEntry[]] }

const callOf = ({ body }: JournalEntry): string | undefined => {
  const id = (body as { toolUseId?: unknown } | null)?.toolUseId
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** Each call where its newest entry stands. @param items newest first */
export function rowsOf(items: readonly JournalEntry[]): Row[] {
  const rows: { entries: [JournalEntry, ...JournalEntry[]] }[] = []
  const byCall = new Map<string, { entries: [JournalEntry, ...JournalEntry[]] }>()
  for (const entry of items) {
    const id = callOf(entry)
    const known = id === undefined ? undefined : byCall.get(id)
    if (known !== undefined) {
      known.entries.push(entry)
      continue
    }
    const row: { entries: [JournalEntry, ...JournalEntry[]] } = { entries: [entry] }
    rows.push(row)
    if (id !== undefined) byCall.set(id, row)
  }
  return rows
}

/** A call on one line: who asked for what, and each state it went through in its order. */
export function lineOfRow({ entries }: Row): JournalLine {
  const [newest] = entries
  const line = lineOf(newest)
  if (entries.length === 1) return line
  const lines = entries.map((entry) => ({ kind: entry.kind, ...lineOf(entry) }))
  const oldestFirst = lines.toReversed()
  const asked = oldestFirst.find(({ kind }) => kind === 'call' || kind === 'refusal') ?? oldestFirst[0] ?? line
  const tier = lines.find((one) => one.tier !== undefined)?.tier
  const states = oldestFirst.flatMap(({ kind, by, outcome }, at) => {
    if (kind === 'decision') return [by === '' ? outcome : saidBy(outcome, by)]
    // What came later says that it was asked and that it ran.
    return at < lines.length - 1 ? [] : [outcome]
  })
  return {
    ...line,
    ...(tier !== undefined && { tier }),
    by: asked.by,
    call: asked.call || line.call,
    args: oldestFirst.map(({ args }) => args).find((args) => args !== '') ?? '',
    outcome: states.filter((state) => state !== '').join(', '),
  }
}

/** `denied by operator: not during the film` */
function saidBy(outcome: string, by: string): string {
  const [, decision = outcome, note = ''] = /^(\w+)(:.*)?$/s.exec(outcome) ?? []
  return `${decision} by ${by}${note}`
}
