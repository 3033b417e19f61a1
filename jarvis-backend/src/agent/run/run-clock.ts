import type { StoredEntry } from '../sessions/transcript-store.ts'

/** A time in which a run waited for a person. `until` undefined: it waits now. */
type Wait = { from: number; until: number | undefined }

/** Returns the times in which a card or a question of a run waited for a person, in the order in which they began. The times may overlap. */
export function waitsIn(entries: readonly StoredEntry[]): Wait[] {
  const waits = new Map<string, Wait>()
  for (const entry of entries) {
    const [type, id] =
      entry.type === 'question' || entry.type === 'question_resolved'
        ? [entry.type, entry.questionId]
        : entry.type === 'confirm_needed' || entry.type === 'confirm_resolved'
          ? [entry.type, entry.toolUseId]
          : []
    if (id === undefined) continue
    const wait = waits.get(id)
    if (type === 'question' || type === 'confirm_needed') waits.set(id, { from: entry.at, until: undefined })
    else if (wait !== undefined) wait.until = entry.at
  }
  return [...waits.values()]
}

/**
 * Returns how long a run has worked, ms: the time since its first entry, without the times in which the run or one of its child runs waited for a
 * person.
 * @param more.stoodMs how long JARVIS was down in this time
 * @param more.helpers entries of the run’s child runs
 */
export function activeMs(
  entries: readonly StoredEntry[],
  now: number,
  { stoodMs, helpers = [] }: { stoodMs: number; helpers?: readonly (readonly StoredEntry[])[] },
): number {
  const start = entries[0]?.at
  if (start === undefined) return 0
  const waits = [entries, ...helpers].flatMap(waitsIn).sort((one, other) => one.from - other.from)
  let waitedMs = 0
  let end = start
  for (const { from, until = now } of waits) {
    waitedMs += Math.max(0, until - Math.max(from, end))
    end = Math.max(end, until)
  }
  return Math.max(0, now - start - waitedMs - stoodMs)
}
