import { atOnce, inTurns, type Steps } from 'node-kit/steps'
import { JarvisError } from 'protocol'
import { noRoomWords } from '../../lib/disk-room.ts'
import { type Applied, type ApplyParts, applyChanges } from './apply.ts'
import { type FileChange, reversed, shownPath } from './entry.ts'

/** `done`: all are new. `failed`: all are old. `mixed`: some are new, and something else stands where others should. */
export type ApplyState = 'begun' | 'done' | 'failed' | 'mixed'

/** The lists of file changes that calls began, by call. */
export interface ApplyJournal {
  /** On disk when it returns. */
  begin(callId: string, changes: readonly FileChange[]): void
  /** @param text what became of it, for people */
  end(callId: string, state: Exclude<ApplyState, 'begun'>, text: string): void
  get(callId: string): { state: ApplyState; text: string } | undefined
  /** The lists that were begun and have not ended, oldest first. */
  open(): { callId: string; changes: FileChange[] }[]
  /** Forgets those that ended before, Unix ms. */
  prune(before: number): void
}

export type Applier = {
  /**
   * Makes a list of changes for a call: written down first, so that the next start finishes what a killed process began. One list at a time, and
   * other work goes on while the disk is waited for.
   * @param signal keeps a list that waits for another from being begun; one that was begun is made whole
   * @throws JarvisError `storage_failed` if the disk is almost full; `conflict` if a file moved meanwhile: nothing is changed then; `outcome_unknown` if only a part could be
   */
  apply(callId: string, changes: readonly FileChange[], signal: AbortSignal): Promise<Applied>
  /** Finishes what an earlier process began. Called once, before calls are taken up again. */
  finish(): void
  /** Resolves when nothing is being applied. */
  idle(): Promise<unknown>
  /** The outcome of a call's changes. Undefined if the call began none. */
  outcomeOf(callId: string): { outcome: 'done' | 'failed' | 'unknown'; text: string } | undefined
}

const outcomes = { begun: 'unknown', done: 'done', failed: 'failed', mixed: 'unknown' } as const

/** @param parts `rootOf` is asked for each call, because a session has a folder of its own */
export function createApplier(parts: {
  journal: ApplyJournal
  partsOf(callId: string): ApplyParts
  /** Tells if the disk has room beyond the reserve for the database. */
  hasRoom(): boolean
  report(error: unknown, message: string): void
}): Applier {
  const { journal } = parts

  /** @returns why it could not be taken back, undefined if all is old */
  function* takenBack(callId: string, changes: readonly FileChange[]): Steps<string | undefined> {
    try {
      yield* applyChanges(reversed(changes), parts.partsOf(callId), true)
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Ends a list that could not be made whole. */
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
