import { callIdOf, callsIn, settles } from 'protocol/settles'
import type { StoredEntry } from '../sessions/transcript-store.ts'

/**
 * A position at which a transcript may be folded: all entries up to `seq` may be folded. `runsAfter`: the number of runs that begin after it.
 * `isInside`: the position is inside the run in progress, right before a turn of its model.
 */
export type Cut = { seq: number; runsAfter: number; isInside: boolean }

/**
 * Returns the positions at which a fold splits nothing, oldest first. Before a position between runs, every run has ended and no call, card or
 * question is open. At a position inside the run in progress, every call is settled, and a turn of the model comes next.
 * @param current the run in progress
 * @param isOpen true for an entry of that run that opens something, such as a question, if no later entry has closed it
 */
export function cutsIn(
  entries: readonly StoredEntry[],
  current: string,
  isOpen: (entry: StoredEntry) => boolean = () => false,
): Cut[] {
  const open = new Set<string>()
  const ended = new Set<string>()
  const calls = new Set<string>()
  const cuts: Cut[] = []
  let turns = 0
  for (const [at, entry] of entries.entries()) {
    const { runId, type } = entry
    const next = entries[at + 1]
    if (!ended.has(runId)) {
      if (type === 'done' || type === 'error') {
        ended.add(runId)
        open.delete(runId)
      } else open.add(runId)
      if (type === 'assistant' && runId === current) {
        turns += 1
        for (const call of callsIn(entry)) calls.add(call.toolUseId)
      }
      if (settles(entry)) calls.delete(callIdOf(entry))
    }
    if (isOpen(entry)) break
    const inside = open.has(current)
    if (open.size > (inside ? 1 : 0)) continue
    if (!inside) {
      // An ended run may still get entries. They belong to that run, so the transcript must not be cut before them.
      const isLate = next !== undefined && ended.has(next.runId)
      if (!isLate) cuts.push({ seq: entry.seq, runsAfter: 0, isInside: false })
    } else if (
      calls.size === 0 &&
      turns > 0 &&
      type !== 'assistant' &&
      (next === undefined || next.type === 'assistant')
    ) {
      cuts.push({ seq: entry.seq, runsAfter: 0, isInside: true })
    }
  }
  return withRunsAfter(cuts, entries)
}

function withRunsAfter(cuts: readonly Cut[], entries: readonly StoredEntry[]): Cut[] {
  const startOf = new Map<string, number>()
  for (const { runId, seq } of entries) if (!startOf.has(runId)) startOf.set(runId, seq)
  const starts = [...startOf.values()]
  return cuts.map((cut) => ({ ...cut, runsAfter: starts.filter((seq) => seq > cut.seq).length }))
}
