import type { EntryOf } from 'protocol'
import type { StoredEntry } from '../sessions/transcript-store.ts'

export type Fold = EntryOf<'compaction'>

/** The folds in force. `fold`: the model is given it in place of the entries below it. `resultsTo`: results up to this seq are replaced by summaries. */
export type Folds = { fold: Fold | undefined; resultsTo: number }

/** The folds in force: the newest of each kind. */
export function foldsIn(entries: readonly StoredEntry[]): Folds {
  const newest = (what: Fold['what']) =>
    entries.reduce<Fold | undefined>(
      (last, entry) =>
        entry.type === 'compaction' && entry.what === what && entry.seq > (last?.seq ?? -1) ? entry : last,
      undefined,
    )
  return { fold: newest('turns'), resultsTo: newest('results')?.upTo ?? -1 }
}

/** True for an entry that a run answers. A fold inside the run keeps such an entry. */
export const isTask = ({ type }: StoredEntry): boolean => type === 'user' || type === 'recalled' || type === 'subrun'

/**
 * True if a model is still given this entry. A fold inside a run keeps the message that the run answers, because the run goes on
 * with it.
 */
export const isGiven = (entry: StoredEntry, fold: Fold | undefined): boolean =>
  fold === undefined || entry.seq > fold.upTo || (entry.runId === fold.runId && isTask(entry))
