import { setMaxListeners } from 'node:events'
import type { ChatEvents, Effort } from 'protocol'
import type { AnswerFormat, ToolChoice, ToolSpec } from './model.ts'
import type { Origin } from './origin.ts'
import { CallLocks } from './run/call-locks.ts'
import type { Draft, Given, StoredEntry } from './sessions/entries.ts'
import type { RunRow } from './sessions/transcript-store.ts'

/**
 * The prompt, tools and settings of a run. They stay the same until the run ends, because a model must not continue its thinking under other
 * instructions.
 */
export type RunProfile = {
  prompt: string
  tools: readonly ToolSpec[]
  /** The effort with which the model thinks; undefined: the effort in the settings. */
  effort?: Effort
  /** Sent to models that take a temperature. */
  temperature?: number
  /** Maximum tokens of each reply; undefined: the maximum in the model’s settings. */
  mostTokens?: number | undefined
  /** The tool that a program wants the model to call, and the format in which it wants the answer. */
  toolChoice?: ToolChoice
  format?: AnswerFormat
  /** `history`: maximum number of earlier runs sent to the model. `turns`: maximum number of model calls in this run. */
  limits: { history: number; turns: number }
}

/** The part of a live session that its runs use. */
export interface RunSession {
  readonly id: string
  /** The agent that the session belongs to. */
  readonly agent: string
  readonly title: string
  /** True: a call that would change something is described and not run. */
  readonly isRehearsal: boolean
  readonly runs: Map<string, Run>
  keep(run: Run, draft: Draft & Given): { entry: StoredEntry; show(): void }
  append(run: Run, draft: Draft & Given): StoredEntry
  emit(runId: string, event: keyof ChatEvents, payload: object): void
  rename(title: string): void
  storeSeq(): void
}

/** The parts of a run from which its model, its profile and its history are chosen. */
export type RunBasis = Pick<Run, 'row' | 'origin' | 'agent' | 'entries' | 'failed' | 'profile' | 'earlier'>

type Notice = { message: string; retryAt?: number }

/**
 * A run in progress: its entries, its signals, and the state that a screen is shown if it joins in the middle. The parts in `run/` decide how the
 * run continues.
 */
export class Run {
  readonly session: RunSession
  readonly row: RunRow & { position: number }
  readonly origin: Origin
  /** The agent in whose name the run acts: the session’s agent, or for a child run the agent that got the work. */
  readonly agent: string
  /** The run’s own entries. The session appends an entry here after the entry’s transaction has committed. */
  readonly entries: StoredEntry[]
  /** The newest progress message of each tool that runs now, by the call’s id. */
  readonly progress: Record<string, string> = {}
  /** True once part of the streaming text is stored. */
  isPartialSaved = false
  /** Settles when the work on the run has ended. It never rejects. */
  ended: Promise<void> = Promise.resolve()

  #isOver = false
  #profile: RunProfile | undefined
  #earlier: StoredEntry[] | undefined
  #failed: { models: readonly string[]; standIn: string } | undefined
  #locks = new CallLocks()
  #abort = new AbortController()
  #modelAbort = new AbortController()
  #abortedBy = 'jarvis'
  #endedBecause: string | undefined
  #showOpening: (() => void) | undefined
  #partial: { text: string; thinking: string }
  #notice: Notice | undefined

  /** @param begun.taken the run’s stored entries, if the run is resumed after a restart */
  constructor(
    session: RunSession,
    row: RunRow & { position: number; partial?: string },
    { origin, taken = [] }: { origin: Origin; taken?: StoredEntry[] },
  ) {
    this.session = session
    this.row = row
    this.origin = origin
    this.agent = origin.kind === 'child' ? origin.agent : session.agent
    this.entries = taken
    this.#partial = { text: row.partial ?? '', thinking: '' }
    // Turn off Node's warning about many listeners: each call of a reply adds one to the signal.
    setMaxListeners(0, this.#abort.signal)
  }

  get id(): string {
    return this.row.id
  }

  /** Stores an entry, and shows it to watchers after the commit. */
  append(draft: Draft & Given): StoredEntry {
    return this.session.append(this, draft)
  }

  /** Stores an entry. Call `show` after the commit: it adds the entry to the run and shows it to watchers. */
  keep(draft: Draft & Given): { entry: StoredEntry; show(): void } {
    return this.session.keep(this, draft)
  }

  emit(event: keyof ChatEvents, payload: object): void {
    this.session.emit(this.row.id, event, payload)
  }

  /**
   * Returns the run’s profile. `make` creates it when work on the run begins, so that a run that waited in the queue uses the settings of that time.
   */
  profile(make: () => RunProfile): RunProfile {
    this.#profile ??= make()
    return this.#profile
  }

  /** Returns the entries of earlier runs that the model is given. `read` reads them at the first call and again after each fold. */
  earlier(read: () => StoredEntry[]): StoredEntry[] {
    this.#earlier ??= read()
    return this.#earlier
  }

  /** Makes `earlier` read again, because a fold has changed the entries that the model is given. */
  forgetEarlier(): void {
    this.#earlier = undefined
  }

  /** Ids of the models that failed in this run, and the id of the model that answers instead. Not kept over a restart. */
  get failed(): { models: readonly string[]; standIn: string } | undefined {
    return this.#failed
  }

  /** Lets the model `standIn` answer from now on. @param models all that failed in this run */
  standInFor(models: readonly string[], standIn: string): void {
    this.#failed = { models, standIn }
  }

  /** The locks of calls in progress. A child run shares the locks of its parent run. */
  get locks(): CallLocks {
    return this.#locks
  }

  shareLocks({ locks }: Run): void {
    this.#locks = locks
  }

  /** Stores the function that shows the first entries. These entries were stored with the message, before the work on the run began. */
  opens(show: () => void): void {
    this.#showOpening = show
  }

  showOpening(): void {
    this.#showOpening?.()
  }

  /** True if the run’s end is stored, or is part of the transaction that is open now. */
  get isOver(): boolean {
    return this.#isOver
  }

  markOver(): void {
    this.#isOver = true
  }

  /** True if the last entry of the run is stored and committed. */
  get hasEnded(): boolean {
    const type = this.entries.at(-1)?.type
    return type === 'done' || type === 'error'
  }

  /** Aborts when the run is stopped; not when the server stops. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Aborts when the run is stopped, and when the server stops: the next start then resumes the run. */
  get modelSignal(): AbortSignal {
    return this.#modelAbort.signal
  }

  get isStopped(): boolean {
    return this.#abort.signal.aborted
  }

  /** True if the server is stopping and the run was not stopped itself: the next start resumes it. */
  get isLeft(): boolean {
    return this.#modelAbort.signal.aborted && !this.#abort.signal.aborted
  }

  get abortedBy(): string {
    return this.#abortedBy
  }

  /** Why JARVIS stopped the run: its asker may not ask any more. Undefined for any other run. */
  get endedBecause(): string | undefined {
    return this.#endedBecause
  }

  /** Stops the run. Before this call, store the status `stopping`, so that the stop survives a crash. */
  halt(by: string, because?: string): void {
    this.#abortedBy = by
    this.#endedBecause = because ?? this.#endedBecause
    this.#abort.abort()
    this.#modelAbort.abort()
  }

  /** Stops the run when its stop, or the outcome of one of its calls, could not be stored. Does not abort the model’s stream. */
  haltCalls(): void {
    this.#abort.abort()
  }

  /** Ends the model's stream, because the server stops. */
  leave(): void {
    this.#modelAbort.abort()
  }

  /** The text and thinking of the current turn that have streamed so far. */
  get partial(): Readonly<{ text: string; thinking: string }> {
    return this.#partial
  }

  /**
   * Adds streamed text and shows it. The partial text grows with each event, so that the text in a snapshot matches the snapshot’s `seq`. The text
   * of a child run is not streamed but shown whole at its end, because the stream belongs to the run that a person reads.
   */
  stream(kind: 'text' | 'thinking', text: string): void {
    this.#partial[kind] += text
    if (this.origin.kind !== 'child') this.emit(kind === 'text' ? 'chat:token' : 'chat:thinking', { text })
  }

  /** Turns the text streamed so far into thinking. */
  takeBack(): void {
    if (this.#partial.text === '') return
    this.#partial.thinking += this.#partial.text
    this.#partial.text = ''
    if (this.origin.kind !== 'child') this.emit('chat:taken_back', {})
  }

  /** Clears the streamed text and the notice, because their turn is about to be stored. */
  endTurn(): void {
    this.#partial.text = ''
    this.#partial.thinking = ''
    this.#notice = undefined
  }

  /** Returns and clears the text that had streamed when the previous process stopped; empty if there is none. */
  takePartialText(): string {
    const { text } = this.#partial
    this.#partial.text = ''
    return text
  }

  /** The newest notice about the present turn. `retryAt`: Unix ms. */
  get notice(): Notice | undefined {
    return this.#notice
  }

  /** Shows a notice until the present turn is stored. */
  tell(message: string): void {
    this.#notice = { message }
    this.emit('chat:notice', { message })
  }

  /** Shows that the model is asked again in `retryInMs`. */
  tellRetry(message: string, retryInMs: number, now: number): void {
    this.#notice = { message, retryAt: now + retryInMs }
    this.emit('chat:notice', { message, retryInMs })
  }

  endNotice(): void {
    this.#notice = undefined
  }

  /** Shows a tool’s progress message. */
  report(toolUseId: string, message: string): void {
    this.progress[toolUseId] = message
    this.emit('chat:tool_progress', { toolUseId, message })
  }
}
