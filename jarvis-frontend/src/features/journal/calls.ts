import type { JournalEntry } from 'protocol'
import { type JournalLine, lineOf } from './line.ts'

/** `entry`: the newest that was asked for. `entries`: newest first, all of its call, or that one alone. `call`: its call. */
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
 * Each call where its newest entry of `items` stands.
 * @param items newest first @param besides further entries of their calls @param isGrouped a row for a call, else for an entry
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

/** Words for a state that the call has left since. */
const overtaken: Record<string, string> = { 'waits for a decision': 'a decision was asked for', 'runs now': 'started' }

/**
 * A call's requester and object, and its states in order; for a single entry, the entry's own.
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
    // A later entry implies that the call was made and ran.
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

/** `denied by operator: not during the film` */
function saidBy(outcome: string, by: string): string {
  const [, decision = outcome, note = ''] = /^(\w+)(:.*)?$/s.exec(outcome) ?? []
  return `${decision} by ${by}${note}`
}
