import { JarvisError } from 'protocol'
import { chosenFor } from '../../agents/bindings.ts'
import { newId } from '../../lib/ids.ts'
import type { JobOrigin } from '../origin.ts'
import type { RunParts } from '../ports.ts'
import { Run } from '../run.ts'
import type { RunAgent } from '../run-agent.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { RunRow } from '../sessions/transcript-store.ts'
import type { ActiveRuns } from './active-runs.ts'

/**
 * A run to start for a job. `agent`: the agent in whose name the job acts; undefined: chosen by the bindings. `link`: called in the transaction that
 * stores the run, to store the run’s id with the job.
 */
export type JobRun = {
  origin: JobOrigin
  title: string
  agent?: string
  link(ids: { sessionId: string; runId: string }): void
}

/** Starts a job’s run in a new session. @throws JarvisError `shutting_down`; then nothing is stored */
export function startJob(
  { origin, title, agent: wanted, link }: JobRun,
  parts: Pick<RunParts, 'store' | 'agents' | 'clock' | 'redact'> & { live: LiveSessions },
  { agent: runAgent, active }: { agent: RunAgent; active: ActiveRuns },
): void {
  const { store, agents, clock, redact, live } = parts
  if (active.isStopping) throw new JarvisError('shutting_down', 'JARVIS is shutting down.')
  const agent = wanted ?? chosenFor(agents.list(), { door: 'job', job: origin.name })[0].agent
  const sessionId = newId('ses')
  const at = clock.now()
  try {
    const run = store.atomically(() => {
      const { person } = origin
      store.createSession({ id: sessionId, title: redact.text(title), source: 'job', at, person, agent })
      const session = live.open(sessionId)
      const row: RunRow = { id: newId('run'), sessionId, origin, status: 'running', at }
      const run = new Run(session, { ...row, position: store.addRun(row) }, { origin })
      run.opens(runAgent.begin(run))
      link({ sessionId, runId: row.id })
      return run
    })
    active.begin(run)
  } catch (error) {
    live.drop(sessionId)
    throw error
  }
}
