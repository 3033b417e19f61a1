import type { EntryOf, Fact } from 'protocol'
import type { StoredEntry } from '../../sessions/transcript-store.ts'

/**
 * Makes facts of some kinds for a fold. To add a kind, add a maker to the list in `agent/room.ts`. A maker has no side effects, so an interrupted
 * fold can be made again with the same facts.
 */
export type FactMaker = {
  kinds: readonly string[]
  /**
   * @param before the facts of these kinds after the last fold
   * @param entries all entries folded since then, in order
   * @returns all facts of these kinds from now on, oldest first
   */
  make(before: readonly Fact[], entries: readonly StoredEntry[], sessionId: string): readonly Fact[]
}

/** Maximum facts of one kind that a fold keeps. Older facts remain only in the entries and the journal. */
const mostOfKind = 400

/** Returns the facts after further entries were folded. */
export function factsAfter(
  makers: readonly FactMaker[],
  { before, entries, sessionId }: { before: readonly Fact[]; entries: readonly StoredEntry[]; sessionId: string },
): Fact[] {
  const known = new Set(makers.flatMap(({ kinds }) => kinds))
  const made = makers.flatMap(({ kinds, make }) =>
    make(
      before.filter(({ kind }) => kinds.includes(kind)),
      entries,
      sessionId,
    ),
  )
  const all = [...before.filter(({ kind }) => !known.has(kind)), ...made]
  return [...new Set([...known, ...all.map(({ kind }) => kind)])].flatMap((kind) =>
    all.filter((fact) => fact.kind === kind).slice(-mostOfKind),
  )
}

/**
 * True if a call may have changed something. In entries of earlier releases, yellow and red calls that only read are not marked as reads, so they
 * count as changes.
 */
export const mayChange = ({ tier, isRead }: Pick<EntryOf<'tool_use'>, 'tier' | 'isRead'>): boolean =>
  tier !== 'green' && isRead !== true

/** A call as one line: `stop_vm vmid=103`. */
export function callLine(toolName: string, toolInput: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(toolInput)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return oneLine([toolName, ...words].join(' '), 240)
}

/** Text on one line of at most `most` characters. */
export function oneLine(text: string, most: number): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat.length > most ? `${flat.slice(0, most - 1)}…`.toWellFormed() : flat
}
