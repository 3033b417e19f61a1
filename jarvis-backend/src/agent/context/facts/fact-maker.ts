import type { EntryOf, Fact } from 'protocol'
import type { StoredEntry } from '../../sessions/transcript-store.ts'

/**
 * Makes facts of some kinds for a fold. A new kind of fact is a new maker in the list of `agent/room.ts`. A maker reads the entries without side
 * effects, so a fold that was killed is made again the same.
 */
export type FactMaker = {
  kinds: readonly string[]
  /**
   * @param before the facts of these kinds as the last fold left them
   * @param entries all that are folded since then, in order
   * @returns all facts of these kinds from now on, oldest first
   */
  make(before: readonly Fact[], entries: readonly StoredEntry[], sessionId: string): readonly Fact[]
}

/** The most facts of one kind that a fold keeps; older ones stay in the entries and the journal. */
const mostOfKind = 400

/** The facts after more entries. */
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

/** True if a call may have changed something. Entries of earlier releases do not mark yellow and red calls that only read. */
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
