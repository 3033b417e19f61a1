import { JarvisError } from 'protocol'
import { chosenFor } from '../../agents/bindings.ts'
import { newId } from '../../lib/ids.ts'
import { type ActiveRun, activeRun } from '../active-run.ts'
import type { JobOrigin } from '../origin.ts'
import type { RunAgent } from '../run-agent.ts'
import type { RunsParts } from '../runs.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { RunRow } from '../sessions/transcript-store.ts'

/** `agent`: in whose name it acts; absent: by the bindings. `link`: writes down which run it is, in the transaction that stores the run. */
export type JobRun = {
  origin: JobOrigin
  title: string
  agent?: string
  link(ids: { sessionId: string; runId: string }): void
}

/** @returns a function that starts a job's run in a session of its own. @throws JarvisError `shutting_down`; nothing is stored then */
export function createStartJob(
  parts: Pick<RunsParts, 'store' | 'agents' | 'clock' | 'redact'>,
  door: {
    agent: Pick<RunAgent, 'begin' | 'go'>
    live: Pick<LiveSessions, 'open' | 'drop'>
    start(session: LiveSession, run: ActiveRun, work: () => Promise<void>): void
    isStopping(): boolean
  },
): (job: JobRun) => void {
  const { store, agents, clock, redact } = parts
  return ({ origin, title, agent: wanted, link }) => {
    if (door.isStopping()) throw new JarvisError('shutting_down', 'JARVIS is shutting down.')
    const agent = wanted ?? chosenFor(agents.list(), { door: 'job', job: origin.name })[0].agent
    const sessionId = newId('ses')
    const at = clock.now()
    try {
      const { session, run } = store.atomically(() => {
        store.createSession({
          id: sessionId,
          title: redact.text(title),
          source: 'job',
          at,
          ...(origin.person !== undefined && { person: origin.person }),
          ...(agent !== undefined && { agent }),
        })
        const session = door.live.open(sessionId)
        const row: RunRow = { id: newId('run'), sessionId, origin, status: 'running', at }
        const run = activeRun({ ...row, position: store.addRun(row) }, origin, session.agent)
        run.show = door.agent.begin(session, run)
        link({ sessionId, runId: row.id })
        return { session, run }
      })
      door.start(session, run, () => door.agent.go(session, run))
    } catch (error) {
      door.live.drop(sessionId)
      throw error
    }
  }
}
