import type { EntryOf } from 'protocol'
import type { StoredEntry } from '../sessions/transcript-store.ts'

export type Fold = EntryOf<'compaction'>

/**
 * The folds that apply now. `fold`: given to the model instead of all entries up to its `upTo`. `resultsTo`: results up to this seq are replaced by
 * their summaries.
 */
export type Folds = { fold: Fold | undefined; resultsTo: number }

/** Returns the folds that apply now: the newest fold of each kind. */
export function foldsIn(entries: readonly StoredEntry[]): Folds {
  const newest = (what: Fold['what']) =>
    entries.reduce<Fold | undefined>(
      (last, entry) =>
        entry.type === 'compaction' && entry.what === what && entry.seq > (last?.seq ?? -1) ? entry : last,
      undefined,
    )
  return { fold: newest('turns'), resultsTo: newest('results')?.upTo ?? -1 }
}

/** True for an entry that a run works on, such as its message or its task. A fold inside the run keeps such an entry. */
export const isTask = ({ type }: StoredEntry): boolean => type === 'user' || type === 'recalled' || type === 'subrun'

/**
 * True if a model is still given this entry. A fold inside a run keeps the message that the run answers, because the run goes on
 * with it.
 */
export const isGiven = (entry: StoredEntry, fold: Fold | undefined): boolean =>
  fold === undefined || entry.seq > fold.upTo || (entry.runId === fold.runId && isTask(entry))
