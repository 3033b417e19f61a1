import type { QueuedMessage, Snapshot } from 'protocol'
import { Calls } from './calls.ts'
import type { RunParts, WaitingCards } from './ports.ts'
import { ActiveRuns } from './run/active-runs.ts'
import type { ChildOutcome } from './run/child.ts'
import { Children, type Delegation } from './run/children.ts'
import { Queue } from './run/queue.ts'
import { Rehearsing } from './run/rehearsing.ts'
import { resumeRuns } from './run/resume.ts'
import { type NewMessage, Sending, type Sent } from './run/send.ts'
import { type JobRun, startJob } from './run/start-job.ts'
import { type ProgramRun, ProgramStart } from './run/start-program.ts'
import { RunAgent } from './run-agent.ts'
import type { KeptRunStore } from './sessions/kept-runs.ts'
import type { LiveSessions } from './sessions/live-sessions.ts'
import { snapshotOf } from './sessions/snapshot.ts'
import { wireEntry } from './sessions/wire-entry.ts'
import type { Watcher, Watchers } from './watchers.ts'

export type { Sent }

/** A watcher’s access to one session. */
export type Watch = {
  /**
   * Returns all data that a new screen needs. Call it right after `watch`, in the same tick, so that no event is missed between the snapshot and the
   * first event.
   * @param since the last `seq` that the screen has: older entries are left out, unless the screen missed more entries than a snapshot holds
   */
  snapshot(since?: number): Snapshot
  end(): void
}

/** Number of entries in a snapshot, about one and a half screens. Earlier entries are read page by page. */
const snapshotEntries = 100

export type RunsParts = RunParts & {
  live: LiveSessions
  watchers: Pick<Watchers, 'add'>
  cards: WaitingCards
  kept: Pick<KeptRunStore, 'get'>
}

/** Starts runs and lets callers watch them. Every run is started here. */
export class Runs {
  readonly #parts: RunsParts
  readonly #agent: RunAgent
  readonly #queue: Queue
  readonly #rehearsing: Rehearsing
  readonly #active: ActiveRuns
  readonly #sending: Sending
  readonly #programs: ProgramStart
  readonly #children: Children
  /** Calls of MCP clients. */
  readonly calls: Calls

  constructor(parts: RunsParts) {
    const agent = new RunAgent(parts)
    const queue = new Queue(parts.store, parts.live)
    const rehearsing = new Rehearsing(parts)
    const active = new ActiveRuns(parts, { queue, agent })
    this.#parts = parts
    this.#agent = agent
    this.#queue = queue
    this.#rehearsing = rehearsing
    this.#active = active
    this.#sending = new Sending(parts, { agent, active, queue, rehearsing })
    this.#programs = new ProgramStart(parts, { agent, active })
    this.#children = new Children(parts, { agent, active })
    this.calls = new Calls(parts, { agent, active })
  }

  /** Stores the message and starts its run, or queues it if a run of the session is in progress. @throws JarvisError */
  start(message: NewMessage): Sent {
    return this.#sending.send(message)
  }

  /** Starts a job's run in a session of its own. @throws JarvisError `shutting_down` */
  startJob(job: JobRun): void {
    startJob(job, this.#parts, { agent: this.#agent, active: this.#active })
  }

  /**
   * Starts the run of a program’s message, or queues it if a run of its session is in progress.
   * @throws JarvisError, as `ProgramStart.start` says
   */
  startProgram(message: ProgramRun): { runId: string; isQueued: boolean } {
    return this.#programs.start(message)
  }

  /** As `Children.delegate`. */
  delegate(work: Delegation, signal: AbortSignal): Promise<ChildOutcome> {
    return this.#children.delegate(work, signal)
  }

  /**
   * Stops all runs of a session and starts no other: waiting cards are cancelled, queued messages are held until their writers send them again, and
   * a program’s queued message ends as stopped.
   * @throws JarvisError `unknown_session`
   */
  abort(sessionId: string, by: string): void {
    const { live } = this.#parts
    live.stored(sessionId)
    this.#active.stopAll(sessionId, [...(live.get(sessionId)?.runs.values() ?? [])], by)
  }

  queued(sessionId: string): QueuedMessage[] {
    return this.#queue.list(sessionId)
  }

  /** Removes a message that waits. @throws JarvisError `unknown_session`, `not_found` */
  unqueue(sessionId: string, messageId: string): void {
    this.#queue.remove(sessionId, messageId)
  }

  /**
   * Queues a message again that was held when the session was stopped. @throws JarvisError `unknown_session`, `not_found`, `forbidden`,
   * `shutting_down`
   */
  sendHeld(sessionId: string, messageId: string, by: string): void {
    this.#active.requireOpen()
    this.#queue.release(sessionId, messageId, by)
    this.#active.goOn(this.#parts.live.open(sessionId))
  }

  /** Sends a watcher all events of a session from now on. @throws JarvisError `unknown_session` */
  watch(sessionId: string, watcher: Watcher): Watch {
    this.#parts.live.stored(sessionId)
    return {
      snapshot: (since) => {
        if (watcher.isOperator) this.#parts.cards.seen(sessionId)
        return this.#snapshotOf(sessionId, since)
      },
      end: this.#parts.watchers.add(sessionId, watcher),
    }
  }

  /** Sets the session’s title, after secrets are removed from it. @throws JarvisError `unknown_session` */
  rename(sessionId: string, given: string): void {
    const { live, store, redact, listener } = this.#parts
    live.stored(sessionId)
    const title = redact.text(given)
    const session = live.get(sessionId)
    if (session === undefined) store.renameSession(sessionId, title)
    else session.rename(title)
    listener.changed(sessionId)
  }

  /** Turns rehearsal on or off. While it is on, changes are described and not run. Turning it on withdraws waiting cards. */
  setRehearsal(sessionId: string, isRehearsal: boolean, by: string): void {
    this.#rehearsing.set(sessionId, isRehearsal, by)
  }

  /** Ends all runs of a session and deletes it. @throws JarvisError `unknown_session` */
  async remove(sessionId: string, by: string): Promise<void> {
    const { live, store, listener } = this.#parts
    live.stored(sessionId)
    const session = live.get(sessionId)
    await live.removing(sessionId, async () => {
      for (const { id } of store.unfinishedRuns(sessionId)) store.removeQueued(id)
      const runs = [...(session?.runs.values() ?? [])]
      for (const run of runs) this.#active.stop(run, by)
      await Promise.all(runs.map(({ ended }) => ended))
      store.deleteSession(sessionId)
      listener.removed(sessionId)
    })
    listener.changed(sessionId)
  }

  isRunning(sessionId: string): boolean {
    return (this.#parts.live.get(sessionId)?.runs.size ?? 0) > 0
  }

  /** True if this run is in progress. */
  goesOn(sessionId: string, runId: string): boolean {
    return this.#parts.live.get(sessionId)?.runs.has(runId) === true
  }

  /**
   * Begins a stored run with the status `running`, such as the run of a plan. No-op if it is already in progress. @throws JarvisError
   * `unknown_session`
   */
  take(sessionId: string, runId: string): void {
    const { live, store } = this.#parts
    const row = store.unfinishedRuns(sessionId).find(({ id }) => id === runId)
    const session = live.open(sessionId)
    if (row !== undefined && !session.runs.has(runId)) this.#active.beginStored(session, row, store.entriesOfRun(runId))
  }

  /**
   * Stops one run; its pending cards are cancelled. If it answers a person's message, the queued messages are held. No-op if the run has ended.
   */
  stopRun(sessionId: string, runId: string, by: string): void {
    const session = this.#parts.live.get(sessionId)
    const run = session?.runs.get(runId)
    if (run === undefined) return
    if (run === this.#active.chatRun(session) && run.origin.kind === 'chat') this.#active.stopAll(sessionId, [run], by)
    else this.#active.stop(run, by)
  }

  /** Stops the runs whose asker may not ask any more. */
  look(): void {
    this.#active.look()
  }

  /** True if a run in progress acts for a program, or for a person other than the first owner. */
  haveOthers(): boolean {
    return this.#active.haveOthers()
  }

  /**
   * Resumes runs that a stopped process left unfinished. Call it once, before any request is served.
   * @param mayGoOn false: unfinished runs are stopped, and queued messages are dropped
   */
  resume(mayGoOn: boolean): void {
    resumeRuns(mayGoOn, this.#active, this.#parts)
  }

  /** Takes no more work and ends the models' streams. The next start resumes unfinished runs. */
  stop(): void {
    this.#active.shutDown()
  }

  /** Stores each session's exact `seq`; called last before the store closes. */
  storeSeq(): void {
    for (const session of this.#parts.live.all()) session.storeSeq()
  }

  #snapshotOf(sessionId: string, since: number | undefined): Snapshot {
    const { live, store, cards, redact } = this.#parts
    const session = live.get(sessionId)
    return snapshotOf(
      {
        stored: live.stored(sessionId),
        session,
        run: this.#active.chatRun(session),
        ...store.entriesBefore(sessionId, Number.MAX_SAFE_INTEGER, snapshotEntries),
        pending: cards.pending(sessionId),
        questions: cards.questions(sessionId),
        queued: this.#queue.list(sessionId),
        todo: store.newestTodo(sessionId)?.items,
      },
      (entry) => wireEntry(entry, redact),
      since,
    )
  }
}
