import { withCauses } from '../../agent/principal.ts'
import { outcomeOf } from '../../agent/run-trace.ts'
import type { Runs } from '../../agent/runs.ts'
import type { TranscriptStore } from '../../agent/sessions/transcript-store.ts'
import type { Gate } from '../../calls/room.ts'
import { newId } from '../../lib/ids.ts'
import { type JobRuns, personOfJob, type RunIds, type Standing } from '../job.ts'
import { hasEnded } from '../slot-runs.ts'

export type SessionRunsParts = {
  runs: Pick<Runs, 'startJob' | 'watch' | 'abort' | 'remove'>
  store: Pick<TranscriptStore, 'entriesOfRun' | 'unfinishedRuns' | 'session'>
  gate: Pick<Gate, 'confirmations'>
  zone: string
  report(error: unknown, message: string): void
}

/** Events that may change the state of a run. */
const toldBy: ReadonlySet<string> = new Set(['chat:confirm_needed', 'chat:confirm_resolved', 'chat:done', 'chat:error'])

/** Starts the runs of jobs, each in a session of its own. */
export class SessionRuns implements JobRuns {
  readonly #parts: SessionRunsParts
  readonly #moment: Intl.DateTimeFormat

  constructor(parts: SessionRunsParts) {
    this.#parts = parts
    this.#moment = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: parts.zone,
    })
  }

  start({ job, slot, work, causedBy, link }: Parameters<JobRuns['start']>[0]): void {
    const { id: jobId, name, by, askedBy } = job
    const isForeign = askedBy !== undefined || work.isForeign === true
    const origin = {
      kind: 'job' as const,
      jobId,
      name,
      slot,
      by,
      ...withCauses(personOfJob(job), causedBy),
      ...(askedBy?.token !== undefined && { token: askedBy.token }),
      ...(isForeign && { isForeign: true as const }),
    }
    const does =
      work.kind === 'call'
        ? { call: { toolName: work.toolName, toolInput: work.toolInput } }
        : { messageId: newId('msg'), text: work.text }
    this.#parts.runs.startJob({
      origin: { ...origin, ...does },
      title: `${name}, ${this.#moment.format(slot)}`,
      link,
    })
  }

  follow(run: RunIds, tell: (standing: Standing) => void): void {
    const watch = this.#parts.runs.watch(run.sessionId, {
      isOperator: false,
      tell: (event, payload) => {
        if (payload.runId !== run.runId || !toldBy.has(event)) return
        const now = this.standing(run)
        if (now === undefined) return
        // The listener may start a run, which must not begin within another run's event.
        setImmediate(tell, now)
        if (hasEnded(now)) setImmediate(() => watch.end())
      },
    })
  }

  standing({ sessionId, runId }: RunIds): Standing | undefined {
    const { store, gate } = this.#parts
    const ended = outcomeOf(store.entriesOfRun(runId))
    if (ended !== undefined) return ended
    const isThere = store.session(sessionId) !== undefined
    if (!isThere || !store.unfinishedRuns(sessionId).some(({ id }) => id === runId)) return undefined
    return { state: gate.confirmations.pending(sessionId).length > 0 ? 'waiting' : 'running' }
  }

  stop(sessionId: string, by: string): void {
    this.#parts.runs.abort(sessionId, by)
  }

  remove(sessionId: string): void {
    const { runs, store, report } = this.#parts
    if (store.session(sessionId) === undefined) return
    runs.remove(sessionId, 'jarvis').catch((error: unknown) => report(error, 'an old session of a job was not deleted'))
  }
}
