import { type Card, JarvisError, type Question, type QueuedMessage, type Snapshot } from 'protocol'
import { type ActiveRun, activeRun } from './active-run.ts'
import { type Calls, createCalls } from './calls.ts'
import { originOf } from './origin.ts'
import { type Children, createChildren } from './run/children.ts'
import { isOfAnother } from './run/gone.ts'
import { createQueue } from './run/queue.ts'
import { createRehearsing } from './run/rehearsing.ts'
import { createResume } from './run/resume.ts'
import { createSend } from './run/send.ts'
import { createStartJob, type JobRun } from './run/start-job.ts'
import { createStartProgram, type ProgramRun } from './run/start-program.ts'
import { createRunAgent, type RunParts } from './run-agent.ts'
import type { KeptRunStore } from './sessions/kept-runs.ts'
import type { LiveSession } from './sessions/live-session.ts'
import type { LiveSessions } from './sessions/live-sessions.ts'
import { snapshotOf } from './sessions/snapshot.ts'
import type { RunRow, StoredEntry } from './sessions/transcript-store.ts'
import { wireEntry } from './sessions/wire-entry.ts'
import type { Watcher, Watchers } from './watchers.ts'

export type Sent = { sessionId: string; runId: string; messageId: string; queued: boolean }

/** One session as a watcher has it. */
export type Watch = {
  /**
   * All that a fresh screen needs; events that follow are told. Synchronously after `watch`, nothing lies between the two.
   * @param since what the screen has: older entries are left out, unless more was missed than a snapshot holds.
   */
  snapshot(since?: number): Snapshot
  end(): void
}

/** The one door through which a run starts, and is watched. */
export type Runs = {
  /** Stores the message and starts its run, or queues it behind the one that goes on. @throws JarvisError */
  start(message: {
    sessionId?: string
    text: string
    by: string
    requestId?: string
    /** `provider/model` for this answer, and in a new session for all of it. Absent: the session's. */
    model?: string
    /** Ids of files that `by` uploaded. */
    attachments?: readonly string[]
    /** Of a new session: the agent that it belongs to; absent: `main`. */
    agent?: string
    /** The channel that the person wrote on. */
    via?: string
    /** Runs in the transaction that stores the message, not for a repeated request. */
    remember?(sent: Sent): void
  }): Sent
  /** Starts a job's run in a session of its own. @throws JarvisError `shutting_down` */
  startJob(job: JobRun): void
  /**
   * Starts the run of a program's message, or queues it behind the one that goes on in its session.
   * @throws JarvisError, as `createStartProgram` says
   */
  startProgram(message: ProgramRun): { runId: string; isQueued: boolean }
  /** As `Children.delegate`. */
  delegate: Children['delegate']
  /**
   * Stops all that goes on in a session, and begins nothing after it: pending cards are cancelled, queued messages are held until their
   * writers send them again, and a program's queued message ends as stopped.
   * @throws JarvisError `unknown_session`
   */
  abort(sessionId: string, by: string): void
  /** The messages that wait in a session. */
  queued(sessionId: string): QueuedMessage[]
  /** Removes a message that waits. @throws JarvisError `unknown_session`, `not_found` */
  unqueue(sessionId: string, messageId: string): void
  /** Sends a message that a stop holds. @throws JarvisError `unknown_session`, `not_found`, `forbidden`, `shutting_down` */
  sendHeld(sessionId: string, messageId: string, by: string): void
  /** Tells a watcher of all that happens in a session from now on. @throws JarvisError `unknown_session` */
  watch(sessionId: string, watcher: Watcher): Watch
  rename(sessionId: string, title: string): void
  /** Turns rehearsal on or off: changes are described and not run, or run again. Withdraws waiting cards. */
  setRehearsal(sessionId: string, isRehearsal: boolean, by: string): void
  /** Ends what goes on in it and deletes it. */
  remove(sessionId: string, by: string): Promise<void>
  isRunning(sessionId: string): boolean
  /** Whether this run is at work, or is taken up. */
  goesOn(sessionId: string, runId: string): boolean
  /** Gives a session the name that a model found for it, and tells whoever watches. */
  name(sessionId: string, runId: string, title: string): void
  /**
   * Begins a run that is stored and at work, as that of a plan.
   * @throws JarvisError `unknown_session`
   */
  take(sessionId: string, runId: string): void
  /** Stops one run; its pending cards are cancelled. With the answer to a person's message, what is queued is held. No-op where it has ended. */
  stopRun(sessionId: string, runId: string, by: string): void
  /** Stops the runs whose asker may not ask any more. */
  look(): void
  /** Whether a run goes on that acts for a program, or for another person than the first owner. */
  haveOthers(): boolean
  /**
   * Resumes what a stopped process left unfinished. Called once, before anybody is served.
   * @param mayGoOn otherwise it is stopped, and what was queued is not begun
   */
  resume(mayGoOn: boolean): void
  /** Takes no more work and ends the models' streams. The next start resumes unfinished runs. */
  stop(): void
  /** Stores each session's exact `seq`; called last before the store closes. */
  storeSeq(): void
}

/** About a screen and a half; earlier entries are read page by page. */
const snapshotEntries = 100

export type RunsParts = RunParts & {
  live: LiveSessions
  watchers: Pick<Watchers, 'add'>
  pending(sessionId: string): Card[]
  /** The questions of the session that wait for a person. */
  questions(sessionId: string): Question[]
  hasTool(name: string): boolean
  /** An operator has the cards of the session before them. */
  seen(sessionId: string): void
  kept: Pick<KeptRunStore, 'get'>
  /** Withdraws a card. */
  cancel(toolUseId: string, by: string, note: string): void
  /** Writes down who turned rehearsal on or off, with the change itself. */
  recordRehearsal(change: { sessionId: string; isRehearsal: boolean; by: string }): void
  /** A run begins that acts for a program, or for another person than the first owner. */
  othersBegan(): void
  /** A session's standing has changed: its title, or whether it runs. */
  changed(sessionId: string): void
  /** A session was deleted. */
  removed(sessionId: string): void
}

export function createRuns(parts: RunsParts): { runs: Runs; calls: Calls } {
  const { store, clock, redact } = parts
  let isStopping = false
  const agent = createRunAgent(parts)

  const toWire = (entry: StoredEntry) => wireEntry(entry, redact)
  const { live, watchers, report } = parts
  const { stored, open } = live

  const queue = createQueue(store, live)
  const rehearsing = createRehearsing(parts, store, live)

  const chatRun = (session: LiveSession | undefined) =>
    session && [...session.runs.values()].find(({ origin }) => 'text' in origin)

  /** Starts a run after the caller has acknowledged the message. */
  function start(session: LiveSession, run: ActiveRun, work: () => Promise<void>) {
    const { row } = run
    session.runs.set(row.id, run)
    children.join(session, run)
    if (isOfAnother(run)) parts.othersBegan()
    parts.changed(session.id)
    run.ended = Promise.resolve()
      .then(work)
      .catch((error: unknown) => parts.report(error, `run ${row.id} could not be ended`))
      .then(() => {
        session.runs.delete(row.id)
        if (isStopping) return
        children.leave(session, run)
        goOn(session)
      })
      .catch((error: unknown) => parts.report(error, `session ${session.id} could not go on`))
  }

  /** Stores the stop first, so that a crash before the run's end does not undo it. */
  function stopRun(run: ActiveRun, by: string) {
    store.setRunStatus(run.row.id, 'stopping')
    halt(run, by)
  }

  function halt(run: ActiveRun, by: string) {
    run.abortedBy = by
    run.abort.abort()
    run.modelAbort.abort()
  }

  /** After a run: the next queued message, or rest. */
  function goOn(session: LiveSession) {
    const next = queue.next(session.id)
    if (next !== undefined && chatRun(session) === undefined) {
      store.setRunStatus(next.id, 'running')
      queue.tell(session, next.id)
      const run = activeRun(next, liveOrigin(next), session.agent)
      start(session, run, () => agent.go(session, run))
    }
    live.leave(session)
    parts.changed(session.id)
  }

  /** Stops runs of a session, and lets nothing begin that waits there: messages are held, and programs, which wait for an end, get one. */
  function stop(sessionId: string, running: readonly ActiveRun[], by: string) {
    const queued = store.unfinishedRuns(sessionId).filter(({ status }) => status === 'queued')
    // A crash in between must not let a held message begin.
    store.atomically(() => {
      for (const { id, origin } of queued) if (origin.kind === 'chat') store.hold(id, by)
      for (const { row } of running) store.setRunStatus(row.id, 'stopping')
    })
    for (const run of running) halt(run, by)
    const [first] = queued
    if (first === undefined) return
    const session = open(sessionId)
    for (const row of queued.filter(({ origin }) => origin.kind !== 'chat')) {
      const run = activeRun(row, liveOrigin(row), session.agent)
      start(session, run, () => agent.go(session, run))
      stopRun(run, by)
    }
    queue.tell(session, first.id)
    live.leave(session)
  }

  const liveOrigin = ({ origin }: RunRow) => originOf(origin, parts.hasTool)

  const door = {
    agent,
    live,
    queue,
    rehearsing,
    chatRun,
    liveOrigin,
    start,
    stopRun,
    goOn,
    isStopping: () => isStopping,
  }
  const children = createChildren(parts, door)
  const calls = createCalls({ ...door, watchers, clock, report })

  const runs: Runs = {
    start: createSend(parts, door),
    startJob: createStartJob(parts, door),
    startProgram: createStartProgram(parts, door),
    delegate: children.delegate,
    queued: queue.listOf,
    unqueue: queue.remove,
    sendHeld(sessionId, messageId, by) {
      if (isStopping) throw new JarvisError('shutting_down', 'JARVIS is shutting down. Send it again in a moment.')
      queue.release(sessionId, messageId, by)
      goOn(open(sessionId))
    },
    resume: createResume(parts, door),
    abort(sessionId, by) {
      stored(sessionId)
      stop(sessionId, [...(live.get(sessionId)?.runs.values() ?? [])], by)
    },

    watch(sessionId, watcher) {
      stored(sessionId)
      return {
        snapshot(since) {
          if (watcher.isOperator) parts.seen(sessionId)
          const known = stored(sessionId)
          const session = live.get(sessionId)
          const entries = store.entriesBefore(sessionId, Number.MAX_SAFE_INTEGER, snapshotEntries)
          const waiting = {
            pending: parts.pending(sessionId),
            questions: parts.questions(sessionId),
            queued: queue.listOf(sessionId),
            todo: store.newestTodo(sessionId)?.items,
          }
          return snapshotOf({ stored: known, session, run: chatRun(session), ...entries, ...waiting }, toWire, since)
        },
        end: watchers.add(sessionId, watcher),
      }
    },

    rename(sessionId, given) {
      stored(sessionId)
      const title = redact.text(given)
      const session = live.get(sessionId)
      if (session === undefined) store.renameSession(sessionId, title)
      else session.rename(title)
      parts.changed(sessionId)
    },

    setRehearsal: rehearsing.setRehearsal,

    async remove(sessionId, by) {
      stored(sessionId)
      const session = live.get(sessionId)
      await live.removing(sessionId, async () => {
        for (const { id } of store.unfinishedRuns(sessionId)) store.removeQueued(id)
        const runs = [...(session?.runs.values() ?? [])]
        for (const run of runs) stopRun(run, by)
        await Promise.all(runs.map(({ ended }) => ended))
        store.deleteSession(sessionId)
        parts.removed(sessionId)
      })
      parts.changed(sessionId)
    },

    name(sessionId, runId, title) {
      const session = open(sessionId)
      session.rename(title)
      session.emit(runId, 'chat:title', { title })
      live.leave(session)
      parts.changed(sessionId)
    },

    take(sessionId, runId) {
      const row = store.unfinishedRuns(sessionId).find(({ id }) => id === runId)
      const session = open(sessionId)
      if (row === undefined || session.runs.has(runId)) return
      const run = activeRun(row, liveOrigin(row), session.agent, store.entriesOfRun(runId))
      start(session, run, () => agent.go(session, run))
    },

    stopRun(sessionId, runId, by) {
      const session = live.get(sessionId)
      const run = session?.runs.get(runId)
      if (run === undefined) return
      if (run === chatRun(session) && run.origin.kind === 'chat') stop(sessionId, [run], by)
      else stopRun(run, by)
    },

    look() {
      for (const session of live.all()) for (const run of session.runs.values()) agent.look(run)
    },

    haveOthers: () => [...live.all()].some(({ runs }) => [...runs.values()].some(isOfAnother)),

    goesOn: (sessionId, runId) => live.get(sessionId)?.runs.has(runId) === true,

    isRunning: (sessionId) => (live.get(sessionId)?.runs.size ?? 0) > 0,

    storeSeq() {
      for (const session of live.all()) session.storeSeq()
    },

    stop() {
      isStopping = true
      for (const session of live.all()) for (const run of session.runs.values()) run.modelAbort.abort()
    },
  }

  return { runs, calls }
}
