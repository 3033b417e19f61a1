import type { Pages } from '../addresses.ts'
import type { Transactions } from '../parts.ts'
import type { Say, Spoken } from '../spoken.ts'
import type { Arrival } from './arrival.ts'
import type { CurrentSession } from './current-session.ts'
import { waitingLines } from './messages.ts'
import { helpLines, type Order } from './orders.ts'
import type { HeldMessage, TalkPorts } from './ports.ts'
import type { TalkOutbox } from './talk-outbox.ts'

/** Maximum length of the reply to a chat order such as `/status`, characters. */
const mostChars = 1_500
/** Longest part of a held message that is quoted, characters. */
const mostHeldChars = 200

export type OrderAnswersParts = {
  talk: Pick<TalkPorts, 'status' | 'waiting'>
  session: Pick<CurrentSession, 'stop' | 'held'>
  outbox: Pick<TalkOutbox, 'put'>
  say: Say
  database: Pick<Transactions, 'atomically'>
  /** Sends the messages that are due. */
  look(): void
  pages: Pages
}

/** Answers the orders of a chat, such as `/status`, without a model. */
export class OrderAnswers {
  readonly #parts: OrderAnswersParts

  constructor(parts: OrderAnswersParts) {
    this.#parts = parts
  }

  /** Answers an order. @returns the answer to the person; undefined: no answer */
  answer(order: Exclude<Order, { does: 'new' }>, { to, incoming, advance }: Arrival): Spoken | undefined {
    const { talk, session, outbox, say, database, look } = this.#parts
    const { thread = '' } = incoming.from
    const take = (text: string) => {
      database.atomically(advance)
      return say(text, mostChars)
    }
    switch (order.does) {
      case 'help':
        return take(helpLines.join('\n'))
      case 'status':
        return take(talk.status(to.person))
      case 'waiting': {
        const link = this.#parts.pages.linkTo('/waiting')
        return take([...waitingLines(talk.waiting(), to.hidesNames), ...(link === undefined ? [] : [link])].join('\n'))
      }
      case 'sessions':
        database.atomically(() => {
          outbox.put(to, `talk:sessions:${thread}:${incoming.ref}`, { what: 'sessions', thread })
          advance()
        })
        look()
        return undefined
      case 'stop': {
        const isStopped = session.stop(to, thread)
        const held = session.held(to, thread)
        if (held.length > 0) return take(heldWords(held))
        if (!isStopped) return take('Nothing goes on here.')
        // Send no answer: the stopped answer itself shows that it was stopped.
        database.atomically(advance)
        return undefined
      }
      case 'send':
      case 'drop': {
        const held = session.held(to, thread)
        if (held.length === 0) return take('No message is held here.')
        for (const message of held) message[order.does]()
        return take(endedWords(order.does, held.length))
      }
      default:
        return order.does satisfies never
    }
  }
}

function endedWords(does: 'send' | 'drop', count: number): string {
  const what = count === 1 ? 'The held message' : `${count} held messages`
  return does === 'send' ? `${what}: sent.` : `${what}: removed. Nothing of ${count === 1 ? 'it' : 'them'} was done.`
}

/** The messages that are held because the session was stopped, and the orders that send or remove them. */
export function heldWords(held: readonly HeldMessage[]): string {
  const short = (text: string) => (text.length > mostHeldChars ? `${text.slice(0, mostHeldChars)}…` : text)
  return [
    'Held, not sent. Nothing of it was done:',
    ...held.map(({ text }, at) => `${at + 1}. ${short(text)}`),
    held.length === 1 ? '/send sends it, /drop removes it.' : '/send sends them, /drop removes them.',
  ].join('\n')
}
