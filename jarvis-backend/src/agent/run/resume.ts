import type { Origin } from '../origin.ts'
import type { RunParts } from '../ports.ts'
import type { Run } from '../run.ts'
import type { KeptRunStore } from '../sessions/kept-runs.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { ActiveRuns } from './active-runs.ts'
import { waitsIn } from './run-clock.ts'

/** The shortest gap after a run’s last entry that counts as time in which JARVIS was down, ms. */
const leastDownMs = 60_000

type Parts = Pick<RunParts, 'store' | 'clock' | 'budgets'> & {
  live: LiveSessions
  kept: Pick<KeptRunStore, 'get'>
}

/**
 * Resumes the runs that a stopped process left unfinished.
 * @param mayGoOn false: they are stopped, and queued messages are dropped
 */
export function resumeRuns(mayGoOn: boolean, active: ActiveRuns, parts: Parts): void {
  const { store, live } = parts
  if (!mayGoOn) for (const { id, status } of store.unfinishedRuns()) if (status === 'queued') store.removeQueued(id)
  const rows = store.unfinishedRuns()
  for (const row of rows.filter(({ status }) => status !== 'queued')) {
    const entries = store.entriesOfRun(row.id)
    const downMs = parts.clock.now() - (entries.at(-1)?.at ?? row.at)
    const session = live.open(row.sessionId)
    // Time in which a run waits for a person does not count as active time, so it needs no correction here.
    if (downMs > leastDownMs && waitsIn(entries).every(({ until }) => until !== undefined))
      parts.budgets.stood({ runId: row.id, sessionId: row.sessionId }, downMs)
    const run = active.beginStored(session, row, entries)
    if (!mayGoOn || isLeft(run, parts.kept)) active.stop(run, 'jarvis')
    else if (row.status === 'stopping') active.stop(run, stopperOf(run.origin))
  }
  for (const { sessionId } of rows) {
    const session = live.open(sessionId)
    if (session.runs.size === 0) active.goOn(session)
  }
}

/**
 * True for a run whose result no one waits for any more: a child run without its parent, or a client’s call, unless the client asks for the outcome
 * later. A client’s call that was not judged before the restart is ended too, because the record of the texts that the client had read is lost.
 */
function isLeft({ id, origin, entries, session }: Run, kept: Pick<KeptRunStore, 'get'>): boolean {
  if (origin.kind === 'child') return !session.runs.has(origin.parent)
  const isJudged = entries.some(({ type }) => type === 'confirm_needed' || type === 'tool_use')
  return origin.kind === 'mcp' && (kept.get(id) === undefined || !isJudged)
}

/** Returns the person or program to name as the one who stopped a run, because the stored run does not say it. */
const stopperOf = (origin: Origin): string =>
  'by' in origin ? origin.by : origin.kind === 'child' ? 'jarvis' : origin.client
