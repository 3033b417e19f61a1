import type { Runs } from '../agent/runs.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import { type Clock, oldBefore } from '../lib/clock.ts'
import { type AskedStore, keyKeptMs } from './asked.ts'

/** Time for which the session of a single request is kept, ms. */
const keptMs = 30 * 24 * 60 * 60_000
/** Maximum number of these sessions per token, not counting those of the last day. */
const mostKept = 1_000
/** Minimum time between two searches for old sessions, ms. */
const everyMs = 60 * 60_000
/** Maximum number of sessions that one search removes. */
const mostAtOnce = 200

/**
 * @returns a function that removes old sessions of requests that named no session, at most once an hour. A session is kept if a run of it has not
 * ended, if a card waits in it, or if the program continued it later.
 */
export function createTidy(parts: {
  asked: Pick<AskedStore, 'single' | 'forget' | 'forgetOld'>
  runs: Pick<Runs, 'remove'>
  transcripts: Pick<TranscriptStore, 'session' | 'unfinishedRuns' | 'newestRuns'>
  clock: Clock
  isStopping(): boolean
  report(error: unknown, message: string): void
}): () => void {
  const { asked, runs, transcripts, clock } = parts
  let next = 0

  async function tidy() {
    const now = oldBefore(clock, 0)
    asked.forgetOld(now - keyKeptMs)
    const query = { before: now - keptMs, recent: now - keyKeptMs, most: mostKept, limit: mostAtOnce }
    for (const { runId, sessionId } of asked.single(query)) {
      await new Promise(setImmediate)
      if (parts.isStopping()) return
      if (transcripts.session(sessionId) === undefined || hasGoneOn(sessionId)) asked.forget(runId)
      else if (transcripts.unfinishedRuns(sessionId).length === 0) await runs.remove(sessionId, 'jarvis')
    }
  }

  const hasGoneOn = (sessionId: string) =>
    new Set(transcripts.newestRuns(sessionId, 2, ['user']).map(({ runId }) => runId)).size > 1

  return () => {
    const now = clock.now()
    if (now < next) return
    next = now + everyMs
    tidy().catch((error: unknown) => parts.report(error, 'old sessions of programs could not be removed'))
  }
}
