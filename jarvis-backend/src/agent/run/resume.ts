import { type ActiveRun, activeRun } from '../active-run.ts'
import type { Origin } from '../origin.ts'
import type { RunAgent } from '../run-agent.ts'
import type { Runs, RunsParts } from '../runs.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { RunRow } from '../sessions/transcript-store.ts'
import { waitsIn } from './run-clock.ts'

/** JARVIS was down for at most as long as nothing was stored; less than this is not worth a write. */
const leastDownMs = 60_000

/** @returns a function that resumes what a stopped process left unfinished */
export function createResume(
  parts: Pick<RunsParts, 'store' | 'kept' | 'clock' | 'budgets'>,
  door: {
    agent: RunAgent
    live: LiveSessions
    liveOrigin(row: RunRow): Origin
    start(session: LiveSession, run: ActiveRun, work: () => Promise<void>): void
    stopRun(run: ActiveRun, by: string): void
    goOn(session: LiveSession): void
  },
): Runs['resume'] {
  const { store } = parts
  const { agent, live, liveOrigin, start, stopRun, goOn } = door

  return (mayGoOn) => {
    if (!mayGoOn) for (const { id, status } of store.unfinishedRuns()) if (status === 'queued') store.removeQueued(id)
    const rows = store.unfinishedRuns()
    for (const row of rows.filter(({ status }) => status !== 'queued')) {
      const entries = store.entriesOfRun(row.id)
      const session = live.open(row.sessionId)
      const run = activeRun(row, liveOrigin(row), session.agent, entries)
      const downMs = parts.clock.now() - (entries.at(-1)?.at ?? row.at)
      // While a person is waited for, the time does not count anyway.
      if (downMs > leastDownMs && waitsIn(entries).every(({ until }) => until !== undefined))
        parts.budgets.stood({ runId: row.id, sessionId: row.sessionId }, downMs)
      start(session, run, () => agent.go(session, run))
      // Nobody takes a client's answer any more, but a client that asks later; and what that one had read is forgotten, so
      // that no call of it is judged now for the first time.
      const isJudged = entries.some(({ type }) => type === 'confirm_needed' || type === 'tool_use')
      const isLeft = run.origin.kind === 'mcp' && (parts.kept.get(row.id) === undefined || !isJudged)
      const isOrphan = run.origin.kind === 'child' && !session.runs.has(run.origin.parent)
      if (!mayGoOn || isLeft || isOrphan) stopRun(run, 'jarvis')
      else if (row.status === 'stopping') stopRun(run, stopperOf(run.origin))
    }
    for (const { sessionId } of rows) {
      const session = live.open(sessionId)
      if (session.runs.size === 0) goOn(session)
    }
  }
}

/** Who is named where it is not written down who stopped a run. */
const stopperOf = (origin: Origin): string =>
  'by' in origin ? origin.by : origin.kind === 'child' ? 'jarvis' : origin.client
