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

/** Follows a run for one response: keeps it alive, and remembers whether the answer was sent to its end. */
export function createConduct(
  parts: FollowParts & {
    asked: Pick<AskedStore, 'delivered'>
    listeners: ReturnType<typeof createListeners>
    clock: Clock
    /** Aborts when the server stops. */
    stopping: AbortSignal
    report(error: unknown, message: string): void
  },
) {
  const { clock, asked, stopping } = parts

  return function conduct(
    { sessionId, runId, outlives, isNew, ahead }: Answering,
    {
      response,
      token,
      manner,
      isWhole,
      writer,
    }: {
      response: ServerResponse
      token: string
      manner: Manner
      /** The answer is sent in one piece. */
      isWhole: boolean
      writer: Writer
    },
  ): void {
    const leave = parts.listeners.join({ sessionId, runId, token })
    const cards = new Map<string, Card>()
    let isImpatient = manner === 'pending'
    let isOver = false
    let followed = { end() {}, check() {} }
    let disarmBeat = () => {}
    let disarmPatience = () => {}

    const finish = (isKept: boolean) => {
      isOver = true
      followed.end()
      disarmBeat()
      disarmPatience()
      stopping.removeEventListener('abort', onStopping)
      leave(isKept)
    }
    const mayAnswerNow = () => {
      if (isOver || !isImpatient || cards.size === 0) return
      finish(true)
      writer.later([...cards.values()])
    }
    const onStopping = () => {
      if (isOver) return
      finish(true)
      const message = 'JARVIS is shutting down. Ask the same again in a moment: the answer goes on where it was.'
      writer.ended({ type: 'failed', code: 'shutting_down', message, text: '', usage: noTokens, hasChanged: false })
    }
    const beat = () => {
      disarmBeat = clock.after(beatMs, () => {
        followed.check()
        if (isOver) return
        writer.beat()
        beat()
      })
    }
    const waits = (card: Card) => {
      cards.set(card.toolUseId, card)
      writer.waits(card)
      mayAnswerNow()
    }
    const followOwn = () => {
      // An end can be told before `followRun` returns.
      const own = followRun(
        parts,
        { sessionId, runId, isNew },
        {
          text: writer.text,
          thinking: writer.thinking,
          entry: writer.entry,
          waits,
          ended(end) {
            finish(true)
            response.once('finish', () => {
              try {
                asked.delivered(runId)
              } catch (error) {
                parts.report(error, `that the answer of ${runId} was sent could not be stored`)
              }
            })
            writer.ended(end)
          },
        },
      )
      if (isOver) own.end()
      else followed = own
    }
    /** Tells how the run before it ended, whose program was told that it waits. */
    const followAhead = (first: string) => {
      const isHeardElsewhere = parts.listeners.isHeard(first)
      const before = followRun(
        parts,
        { sessionId, runId: first },
        {
          text() {},
          thinking() {},
          waits,
          ended(end) {
            cards.clear()
            if (!isHeardElsewhere && end.text !== '') writer.before(end.text)
            queueMicrotask(() => {
              if (!isOver) followOwn()
            })
          },
        },
      )
      if (!isOver) followed = before
    }

    response.once('close', () => {
      if (!isOver) finish(outlives)
    })
    if (stopping.aborted) {
      onStopping()
      return
    }
    stopping.addEventListener('abort', onStopping, { once: true })
    beat()
    if (isWhole && manner === undefined)
      disarmPatience = clock.after(patienceMs, () => {
        isImpatient = true
        mayAnswerNow()
      })
    if (ahead === undefined) followOwn()
    else followAhead(ahead)
  }
}

const noTokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
