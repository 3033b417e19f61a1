import { atOnce, inTurns, type Steps } from 'node-kit/steps'
import { JarvisError } from 'protocol'
import { noRoomWords } from '../../lib/disk-room.ts'
import { type Applied, type ApplyParts, applyChanges } from './apply.ts'
import { type FileChange, reversed, shownPath } from './entry.ts'

/**
 * The state of a list of changes. `done`: all entries are new. `failed`: all entries are old. `mixed`: only some entries are new, because the list
 * could neither be finished nor taken back.
 */
export type ApplyState = 'begun' | 'done' | 'failed' | 'mixed'

/** The lists of file changes that calls began, stored by call. */
export interface ApplyJournal {
  /** Stores a list. It is on disk when the method returns. */
  begin(callId: string, changes: readonly FileChange[]): void
  /** Ends a list. @param text a sentence for people about the result */
  end(callId: string, state: Exclude<ApplyState, 'begun'>, text: string): void
  get(callId: string): { state: ApplyState; text: string } | undefined
  /** The lists that were begun and have not ended, oldest first. */
  open(): { callId: string; changes: FileChange[] }[]
  /** Deletes the lists that ended before a time, Unix ms. */
  prune(before: number): void
}

export type Applier = {
  /**
   * Makes a list of changes for a call. The list is stored first, so that the next start finishes it if the process is killed. Only one list is
   * applied at a time. Other work continues while the disk is awaited.
   * @param signal a list that waits for its turn is not begun after the abort; a list that was begun is finished
   * @throws JarvisError `storage_failed` if the disk is almost full; `conflict` if something else changed a file, and nothing is changed then;
   * `outcome_unknown` if only some of the changes could be made
   */
  apply(callId: string, changes: readonly FileChange[], signal: AbortSignal): Promise<Applied>
  /** Finishes lists that an earlier process began. Call it once, before calls are resumed. */
  finish(): void
  /** Resolves when no list is being applied. */
  idle(): Promise<unknown>
  /** The outcome of a call's changes; undefined if the call began none. */
  outcomeOf(callId: string): { outcome: 'done' | 'failed' | 'unknown'; text: string } | undefined
}

const outcomes = { begun: 'unknown', done: 'done', failed: 'failed', mixed: 'unknown' } as const

/** @param parts.partsOf returns the roots and stored bytes for the changes of one call */
export function createApplier(parts: {
  journal: ApplyJournal
  partsOf(callId: string): ApplyParts
  /** Returns true if the disk has free space beyond the reserve for the database. */
  hasRoom(): boolean
  report(error: unknown, message: string): void
}): Applier {
  const { journal } = parts

  /** Takes a list back. @returns the reason why it could not be taken back; undefined if all entries are old */
  function* takenBack(callId: string, changes: readonly FileChange[]): Steps<string | undefined> {
    try {
      yield* applyChanges(reversed(changes), parts.partsOf(callId), true)
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Ends a list that could not be finished, and takes it back if possible. */
  function* givenUp(callId: string, changes: readonly FileChange[], error: unknown): Steps<JarvisError> {
    const why = isDiskFull(error) ? fullWords : error instanceof Error ? error.message : String(error)
    const left = yield* takenBack(callId, changes)
    if (left === undefined) {
      journal.end(callId, 'failed', `Nothing was changed. ${why}`)
      if (error instanceof JarvisError) return error
      return new JarvisError(isDiskFull(error) ? 'storage_failed' : 'conflict', `Nothing was changed. ${why}`)
    }
    const names = changes.slice(0, 5).map(shownPath).join(', ')
    const text = `Some of the files were changed and some were not: ${names}. ${why} ${left}`
    journal.end(callId, 'mixed', text)
    return new JarvisError('outcome_unknown', text)
  }

  function* made(callId: string, changes: readonly FileChange[], isResumed: boolean): Steps<Applied> {
    let applied: Applied
    try {
      applied = yield* applyChanges(changes, parts.partsOf(callId), isResumed)
    } catch (error) {
      throw yield* givenUp(callId, changes, error)
    }
    journal.end(callId, 'done', doneText(changes))
    return applied
  }

  let last: Promise<unknown> = Promise.resolve()
  return {
    apply(callId, changes, signal) {
      const applied = last.then(() => {
        signal.throwIfAborted()
        if (!parts.hasRoom()) throw new JarvisError('storage_failed', noRoomWords)
        journal.begin(callId, changes)
        return inTurns(made(callId, changes, false))
      })
      last = applied.catch(() => undefined)
      return applied
    },
    finish() {
      for (const { callId, changes } of journal.open()) {
        try {
          atOnce(made(callId, changes, true))
        } catch (error) {
          parts.report(error, 'a change of files that was begun could not be finished')
        }
      }
    },
    idle: () => last,
    outcomeOf(callId) {
      const known = journal.get(callId)
      return known && { outcome: outcomes[known.state], text: known.text }
    },
  }
}

const isDiskFull = (error: unknown) => ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
const fullWords = 'The disk that holds the files is full. Free some space, then ask again.'

const doneText = (changes: readonly FileChange[]): string =>
  changes.length === 1 ? `${changes.map(shownPath)[0]} was changed.` : `${changes.length} files were changed.`
