import { setMaxListeners } from 'node:events'
import type { ChatEvents, Effort } from 'protocol'
import type { AnswerFormat, ToolChoice, ToolSpec } from './model.ts'
import type { Origin } from './origin.ts'
import { CallLocks } from './run/call-locks.ts'
import type { Draft, Given, StoredEntry } from './sessions/entries.ts'
import type { RunRow } from './sessions/transcript-store.ts'

/** The prompt, tools and settings of a run. They stay the same to its end: a model's thinking must not continue under other instructions. */
export type RunProfile = {
  prompt: string
  tools: readonly ToolSpec[]
  /** How much the model thinks; absent: as the settings say. */
  effort?: Effort
  /** Sent to models that take a temperature. */
  temperature?: number
  /** Most tokens of each reply; absent: as the model's settings say. */
  mostTokens?: number
  /** The tool that a program wants to be called, and the form that it wants the answer in. */
  toolChoice?: ToolChoice
  format?: AnswerFormat
  /** Most runs of history sent to the model, and most model calls of this run. */
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

/** The parts of a run by which its model, its profile and its history are chosen. */
export type RunBasis = Pick<Run, 'row' | 'origin' | 'agent' | 'entries' | 'failed' | 'profile' | 'earlier'>

type Notice = { message: string; retryAt?: number }

/**
 * A run in progress: its entries, its signals, and what screens that join in the middle are shown. The parts in `run/` decide what happens in it.
 */
export class Run {
  readonly session: RunSession
  readonly row: RunRow & { position: number }
  readonly origin: Origin
  /** The agent in whose name the run acts: its session's, or for a child run the one that was asked. */
  readonly agent: string
  /** The run's own entries. The session adds each once it is committed. */
  readonly entries: StoredEntry[]
  /** Messages of the tools that run now, by call. */
  readonly progress: Record<string, string> = {}
  /** True once part of the streaming text is stored. */
  isPartialSaved = false
  /** Settles when the run's work is over. It never rejects. */
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

  /** @param begun.taken the run's entries, if it is taken up again after a restart */
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
    // Each call of an answer listens to the signal, and there may be many.
    setMaxListeners(0, this.#abort.signal)
  }

  get id(): string {
    return this.row.id
  }

  /** Stores an entry, then shows it once it is committed. */
  append(draft: Draft & Given): StoredEntry {
    return this.session.append(this, draft)
  }

  /** Stores an entry. `show` adds it to the run and shows it; call it after the commit. */
  keep(draft: Draft & Given): { entry: StoredEntry; show(): void } {
    return this.session.keep(this, draft)
  }

  emit(event: keyof ChatEvents, payload: object): void {
    this.session.emit(this.row.id, event, payload)
  }

  /** The profile, made by `make` when the run begins to be worked on: a run that waited in the queue goes by the settings of that moment. */
  profile(make: () => RunProfile): RunProfile {
    this.#profile ??= make()
    return this.#profile
  }

  /** The entries of earlier runs that the model is given, read by `read` once after each fold. */
  earlier(read: () => StoredEntry[]): StoredEntry[] {
    this.#earlier ??= read()
    return this.#earlier
  }

  /** Lets `earlier` read again: a fold has changed what the model is given. */
  forgetEarlier(): void {
    this.#earlier = undefined
  }

  /** Ids of the models that failed in this run, and of the one that answers in their place. A restart forgets them. */
  get failed(): { models: readonly string[]; standIn: string } | undefined {
    return this.#failed
  }

  /** Lets the model `standIn` answer from now on. @param models all that failed in this run */
  standInFor(models: readonly string[], standIn: string): void {
    this.#failed = { models, standIn }
  }

  /** The locks of calls at work. A child run shares those of the run that asked for it. */
  get locks(): CallLocks {
    return this.#locks
  }

  shareLocks({ locks }: Run): void {
    this.#locks = locks
  }

  /** Keeps `show`, which shows the first entries: they were stored with the message, before the run began to be worked on. */
  opens(show: () => void): void {
    this.#showOpening = show
  }

  showOpening(): void {
    this.#showOpening?.()
  }

  /** True once the run's end is stored, or part of the open transaction. */
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

  /** Aborts when the run is stopped. */
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

  /** True if the server stops, so that the next start resumes this run. */
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

  /** Stops the run. Store its status `stopping` first, so that a crash before its end does not undo the stop. */
  halt(by: string, because?: string): void {
    this.#abortedBy = by
    this.#endedBecause = because ?? this.#endedBecause
    this.#abort.abort()
    this.#modelAbort.abort()
  }

  /** Stops the run after its stop, or a call's outcome, could not be stored. The model's stream is not aborted. */
  haltCalls(): void {
    this.#abort.abort()
  }

  /** Ends the model's stream, because the server stops. */
  leave(): void {
    this.#modelAbort.abort()
  }

  /** The words of the present turn that have streamed so far. */
  get partial(): Readonly<{ text: string; thinking: string }> {
    return this.#partial
  }

  /**
   * Adds streamed words, and shows them. The partial text grows with each event, so that a snapshot's text matches its `seq`. A child's words are
   * shown whole at the end: the stream belongs to the run that a person reads.
   */
  stream(kind: 'text' | 'thinking', text: string): void {
    this.#partial[kind] += text
    if (this.origin.kind !== 'child') this.emit(kind === 'text' ? 'chat:token' : 'chat:thinking', { text })
  }

  /** Turns the streamed text into thinking. */
  takeBack(): void {
    if (this.#partial.text === '') return
    this.#partial.thinking += this.#partial.text
    this.#partial.text = ''
    if (this.origin.kind !== 'child') this.emit('chat:taken_back', {})
  }

  /** Forgets the streamed words and the notice: their turn is about to be stored. */
  endTurn(): void {
    this.#partial.text = ''
    this.#partial.thinking = ''
    this.#notice = undefined
  }

  /** Takes the text that had streamed when the last process stopped; empty if there is none. */
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

  /** Shows the progress of a tool. */
  report(toolUseId: string, message: string): void {
    this.progress[toolUseId] = message
    this.emit('chat:tool_progress', { toolUseId, message })
  }
}
