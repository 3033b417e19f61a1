import type { Say, Spoken } from '../spoken.ts'
import type { Arrival } from './arrival.ts'
import type { CurrentSession } from './current-session.ts'
import { waitingLines } from './messages.ts'
import { helpLines, type Order } from './orders.ts'
import type { House } from './ports.ts'
import type { TalkOutbox } from './talk-outbox.ts'

/** Longest answer to an order, characters. */
const mostChars = 1_500

/** Answers the orders of a chat, such as `/status`, without a model. */
export function createOrderAnswers(parts: {
  house: Pick<House, 'status' | 'waiting'>
  session: Pick<CurrentSession, 'stop'>
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
        // A stopped answer says so itself.
        if (!parts.session.stop(to, thread)) return take('Nothing goes on here.')
        parts.atomically(advance)
        return undefined
      }
      default:
        return order.does satisfies never
    }
  }
}
export type OrderAnswers = ReturnType<typeof createOrderAnswers>
