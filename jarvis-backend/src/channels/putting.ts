import type { ChannelRules } from 'protocol'
import { newId } from '../lib/ids.ts'
import type { Outbox } from './outbox.ts'
import type { Content, OutboxItem, OutboxStore, Recipient } from './ports.ts'
import { type Matter, mayDisturb } from './rules.ts'
import type { Say } from './spoken.ts'

/** How long a notice is tried, ms. */
export const noticeForMs = 24 * 60 * 60_000
/** More notices of a recipient than this within five minutes are held for one digest. */
const mostNotices = 10
const noticesWithinMs = 5 * 60_000
const mostDigestLines = 8

export type Putting = ReturnType<typeof createPutting>

/** Puts messages into the outbox. The rules decide whether they leave at once, later, or in a digest. */
export function createPutting(parts: {
  outbox: Pick<Outbox, 'add'>
  store: Pick<OutboxStore, 'noticesSince' | 'held'>
  rules(): ChannelRules
  atomically<T>(work: () => T): T
  say: Say
  now(): number
}) {
  const { store, say, now } = parts

  /** Adds a message whatever the rules say. @returns false where it was there before */
  const add = (
    { id: recipient, channel }: Recipient,
    key: string,
    content: Content,
    forMs: number,
    more: Partial<Pick<OutboxItem, 'notBefore' | 'act' | 'end' | 'endedAt' | 'why'>> = {},
  ): boolean => {
    const at = now()
    return parts.outbox.add({
      id: newId('out'),
      recipient,
      channel,
      act: 'deliver',
      key,
      content,
      createdAt: at,
      expiresAt: at + forMs,
      ...more,
    })
  }

  /** Holds a message for the digest at `until`. */
  function hold(recipient: Recipient, key: string, content: Content, until: number, why: string): string {
    const at = now()
    parts.atomically(() => {
      if (!add(recipient, key, content, noticeForMs, { end: 'held', endedAt: at, why })) return
      const digest: Content = {
        ...({ kind: 'digest', level: 'warning', title: say('While it was quiet'), lines: [] } as const),
        path: '/alerts',
        since: at,
      }
      add(recipient, `digest:${until}`, digest, until - at + noticeForMs, { notBefore: until })
    })
    return why
  }

  return {
    add,
    /** Puts a message into the outbox by the rules. @returns the reason why it does not leave at once */
    put(recipient: Recipient, key: string, content: Content, matter: Matter, forMs: number): string | undefined {
      const at = now()
      const verdict = mayDisturb(matter, recipient, parts.rules(), at)
      if (verdict.kind === 'never') return verdict.why
      if (verdict.kind === 'held') return hold(recipient, key, content, verdict.until, verdict.why)
      const isStorm =
        matter.level !== 'card' &&
        matter.level !== 'failed' &&
        store.noticesSince(recipient.id, at - noticesWithinMs) >= mostNotices
      if (isStorm) {
        const until = Math.ceil((at + 1) / noticesWithinMs) * noticesWithinMs
        return hold(recipient, key, content, until, `more than ${mostNotices} in ${noticesWithinMs / 60_000} minutes`)
      }
      if (verdict.kind === 'later') {
        add(recipient, key, content, forMs, { notBefore: verdict.until, why: verdict.why })
        return verdict.why
      }
      add(recipient, key, content, forMs, verdict.why === undefined ? {} : { why: verdict.why })
      return undefined
    },
    /** The lines of a digest. @param since Unix ms */
    digestLines(recipient: string, since: number): Content['lines'] {
      const held = store.held(recipient, since)
      const titles = held.slice(0, mostDigestLines).map(({ content }) => content.lines[0] ?? content.title)
      const more = held.length - titles.length
      return more > 0 ? [...titles, say(`And ${more} more.`)] : titles
    },
  }
}
