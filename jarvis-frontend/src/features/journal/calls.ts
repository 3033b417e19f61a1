import type { JournalEntry } from 'protocol'
import { type JournalLine, lineOf } from './line.ts'

/**
 * A row of the journal list. `entry`: the newest entry of the query in this row. `entries`: the entries that the row shows, newest first: all of the
 * call, or only `entry`. `call`: all known entries of the call, newest first.
 */
export type Row = {
  entry: JournalEntry
  entries: readonly JournalEntry[]
  call: readonly JournalEntry[]
}

const callOf = ({ body }: JournalEntry): string | undefined => {
  const id = (body as { toolUseId?: unknown } | null)?.toolUseId
  return typeof id === 'string' && id !== '' ? id : undefined
}

/**
 * Makes the rows. A grouped row stands at the position of its call's newest entry in `items`.
 * @param items newest first @param besides further entries of the same calls @param isGrouped true: one row for each call; false: one row for each
 * entry
 */
export function rowsOf(items: readonly JournalEntry[], besides: readonly JournalEntry[] = [], isGrouped = true): Row[] {
  const calls = new Map<string, JournalEntry[]>()
  const known = new Map([...items, ...besides].map((entry) => [entry.seq, entry]))
  for (const entry of [...known.values()].sort((a, b) => b.seq - a.seq)) {
    const id = callOf(entry)
    if (id !== undefined) calls.set(id, [...(calls.get(id) ?? []), entry])
  }
  const shown = new Set<string>()
  return items.flatMap((entry) => {
    const id = callOf(entry)
    const call = (id === undefined ? undefined : calls.get(id)) ?? [entry]
    if (!isGrouped) return { entry, entries: [entry], call }
    if (id !== undefined && shown.has(id)) return []
    if (id !== undefined) shown.add(id)
    return { entry, entries: call, call }
  })
}

/** Words for an earlier state of a call, used when a later entry exists. */
const overtaken: Record<string, string> = { 'waits for a decision': 'a decision was asked for', 'runs now': 'started' }

/**
 * Returns the line of a row: who asked, the object, and the call's states in order. A row with one entry shows that entry's state.
 * @param nameOf a person's name by id
 */
export function lineOfRow({ entry, entries, call }: Row, nameOf = (id: string) => id): JournalLine {
  const named = (one: JournalEntry) => lineOf(one, nameOf)
  const lines = call.map((one) => ({ kind: one.kind, ...named(one) }))
  const oldestFirst = lines.toReversed()
  const line = named(entries[0] ?? entry)
  const asked = oldestFirst.find(({ kind }) => kind === 'call' || kind === 'refusal') ?? oldestFirst[0] ?? line
  const args = oldestFirst.map(({ args }) => args).find((args) => args !== '') ?? ''
  if (entries.length === 1) {
    const outcome = entry === call[0] ? line.outcome : (overtaken[line.outcome] ?? line.outcome)
    return { ...line, outcome, by: line.by || asked.by, call: line.call || asked.call, args: line.args || args }
  }
  const tier = lines.find((one) => one.tier !== undefined)?.tier
  const states = oldestFirst.flatMap(({ kind, by, outcome }, at) => {
    if (kind === 'decision') return [by === '' ? outcome : saidBy(outcome, by)]
    // Leave out this state: a later entry implies it.
    return at < lines.length - 1 ? [] : [outcome]
  })
  return {
    ...line,
    ...(tier !== undefined && { tier }),
    by: asked.by,
    call: asked.call || line.call,
    args,
    outcome: states.filter((state) => state !== '').join(', '),
  }
}

/** Joins a decision, the person and the note: `denied by operator: not during the film`. */
function saidBy(outcome: string, by: string): string {
  const [, decision = outcome, note = ''] = /^(\w+)(:.*)?$/s.exec(outcome) ?? []
  return `${decision} by ${by}${note}`
}
