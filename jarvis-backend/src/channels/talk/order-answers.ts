import type { Say, Spoken } from '../spoken.ts'
import type { Arrival } from './arrival.ts'
import type { CurrentSession } from './current-session.ts'
import { waitingLines } from './messages.ts'
import { helpLines, type Order } from './orders.ts'
import type { HeldMessage, TalkPorts } from './ports.ts'
import type { TalkOutbox } from './talk-outbox.ts'

/** Longest answer to an order, characters. */
const mostChars = 1_500
/** Longest part of a held message that is repeated, characters. */
const mostHeldChars = 200

/** Answers the orders of a chat, such as `/status`, without a model. */
export function createOrderAnswers(parts: {
  house: Pick<TalkPorts, 'status' | 'waiting'>
  session: Pick<CurrentSession, 'stop' | 'held'>
  outbox: Pick<TalkOutbox, 'put'>
  say: Say
  atomically<T>(work: () => T): T
  look(): void
  publicUrl: string | undefined
}) {
  const { house, say, publicUrl } = parts

  /** @returns what the person is told; undefined: silence */
  return (order: Exclude<Order, { does: 'new' }>, { to, incoming, advance }: Arrival): Spoken | undefined => {
    const { thread = '' } = incoming.from
    const take = (text: string) => {
      parts.atomically(advance)
      return say(text, mostChars)
    }
    switch (order.does) {
      case 'help':
        return take(helpLines.join('\n'))
      case 'status':
        return take(house.status(to.person))
      case 'waiting': {
        const link = publicUrl === undefined ? [] : [new URL('/waiting', publicUrl).href]
        return take([...waitingLines(house.waiting(), to.hidesNames), ...link].join('\n'))
      }
      case 'sessions':
        parts.atomically(() => {
          parts.outbox.put(to, `talk:sessions:${thread}:${incoming.ref}`, { what: 'sessions', thread })
          advance()
        })
        parts.look()
        return undefined
      case 'stop': {
        const isStopped = parts.session.stop(to, thread)
        const held = parts.session.held(to, thread)
        if (held.length > 0) return take(heldWords(held))
        if (!isStopped) return take('Nothing goes on here.')
        // A stopped answer says so itself.
        parts.atomically(advance)
        return undefined
      }
      case 'send':
      case 'drop': {
        const held = parts.session.held(to, thread)
        if (held.length === 0) return take('No message is held here.')
        for (const message of held) message[order.does]()
        const what = held.length === 1 ? 'The held message' : `${held.length} held messages`
        return take(
          order.does === 'send'
            ? `${what}: sent.`
            : `${what}: removed. Nothing of ${held.length === 1 ? 'it' : 'them'} was done.`,
        )
      }
      default:
        return order.does satisfies never
    }
  }
}
/** The messages that a stop holds, and the lines that send or remove them. */
export const heldWords = (held: readonly HeldMessage[]): string => {
  const short = (text: string) => (text.length > mostHeldChars ? `${text.slice(0, mostHeldChars)}…` : text)
  return [
    'Held, not sent. Nothing of it was done:',
    ...held.map(({ text }, at) => `${at + 1}. ${short(text)}`),
    held.length === 1 ? '/send sends it, /drop removes it.' : '/send sends them, /drop removes them.',
  ].join('\n')
}

export type OrderAnswers = ReturnType<typeof createOrderAnswers>
