import {
  type AnswerBody,
  type Asking,
  JarvisError,
  type Question,
  type QuestionResolution,
  type QuestionRow,
} from 'protocol'
import type { Draft } from '../../agent/sessions/transcript-store.ts'
import { legible } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { CallContext } from '../call.ts'
import type { Journal, Transactions } from '../ports.ts'
import { checkedAnswer } from './check-answer.ts'
import type { QuestionStore, StoredQuestion } from './question.ts'
import { Turns } from './turns.ts'

/** Time until a question expires, ms. An expired question counts as unanswered. */
export const unansweredAfterMs = 24 * 60 * 60_000
const retryEveryMs = 5_000

export type AnswerRequest = AnswerBody & {
  questionId: string
  /** If given, it must be the session of the question. */
  sessionId?: string
  by: string
  /** Makes repeated requests safe: `isAnswered` tells if the request was done before, and `remember` stores that in the same transaction. */
  once?: { isAnswered(): boolean; remember(): void }
}
type Asker = Pick<CallContext, 'sessionId' | 'runId' | 'principal' | 'append' | 'abortedBy'>

export interface Questions {
  /**
   * Asks, and waits until the question ends. A session has one open question at a time; the next one waits. A call that is resumed after a restart
   * continues with the question that it had asked.
   * @throws the signal's reason if the signal aborts before the question is shown
   */
  ask(asking: Asking, asker: Asker, call: { toolUseId: string; signal: AbortSignal }): Promise<QuestionResolution>
  /** Answers a question. @throws JarvisError `not_found`, `already_decided`, `expired`, `invalid_request`, `shutting_down` */
  answer(request: AnswerRequest): void
  /** Lists the waiting questions of one session, or of all. */
  open(sessionId?: string): Question[]
  /** Returns how many questions wait, by session. */
  openCounts(): Map<string, number>
  /** Lists waiting questions and questions that ended since `since`, Unix ms. */
  list(since: number): QuestionRow[]
  /**
   * Withdraws questions for which no call waits any more: those of runs that are not resumed, and those of attached servers. Called once at each
   * start. @param goesOn returns true if the run is resumed
   */
  leave(goesOn: (sessionId: string, runId: string) => boolean): void
  /** Stops the timers. The next start of JARVIS continues with the waiting questions. */
  stop(): void
}

type Waiting = { asker: Asker; disarm(): void; wake(resolution: QuestionResolution): void }
type Ended = QuestionResolution & { at: number }

export type QuestionParts = {
  store: QuestionStore
  journal: Journal
  transactions: Transactions
  clock: Clock
  redactor: { text(text: string): string; value<T>(value: T): T }
  /** Adds an entry to a session's transcript while none of its runs is active. */
  note(sessionId: string, runId: string, entry: Resolved): void
  /** Called after each change of the list. */
  changed(sessionId: string): void
  isStopping(): boolean
  report(error: unknown, message: string): void
}

/** Questions to a person. Questions are separate from confirmation cards: an answer never approves a call. */
export class OpenQuestions implements Questions {
  readonly #parts: QuestionParts
  readonly #turns: Turns
  /** The waiting calls, by question. */
  readonly #waiting = new Map<string, Waiting>()

  constructor(parts: QuestionParts) {
    this.#parts = parts
    this.#turns = new Turns((sessionId) => parts.store.open(sessionId).length > 0)
  }

  async ask(
    asking: Asking,
    asker: Asker,
    { toolUseId, signal }: { toolUseId: string; signal: AbortSignal },
  ): Promise<QuestionResolution> {
    const { store, transactions } = this.#parts
    const known = asking.server === undefined ? store.ofCall(toolUseId) : undefined
    if (known?.resolution !== undefined) {
      const { at: _, ...ended } = known.resolution
      if (!known.isTold) {
        transactions.atomically(() => {
          store.tell(known.question.questionId)
          asker.append(resolvedOf(known.question, ended))
        })
      }
      return ended
    }
    if (known !== undefined) return this.#attend(known, asker, signal)
    await this.#turns.next(asker.sessionId, signal)
    try {
      return await this.#attend(this.#begin(asking, asker, toolUseId), asker, signal)
    } finally {
      this.#turns.ended(asker.sessionId)
    }
  }

  answer({ questionId, sessionId, by, once, ...body }: AnswerRequest): void {
    const { store, clock, redactor, isStopping } = this.#parts
    if (once?.isAnswered()) return
    if (isStopping()) throw new JarvisError('shutting_down', 'JARVIS is shutting down. Answer when it is back.')
    const known = store.get(questionId)
    if (known === undefined || (sessionId !== undefined && known.sessionId !== sessionId))
      throw new JarvisError('not_found', 'There is no such question in this session.')
    const { resolution } = known
    if (resolution?.end === 'unanswered') throw new JarvisError('expired', 'Nobody answered within a day.')
    if (resolution?.end === 'withdrawn')
      throw new JarvisError('expired', 'The question was withdrawn and needs no answer.')
    if (resolution !== undefined)
      throw new JarvisError('already_decided', `The question was ${resolution.end} before, by ${resolution.by}.`)
    if (clock.now() >= known.question.expiresAt) {
      this.#resolve(known, this.#endedBy('unanswered'))
      throw new JarvisError('expired', 'Nobody answered within a day.')
    }
    const checked = redactor.value(checkedAnswer(known.question, body))
    const isFirst = this.#resolve(known, { ...checked, by, at: clock.now() }, { besides: once?.remember })
    if (!isFirst) throw new JarvisError('already_decided', 'The question was answered before.')
  }

  open(sessionId?: string): Question[] {
    return this.#parts.store.open(sessionId).map(({ question }) => question)
  }

  openCounts(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { sessionId } of this.#parts.store.open()) counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1)
    return counts
  }

  list(since: number): QuestionRow[] {
    return this.#parts.store.list(since)
  }

  leave(goesOn: (sessionId: string, runId: string) => boolean): void {
    for (const stored of this.#parts.store.open()) {
      if (stored.question.server !== undefined || !goesOn(stored.sessionId, stored.runId))
        this.#resolve(stored, this.#endedBy('withdrawn'), { isOver: true })
    }
  }

  stop(): void {
    for (const { disarm } of this.#waiting.values()) disarm()
    this.#waiting.clear()
  }

  #begin(asking: Asking, asker: Asker, toolUseId: string): StoredQuestion {
    const { store, journal, transactions, clock, redactor, changed } = this.#parts
    const createdAt = clock.now()
    const question: Question = {
      questionId: newId('qu'),
      toolUseId,
      ...redactor.value(legibleAsking(asking)),
      requestedBy: asker.principal,
      createdAt,
      expiresAt: createdAt + unansweredAfterMs,
    }
    const { sessionId, runId } = asker
    transactions.durably(() => {
      store.add({ question, sessionId, runId })
      journal.append('question', { change: 'asked', questionId: question.questionId, sessionId, ...aboutOf(question) })
      asker.append({ type: 'question', ...question })
    })
    changed(sessionId)
    return { question, sessionId, runId, isTold: false }
  }

  /** Waits until an open question ends. */
  #attend(stored: StoredQuestion, asker: Asker, signal: AbortSignal): Promise<QuestionResolution> {
    let withdraw = () => {}
    return new Promise<QuestionResolution>((wake, reject) => {
      const { question } = stored
      this.#waiting.set(question.questionId, { asker, wake, disarm: this.#endAt(question) })
      withdraw = () => {
        try {
          this.#resolve(stored, this.#endedBy('withdrawn', asker.abortedBy()))
        } catch (error) {
          reject(error)
        }
      }
      if (signal.aborted) withdraw()
      else signal.addEventListener('abort', withdraw, { once: true })
    }).finally(() => signal.removeEventListener('abort', withdraw))
  }

  /**
   * Ends a question; the first end wins. @returns false if the question had ended before
   * @param more `besides`: done in the same transaction. `isOver`: no run is active, so the end is added to the transcript directly
   */
  #resolve(
    { question, sessionId, runId }: StoredQuestion,
    resolution: Ended,
    { besides, isOver = false }: { besides?: (() => void) | undefined; isOver?: boolean } = {},
  ): boolean {
    const { store, journal, transactions, note, changed } = this.#parts
    const { questionId } = question
    const waits = this.#waiting.get(questionId)
    const { at: _, ...ended } = resolution
    const isFirst = transactions.durably(() => {
      if (!store.resolve(questionId, resolution, waits !== undefined || isOver)) return false
      journal.append('question', { change: ended.end, questionId, sessionId, ...aboutOf(question), ...ended })
      waits?.asker.append(resolvedOf(question, ended))
      if (isOver) note(sessionId, runId, resolvedOf(question, ended))
      besides?.()
      return true
    })
    if (!isFirst) return false
    this.#waiting.delete(questionId)
    waits?.disarm()
    waits?.wake(ended)
    changed(sessionId)
    // A question that was asked before a restart holds no turn, so the next asker is called here.
    this.#turns.ended(sessionId)
    return true
  }

  #endedBy(end: QuestionResolution['end'], by = 'jarvis'): Ended {
    return { end, by, at: this.#parts.clock.now() }
  }

  /** Expires the question at its time. If the store cannot be written, tries again after a short time. @returns a function that stops the timer */
  #endAt({ questionId, expiresAt }: Pick<Question, 'questionId' | 'expiresAt'>): () => void {
    const { store, clock, report } = this.#parts
    return clock.after(Math.max(0, expiresAt - clock.now()), () => {
      const stored = store.get(questionId)
      if (stored === undefined) return
      try {
        this.#resolve(stored, this.#endedBy('unanswered'))
      } catch (error) {
        report(error, 'a question could not be ended')
        const waits = this.#waiting.get(questionId)
        if (waits !== undefined) waits.disarm = this.#endAt({ questionId, expiresAt: clock.now() + retryEveryMs })
      }
    })
  }
}

type Resolved = Extract<Draft, { type: 'question_resolved' }>

const resolvedOf = ({ questionId, toolUseId, server }: Question, resolution: QuestionResolution): Resolved => ({
  type: 'question_resolved',
  questionId,
  toolUseId,
  server,
  ...resolution,
})

/** Returns the facts about a question for the journal. */
const aboutOf = ({ toolUseId, requestedBy, server, message, url, items }: Question) => ({
  toolUseId,
  requestedBy,
  server,
  message,
  url,
  asked: items.map(({ text, options }) => ({ text, options: options.map(({ label }) => label) })),
})

/** Makes characters visible that hide or reverse text, because a model or a server wrote the question. */
const legibleAsking = ({ items, message, url, ...asking }: Asking): Asking => ({
  ...asking,
  ...(message !== undefined && { message: legible(message) }),
  ...(url !== undefined && { url: legible(url) }),
  items: items.map(({ text, options, hint, ...item }) => ({
    ...item,
    text: legible(text),
    ...(hint !== undefined && { hint: legible(hint) }),
    options: options.map(({ label, note }) => ({
      label: legible(label),
      ...(note !== undefined && { note: legible(note) }),
    })),
  })),
})
