import type { StoredEntry } from '../sessions/transcript-store.ts'
import { callIdOf, callsIn, settles } from '../settles.ts'

/**
 * A place where a transcript may be folded: all entries up to `seq` may go. `runsAfter`: how many runs begin behind it. `isInside`: the place
 * lies inside the run that goes on now, right before a turn of its model.
 */
export type Cut = { seq: number; runsAfter: number; isInside: boolean }

/**
 * The places where a fold splits nothing, oldest first. Below each place every run has ended, and no call, card or question is open. Inside the run
 * that goes on now, every call is settled, and a turn of the model follows or is due.
 * @param current the run that goes on now
 * @param isOpen true for an entry of that run that opens something that no later entry has closed, such as a question
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
      // Late lines of an ended run belong to what lies below.
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
