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

/** How long a question waits for an answer, ms. Silence never answers it. */
export const unansweredAfterMs = 24 * 60 * 60_000
const retryEveryMs = 5_000

export type AnswerRequest = AnswerBody & {
  questionId: string
  /** If given, it must be the question's own session. */
  sessionId?: string
  by: string
  /** For repeated requests; `remember` stores the answer in the same transaction. */
  once?: { isAnswered(): boolean; remember(): void }
}
type Asker = Pick<CallContext, 'sessionId' | 'runId' | 'principal' | 'append' | 'abortedBy'>

export interface Questions {
  /**
   * Asks, and waits for the end of the question. A session has one open question at a time; the next waits for its turn. A call that
   * is taken up after a restart goes on with the question that it asked before.
   * @throws the signal's reason if it aborts before the question is shown
   */
  ask(asking: Asking, asker: Asker, call: { toolUseId: string; signal: AbortSignal }): Promise<QuestionResolution>
  /** @throws JarvisError `not_found`, `already_decided`, `expired`, `invalid_request`, `shutting_down` */
  answer(request: AnswerRequest): void
  /** Lists the questions that wait: of one session, or all. */
  open(sessionId?: string): Question[]
  /** Lists questions that wait and questions that ended since `since`, Unix ms. */
  list(since: number): QuestionRow[]
  /** Withdraws the questions that no call waits for any more: of runs that do not go on, and of attached servers. Called once a start. */
  leave(goesOn: (sessionId: string, runId: string) => boolean): void
  /** Ends the timers. The next start takes over the questions that wait. */
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
  /** Adds a line to a session's transcript when no run of it is at work. */
  note(sessionId: string, runId: string, entry: Resolved): void
  /** Told after each change of the list. */
  changed(sessionId: string): void
  isStopping(): boolean
  report(error: unknown, message: string): void
}

/** Questions to a person. They are kept beside the cards and know nothing of them: an answer lets nothing run. */
export class OpenQuestions implements Questions {
  readonly #parts: QuestionParts
  readonly #turns: Turns
  /** The calls that wait, by question. */
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

  /** Waits for the end of a question that is open. */
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
   * Ends a question; the first end wins. @returns false if it had ended before
   * @param more `besides`: done in the same transaction. `isOver`: no run is at work, so the transcript gets a line of its own.
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
    // Nobody holds the turn of a question that was asked before a restart.
    this.#turns.ended(sessionId)
    return true
  }

  #endedBy(end: QuestionResolution['end'], by = 'jarvis'): Ended {
    return { end, by, at: this.#parts.clock.now() }
  }

  /** Ends the question at its time. Tries again soon when the store cannot write. @returns ends the timer */
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

/** The journal's record of a question. */
const aboutOf = ({ toolUseId, requestedBy, server, message, url, items }: Question) => ({
  toolUseId,
  requestedBy,
  ...(server !== undefined && { server }),
  ...(message !== undefined && { message }),
  ...(url !== undefined && { url }),
  asked: items.map(({ text, options }) => ({ text, options: options.map(({ label }) => label) })),
})

/** A model or a server wrote the question, so characters that hide or turn text are made visible. */
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
