import { JarvisError } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import { timeWithZone } from '../../lib/time-of-day.ts'
import type { IncomingText } from '../channel.ts'
import type { Transactions } from '../parts.ts'
import type { Recipient } from '../ports.ts'
import type { Say, Spoken } from '../spoken.ts'
import type { Arrival } from './arrival.ts'
import type { CurrentSession } from './current-session.ts'
import type { KeptFiles } from './kept-files.ts'
import type { Listening } from './listening.ts'
import type { OrderAnswers } from './order-answers.ts'
import { orderOf } from './orders.ts'
import type { TalkPorts } from './ports.ts'

/** Age at which a message is only answered and starts no run, ms: after an outage, messages arrive late. */
const oldAfterMs = 2 * 60_000

export type TextsParts = {
  talk: Pick<TalkPorts, 'questions' | 'answer'>
  session: Pick<CurrentSession, 'send' | 'leave' | 'idOf'>
  listening: Pick<Listening, 'problem' | 'keep'>
  files: Pick<KeptFiles, 'keep'>
  orders: Pick<OrderAnswers, 'answer'>
  clock: Pick<Clock, 'now'>
  say: Say
  database: Pick<Transactions, 'atomically'>
  signal: AbortSignal
}

/** Handles the messages that people write: as an order, a voice note, the answer to a waiting question, or a message to the model. */
export class Texts {
  readonly #parts: TextsParts

  constructor(parts: TextsParts) {
    this.#parts = parts
  }

  /**
   * Handles a message. @returns the answer to the person; undefined: no answer @throws JarvisError `shutting_down`: the channel delivers the message
   * again
   */
  async take(arrival: Arrival): Promise<Spoken | undefined> {
    const { listening, say, database, signal } = this.#parts
    const { to, incoming, advance } = arrival
    const tell = (text: string) => {
      database.atomically(advance)
      return say(text)
    }
    const why = this.#refusal(to, incoming)
    if (why !== undefined) return tell(why)
    const { voice, from, at } = incoming
    if (voice !== undefined) {
      const begin = database.atomically(() => {
        advance()
        return listening.keep(to, { thread: from.thread ?? '', file: voice.ref, at })
      })
      begin()
      return undefined
    }
    try {
      return await this.#taken(arrival)
    } catch (error) {
      // If JARVIS stops, the service delivers the update again.
      if (signal.aborted || (error instanceof JarvisError && error.code === 'shutting_down')) throw error
      return tell(error instanceof Error ? error.message : 'That failed.')
    }
  }

  /** The reason why a message is not handled, as a sentence for the person; undefined if it is handled. */
  #refusal({ talks }: Recipient, { at, voice }: IncomingText): string | undefined {
    const { listening, clock } = this.#parts
    if (!talks) return 'Conversation is off here. Switch it on in the dashboard: Settings, Channels.'
    if (clock.now() - at > oldAfterMs)
      return `You wrote this at ${timeWithZone(at)}, and it arrived late, so nothing was done. Send it again if it still counts.`
    return voice && listening.problem(voice)
  }

  async #taken(arrival: Arrival): Promise<Spoken | undefined> {
    const { session, orders, say, database } = this.#parts
    const { to, incoming, advance } = arrival
    const { thread = '' } = incoming.from
    // A forwarded message gives no order, because its words are another person's.
    const order = isForwarded(incoming) ? undefined : orderOf(incoming.text)
    if (order === undefined) return this.#answered(arrival) ?? (await this.#sent(arrival, incoming.text, false))
    if (order.does !== 'new') return orders.answer(order, arrival)
    if (order.rest !== '' || hasFiles(incoming)) return this.#sent(arrival, order.rest, true)
    database.atomically(() => {
      session.leave(to, thread)
      advance()
    })
    return say('The next message begins a new conversation.')
  }

  /** Takes a text as the answer to the question that waits in the current session. @returns undefined if no question waits */
  #answered({ to, incoming, advance }: Arrival): Spoken | undefined {
    const { talk, session, say } = this.#parts
    const sessionId = session.idOf(to, incoming.from.thread ?? '')
    const said = incoming.text.trim()
    const isOnlyText = !hasFiles(incoming) && !hasForeign(incoming)
    if (sessionId === undefined || !isOnlyText || said === '' || said.startsWith('/')) return undefined
    const question = talk.questions(sessionId).find(({ server }) => server === undefined)
    if (question === undefined) return undefined
    talk.answer({ questionId: question.questionId, by: to.person, said, remember: advance })
    return say('Taken as your answer.')
  }

  /** Sends a message to the model. @param written the person's own words, without the order before them */
  async #sent(arrival: Arrival, written: string, isNew: boolean): Promise<Spoken | undefined> {
    const { session, files, say, database } = this.#parts
    const { to, kind, incoming, advance } = arrival
    const { thread = '', chat } = incoming.from
    const attachments = await files.keep(incoming, to)
    const words = written.trim()
    if (words === '' && attachments.length === 0) {
      database.atomically(advance)
      return say('JARVIS takes text, pictures, text files and voice notes.')
    }
    // The words of other people are never the text of the message itself.
    const text = words !== '' ? words : hasForeign(incoming) ? 'I forward you this.' : 'Look at this.'
    const message = { thread, text, attachments, isNew, requestId: `${kind.id} ${chat} ${incoming.ref}` }
    let isTaken = false
    const remember = () => {
      advance()
      isTaken = true
    }
    const { isQueued } = session.send(message, { to, kind, remember })
    // A repeated delivery starts no run, so `remember` was not called. The update is marked as handled here.
    if (!isTaken) database.atomically(advance)
    return isQueued
      ? say('It waits until the answer before it is done. /stop ends that answer and holds this message.')
      : undefined
  }
}

const hasFiles = ({ files = [] }: IncomingText) => files.length > 0
const hasForeign = ({ foreign = [] }: IncomingText) => foreign.length > 0
const isForwarded = ({ foreign = [] }: IncomingText) => foreign.some(({ how }) => how === 'forwarded')
