import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { KeptRules } from './kept-rules.ts'
import type { Outbox } from './outbox.ts'
import type { Transactions } from './parts.ts'
import type { Content, OutboxItem, OutboxStore, Recipient } from './ports.ts'
import { type Matter, mayDisturb } from './rules.ts'
import type { Say } from './spoken.ts'

/** Time for which sending a notice is tried, ms. */
export const noticeForMs = 24 * 60 * 60_000
/** If a recipient gets more notices than this within five minutes, the others are held for one digest. */
const mostNotices = 10
const noticesWithinMs = 5 * 60_000
const mostDigestLines = 8

export type PuttingParts = {
  outbox: Pick<Outbox, 'add'>
  store: Pick<OutboxStore, 'noticesSince' | 'held'>
  rules: Pick<KeptRules, 'now'>
  database: Pick<Transactions, 'atomically'>
  say: Say
  clock: Pick<Clock, 'now'>
}

/** A message for one recipient. A second message with the same key is not added. `forMs`: the time for which sending is tried. */
export type NewMessage = { key: string; content: Content; forMs: number }

/** Puts messages into the outbox. The rules decide whether they are sent at once, later, or in a digest. */
export class Putting {
  readonly #parts: PuttingParts

  constructor(parts: PuttingParts) {
    this.#parts = parts
  }

  /** Adds a message without asking the rules. @returns false if the outbox has it already */
  add(
    { id: recipient, channel }: Recipient,
    { key, content, forMs }: NewMessage,
    more: Partial<Pick<OutboxItem, 'notBefore' | 'act' | 'end' | 'endedAt' | 'why'>> = {},
  ): boolean {
    const at = this.#parts.clock.now()
    return this.#parts.outbox.add({
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

  /** Adds a message to the outbox as the rules allow. @returns the reason why it is not sent at once; undefined if it is */
  put(recipient: Recipient, message: NewMessage, matter: Matter): string | undefined {
    const { store, rules, clock } = this.#parts
    const at = clock.now()
    const verdict = mayDisturb(matter, recipient, { rules: rules.now(), at })
    if (verdict.kind === 'never') return verdict.why
    if (verdict.kind === 'held') return this.#hold(recipient, message, verdict)
    const isStorm =
      matter.level !== 'card' &&
      matter.level !== 'failed' &&
      store.noticesSince(recipient.id, at - noticesWithinMs) >= mostNotices
    if (isStorm) {
      const until = Math.ceil((at + 1) / noticesWithinMs) * noticesWithinMs
      const why = `more than ${mostNotices} in ${noticesWithinMs / 60_000} minutes`
      return this.#hold(recipient, message, { until, why })
    }
    if (verdict.kind === 'later') {
      this.add(recipient, message, { notBefore: verdict.until, why: verdict.why })
      return verdict.why
    }
    this.add(recipient, message, verdict.why === undefined ? {} : { why: verdict.why })
    return undefined
  }

  /** The lines of a digest. @param since Unix ms */
  digestLines(recipient: string, since: number): Content['lines'] {
    const held = this.#parts.store.held(recipient, since)
    const titles = held.slice(0, mostDigestLines).map(({ content }) => content.lines[0] ?? content.title)
    const more = held.length - titles.length
    return more > 0 ? [...titles, this.#parts.say(`And ${more} more.`)] : titles
  }

  /** Holds a message for the digest at `until`, Unix ms. @returns `why` */
  #hold(recipient: Recipient, { key, content }: NewMessage, { until, why }: { until: number; why: string }): string {
    const { database, say, clock } = this.#parts
    const at = clock.now()
    database.atomically(() => {
      const held = { key, content, forMs: noticeForMs }
      if (!this.add(recipient, held, { end: 'held', endedAt: at, why })) return
      const digest: Content = {
        kind: 'digest',
        level: 'warning',
        title: say('While it was quiet'),
        lines: [],
        path: '/alerts',
        since: at,
      }
      const forMs = until - at + noticeForMs
      this.add(recipient, { key: `digest:${until}`, content: digest, forMs }, { notBefore: until })
    })
    return why
  }
}
