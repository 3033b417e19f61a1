import { JarvisError } from 'protocol'
import { type Origin, originOf } from '../origin.ts'
import type { RunListener, RunParts, ToolFacts } from '../ports.ts'
import { Run, type RunSession } from '../run.ts'
import type { RunAgent } from '../run-agent.ts'
import type { StoredEntry } from '../sessions/entries.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { RunRow, TranscriptStore } from '../sessions/transcript-store.ts'
import { isOfAnother } from './gone.ts'
import type { Queue } from './queue.ts'

/** The runs in progress: starts them, stops them, and begins the next queued message when a run ends. A child run ends with its parent run. */
export class ActiveRuns {
  readonly #store: TranscriptStore
  readonly #live: LiveSessions
  readonly #queue: Queue
  readonly #agent: RunAgent
  readonly #tools: Pick<ToolFacts, 'has'>
  readonly #listener: RunListener
  readonly #report: RunParts['report']
  #isStopping = false

  constructor(
    parts: Pick<RunParts, 'store' | 'toolFacts' | 'listener' | 'report'> & { live: LiveSessions },
    { queue, agent }: { queue: Queue; agent: RunAgent },
  ) {
    this.#store = parts.store
    this.#live = parts.live
    this.#tools = parts.toolFacts
    this.#listener = parts.listener
    this.#report = parts.report
    this.#queue = queue
    this.#agent = agent
  }

  /** True when the server is stopping: no run begins any more. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Throws if the server is stopping. @throws JarvisError `shutting_down` */
  requireOpen(): void {
    if (this.#isStopping) throw new JarvisError('shutting_down', 'JARVIS is shutting down. Send it again in a moment.')
  }

  /** Returns the run that answers a message in this session now. A call of an MCP client is not such a run. */
  chatRun(session: Pick<RunSession, 'runs'> | undefined): Run | undefined {
    return session && [...session.runs.values()].find(({ origin }) => 'text' in origin)
  }

  /** Converts the stored origin of a run to a live one. Whether a message is a command depends on the tools that exist now. */
  liveOrigin({ origin }: RunRow): Origin {
    return originOf(origin, (name) => this.#tools.has(name))
  }

  /** Starts the work on a run. The work itself begins in a later microtask, after the caller has acknowledged the message. */
  begin(run: Run, work: () => Promise<void> = () => this.#agent.go(run)): void {
    const { session } = run
    session.runs.set(run.id, run)
    this.#joinParent(run)
    if (isOfAnother(run)) this.#listener.othersBegan()
    this.#listener.changed(session.id)
    run.ended = Promise.resolve()
      .then(work)
      .catch((error: unknown) => this.#report(error, `run ${run.id} could not be ended`))
      .then(() => {
        session.runs.delete(run.id)
        if (this.#isStopping) return
        this.#leaveChildren(run)
        this.goOn(session)
      })
      .catch((error: unknown) => this.#report(error, `session ${session.id} could not go on`))
  }

  /** Begins a stored run. @param entries its entries, if it had begun before */
  beginStored(session: RunSession, row: RunRow & { position: number; partial?: string }, entries?: StoredEntry[]): Run {
    const run = new Run(session, row, { origin: this.liveOrigin(row), taken: entries })
    this.begin(run)
    return run
  }

  /** Called after a run: begins the next queued message, or removes the session from memory. */
  goOn(session: RunSession): void {
    const next = this.#queue.next(session.id)
    if (next !== undefined && this.chatRun(session) === undefined) {
      this.#store.setRunStatus(next.id, 'running')
      this.#queue.tell(session, next.id)
      this.beginStored(session, next)
    }
    this.#live.leave(session)
    this.#listener.changed(session.id)
  }

  /** Stops a run. Stores the stop first, so that a crash before the run's end does not undo it. */
  stop(run: Run, by: string): void {
    this.#store.setRunStatus(run.id, 'stopping')
    run.halt(by)
  }

  /**
   * Stops runs of a session, and starts none of its queued runs. Queued messages of people are held. Queued runs of programs end as stopped, because
   * a program waits for an end.
   */
  stopAll(sessionId: string, running: readonly Run[], by: string): void {
    const queued = this.#store.unfinishedRuns(sessionId).filter(({ status }) => status === 'queued')
    // Store these changes in one transaction, so that no held message begins if JARVIS crashes in between.
    this.#store.atomically(() => {
      for (const { id, origin } of queued) if (origin.kind === 'chat') this.#store.hold(id, by)
      for (const { id } of running) this.#store.setRunStatus(id, 'stopping')
    })
    for (const run of running) run.halt(by)
    const [first] = queued
    if (first === undefined) return
    const session = this.#live.open(sessionId)
    for (const row of queued.filter(({ origin }) => origin.kind !== 'chat'))
      this.stop(this.beginStored(session, row), by)
    this.#queue.tell(session, first.id)
    this.#live.leave(session)
  }

  /** Stops the runs whose asker may not ask any more. */
  look(): void {
    for (const run of this.#all()) this.#agent.look(run)
  }

  /** True if a run acts for a program, or for another person than the first owner. */
  haveOthers(): boolean {
    return [...this.#all()].some(isOfAnother)
  }

  /** Begins nothing more and ends the models' streams. The next start resumes unfinished runs. */
  shutDown(): void {
    this.#isStopping = true
    for (const run of this.#all()) run.leave()
  }

  *#all(): Iterable<Run> {
    for (const session of this.#live.all()) yield* session.runs.values()
  }

  childrenOf(session: RunSession, runId: string): Run[] {
    return [...session.runs.values()].filter(({ origin }) => origin.kind === 'child' && origin.parent === runId)
  }

  /** Makes a child run share the locks of its parent run, and stop when the parent stops. */
  #joinParent(run: Run): void {
    if (run.origin.kind !== 'child') return
    const parent = run.session.runs.get(run.origin.parent)
    if (parent === undefined) return
    run.shareLocks(parent)
    const stop = () => {
      if (!run.isOver) this.stop(run, parent.abortedBy)
    }
    if (parent.isStopped) queueMicrotask(stop)
    else parent.signal.addEventListener('abort', stop, { once: true })
  }

  /** Stops the children of a run that is over: nobody waits for them any more. */
  #leaveChildren(run: Run): void {
    for (const child of this.childrenOf(run.session, run.id)) if (!child.isOver) this.stop(child, run.abortedBy)
  }
}
