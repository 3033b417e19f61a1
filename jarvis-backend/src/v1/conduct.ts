import type { ServerResponse } from 'node:http'
import type { Ended, Writer } from 'openai-door/answer'
import type { Manner } from 'openai-door/headers'
import type { Card } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import type { Answering } from './ask.ts'
import type { AskedStore } from './asked.ts'
import { type FollowParts, followRun } from './follow.ts'
import type { Listeners } from './listeners.ts'

/** Interval between signs of life to a waiting program, ms. */
const beatMs = 10_000
/** Time for which an answer in one piece waits for a person. If a card still waits then, the answer says so, ms. */
const patienceMs = 240_000

export type ConductParts = FollowParts & {
  asked: Pick<AskedStore, 'delivered'>
  listeners: Listeners
  clock: Clock
  /** Aborts when the server stops. */
  stopping: AbortSignal
  report(error: unknown, message: string): void
}

/** The response to which an answer is written. */
export type Recipient = {
  response: ServerResponse
  /** Name of the token. */
  token: string
  manner: Manner
  /** True: the answer is sent in one piece. False: it is streamed. */
  isWhole: boolean
  writer: Writer
}

/** Follows a run and writes its answer to one response. Sends signs of life, and stores that the whole answer was sent. */
export type Conduct = (answering: Answering, recipient: Recipient) => void

export const createConduct =
  (parts: ConductParts): Conduct =>
  (answering, recipient) =>
    new ConductedAnswer(parts, answering, recipient).begin()

/** One answer of a run, from the beginning to the end of its response. */
class ConductedAnswer {
  readonly #parts: ConductParts
  readonly #answering: Answering
  readonly #recipient: Recipient
  readonly #leave: (isKept: boolean) => void
  /** Waiting cards, by `toolUseId`. */
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
    // `#ended` may be called before `followRun` returns.
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

  /** Follows the earlier run of the session until it ends. Writes its text, unless another response already follows that run. */
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
