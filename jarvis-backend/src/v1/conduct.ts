import type { ServerResponse } from 'node:http'
import type { Card, Entry } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import type { Answering } from './ask.ts'
import type { AskedStore } from './asked.ts'
import { type Ended, type FollowParts, followRun } from './follow.ts'
import type { createListeners } from './listeners.ts'

/** How often a program that waits is shown a sign of life, ms. */
const beatMs = 10_000
/** How long a whole answer waits for a person before it says so instead, ms. */
const patienceMs = 240_000

/** Writes the answer of a run in the form of one API. */
export type Writer = {
  /** Tells the outcome of the previous run, if its program was told that a card waits. */
  before(text: string): void
  text(delta: string): void
  thinking(delta: string): void
  /** A card waits for a person. */
  waits(card: Card): void
  /** Nothing was said for a while. */
  beat(): void
  /** An entry of the run, after the text of it was told. */
  entry?(entry: Entry): void
  /** The run goes on, and its answer can be asked for later. */
  later(cards: readonly Card[]): void
  ended(end: Ended): void
}

/** `pending`: answer as soon as a card waits. `wait`: never before the end. */
export type Manner = 'pending' | 'wait' | undefined

export type ConductParts = FollowParts & {
  asked: Pick<AskedStore, 'delivered'>
  listeners: ReturnType<typeof createListeners>
  clock: Clock
  /** Aborts when the server stops. */
  stopping: AbortSignal
  report(error: unknown, message: string): void
}

/** The response that an answer is written to. */
export type Recipient = {
  response: ServerResponse
  /** Name of the token. */
  token: string
  manner: Manner
  /** The answer is sent in one piece. */
  isWhole: boolean
  writer: Writer
}

/** Follows a run for one response: keeps it alive, and remembers whether the answer was sent to its end. */
export type Conduct = (answering: Answering, recipient: Recipient) => void

export const createConduct =
  (parts: ConductParts): Conduct =>
  (answering, recipient) =>
    new ConductedAnswer(parts, answering, recipient).begin()

/** One answer of a run, from the request to the end of its response. */
class ConductedAnswer {
  readonly #parts: ConductParts
  readonly #answering: Answering
  readonly #recipient: Recipient
  readonly #leave: (isKept: boolean) => void
  /** Cards that wait, by `toolUseId`. */
  readonly #cards = new Map<string, Card>()
  /** True if the answer ends as soon as a card waits. */
  #isImpatient: boolean
  #isOver = false
  #followed = { end() {}, check() {} }
  #disarmBeat = () => {}
  #disarmPatience = () => {}

  constructor(parts: ConductParts, answering: Answering, recipient: Recipient) {
    const { sessionId, runId } = answering
    this.#parts = parts
    this.#answering = answering
    this.#recipient = recipient
    this.#leave = parts.listeners.join({ sessionId, runId, token: recipient.token })
    this.#isImpatient = recipient.manner === 'pending'
  }

  begin(): void {
    const { clock, stopping } = this.#parts
    const { response, isWhole, manner } = this.#recipient
    const { ahead, outlives } = this.#answering
    response.once('close', () => {
      if (!this.#isOver) this.#finish(outlives)
    })
    if (stopping.aborted) {
      this.#onStopping()
      return
    }
    stopping.addEventListener('abort', this.#onStopping, { once: true })
    this.#beat()
    if (isWhole && manner === undefined)
      this.#disarmPatience = clock.after(patienceMs, () => {
        this.#isImpatient = true
        this.#mayAnswerNow()
      })
    if (ahead === undefined) this.#followOwn()
    else this.#followAhead(ahead)
  }

  #finish(isKept: boolean): void {
    this.#isOver = true
    this.#followed.end()
    this.#disarmBeat()
    this.#disarmPatience()
    this.#parts.stopping.removeEventListener('abort', this.#onStopping)
    this.#leave(isKept)
  }

  #mayAnswerNow(): void {
    if (this.#isOver || !this.#isImpatient || this.#cards.size === 0) return
    this.#finish(true)
    this.#recipient.writer.later([...this.#cards.values()])
  }

  readonly #onStopping = (): void => {
    if (this.#isOver) return
    this.#finish(true)
    const message = 'JARVIS is shutting down. Ask the same again in a moment: the answer goes on where it was.'
    const { writer } = this.#recipient
    writer.ended({ type: 'failed', code: 'shutting_down', message, text: '', usage: noTokens, hasChanged: false })
  }

  #beat(): void {
    this.#disarmBeat = this.#parts.clock.after(beatMs, () => {
      this.#followed.check()
      if (this.#isOver) return
      this.#recipient.writer.beat()
      this.#beat()
    })
  }

  readonly #waits = (card: Card): void => {
    this.#cards.set(card.toolUseId, card)
    this.#recipient.writer.waits(card)
    this.#mayAnswerNow()
  }

  #followOwn(): void {
    const { sessionId, runId, isNew } = this.#answering
    const { writer } = this.#recipient
    // An end can be told before `followRun` returns.
    const own = followRun(
      this.#parts,
      { sessionId, runId, isNew },
      {
        text: writer.text,
        thinking: writer.thinking,
        entry: writer.entry,
        waits: this.#waits,
        ended: (end) => this.#ended(end),
      },
    )
    if (this.#isOver) own.end()
    else this.#followed = own
  }

  #ended(end: Ended): void {
    const { asked, report } = this.#parts
    const { runId } = this.#answering
    const { response, writer } = this.#recipient
    this.#finish(true)
    response.once('finish', () => {
      try {
        asked.delivered(runId)
      } catch (error) {
        report(error, `that the answer of ${runId} was sent could not be stored`)
      }
    })
    writer.ended(end)
  }

  /** Tells how the run before it ended, if its program was told that the run waits. */
  #followAhead(first: string): void {
    const isHeardElsewhere = this.#parts.listeners.isHeard(first)
    const before = followRun(
      this.#parts,
      { sessionId: this.#answering.sessionId, runId: first },
      {
        text() {},
        thinking() {},
        waits: this.#waits,
        ended: (end) => {
          this.#cards.clear()
          if (!isHeardElsewhere && end.text !== '') this.#recipient.writer.before(end.text)
          queueMicrotask(() => {
            if (!this.#isOver) this.#followOwn()
          })
        },
      },
    )
    if (!this.#isOver) this.#followed = before
  }
}

const noTokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
