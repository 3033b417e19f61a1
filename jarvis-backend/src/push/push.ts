import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import {
  type Card,
  JarvisError,
  type PushBody,
  type PushDevice,
  type PushMessage,
  type PushReply,
} from '../protocol/index.ts'
import { cardQuestion } from './card-question.ts'
import { type Attempts, deliver } from './deliver.ts'
import type { Delivery, PushSender, PushStore, StoredDevice } from './ports.ts'

const mostDevices = 20
const testTtlS = 60
/** How long a push service keeps a withdrawal for an offline device, seconds. */
const withdrawTtlS = 24 * 60 * 60
/** Longest text of a message, characters: push services accept 4 kB, encrypted. */
const longestBody = 400

export type Push = {
  state(sub: string): PushReply
  /** @throws JarvisError `conflict` where there are too many devices */
  subscribe(body: PushBody, sub: string): PushDevice
  /** @throws JarvisError `not_found` */
  revoke(id: string, sub: string): void
  /** Removes every device, because whoever signed in with an earlier password must hear no more. */
  forgetAll(): void
  /** Sends a test message. @throws JarvisError `not_found` */
  test(id: string, sub: string): Promise<PushDevice>
  /**
   * Compares a session's waiting cards with what was sent: announces new cards and withdraws the notifications of the others. Returns at
   * once and never throws.
   */
  waiting(sessionId: string, cards: readonly Card[]): void
  /** Starts no further attempts. */
  stop(): void
}

/** The announcement of one card to one device. */
type Telling = { device: StoredDevice; attempts: Attempts }

/**
 * Notifies browsers of waiting cards and withdraws the notifications later. A message is retried while the push service is busy, until
 * the card expires. No card waits for a message.
 */
export function createPush(parts: {
  store: PushStore
  /** Made on first use. */
  sender(): PushSender
  clock: Clock
  redact(text: string): string
  /** Called when the list of devices has changed. */
  changed(): void
  report(error: unknown, message: string): void
}): Push {
  const { store, clock } = parts
  const now = () => clock.now()
  /** Keyed by session, then by card. */
  const told = new Map<string, Map<string, Telling[]>>()
  const underway = new Set<Attempts>()
  let isResting = false

  const find = (id: string, sub: string): StoredDevice => {
    const device = store.list(sub).find((known) => known.id === id)
    if (device === undefined) throw new JarvisError('not_found', 'This device is not known any more.')
    return device
  }

  async function send(device: StoredDevice, message: PushMessage, ttlS: number): Promise<Delivery> {
    const safe = { ...message, body: parts.redact(message.body).slice(0, longestBody) }
    const topic = createHash('sha256').update(message.tag).digest('base64url').slice(0, 32)
    const delivery = await parts.sender().send(device, { payload: JSON.stringify(safe), ttlS, topic })
    if (delivery.kind === 'gone') store.remove(device.id)
    else store.sent(device.id, now(), 'why' in delivery ? parts.redact(delivery.why) : undefined)
    parts.changed()
    return delivery
  }

  return {
    state: (sub) => ({ publicKey: parts.sender().publicKey, items: store.list(sub).map(shown) }),
    subscribe({ endpoint, keys, label, hidesNames }, sub) {
      const known = store.list(sub)
      const before = known.find((device) => device.endpoint === endpoint)
      if (before === undefined && known.length >= mostDevices) {
        throw new JarvisError('conflict', `${mostDevices} devices are told already. Take one of them out first.`)
      }
      const device: StoredDevice = {
        id: before?.id ?? `psh_${randomBytes(8).toString('hex')}`,
        sub,
        endpoint,
        ...keys,
        label: parts.redact(label),
        hidesNames,
        createdAt: now(),
      }
      store.add(device)
      parts.changed()
      return shown(device)
    },
    revoke(id, sub) {
      if (!store.remove(id, sub)) throw new JarvisError('not_found', 'This device is not known any more.')
      parts.changed()
    },
    forgetAll() {
      for (const { id } of store.list()) store.remove(id)
      parts.changed()
    },
    async test(id, sub) {
      const device = find(id, sub)
      const body = 'This is how JARVIS tells you that a card waits.'
      const delivery = await send(device, { title: 'JARVIS', body, tag: 'test', path: '/waiting' }, testTtlS)
      if (delivery.kind === 'gone')
        throw new JarvisError('not_found', 'The browser took this back. Turn it on there again.')
      return shown(find(id, sub))
    },
    waiting(sessionId, cards) {
      try {
        tell(sessionId, cards)
      } catch (error) {
        parts.report(error, 'devices could not be told')
      }
    },
    stop() {
      isResting = true
      for (const attempts of underway) attempts.cancel()
    },
  }

  function tell(sessionId: string, cards: readonly Card[]): void {
    const before = told.get(sessionId) ?? new Map<string, Telling[]>()
    const after = new Map(cards.map((card) => [card.toolUseId, before.get(card.toolUseId) ?? ask(card)]))
    if (after.size === 0) told.delete(sessionId)
    else told.set(sessionId, after)
    for (const [toolUseId, tellings] of before) {
      if (!after.has(toolUseId)) for (const telling of tellings) void withdraw(toolUseId, telling)
    }
  }

  function ask(card: Card): Telling[] {
    return store.list().map((device) => {
      const message: PushMessage = {
        title: 'JARVIS asks',
        body: device.hidesNames ? 'A call waits for you.' : cardQuestion(card),
        tag: card.toolUseId,
        path: `/waiting?card=${encodeURIComponent(card.toolUseId)}`,
      }
      return { device, attempts: attempt(device, message, card.expiresAt) }
    })
  }

  /** Withdraws a notification that the device was sent. */
  async function withdraw(toolUseId: string, { device, attempts }: Telling): Promise<void> {
    attempts.cancel()
    const delivery = await attempts.done
    if (delivery?.kind !== 'sent' || isResting) return
    const body = 'This card needs no answer any more.'
    const message: PushMessage = { title: 'JARVIS', body, tag: toolUseId, path: '/waiting', withdraws: true }
    attempt(device, message, now() + withdrawTtlS * 1_000)
  }

  function attempt(device: StoredDevice, message: PushMessage, untilMs: number): Attempts {
    const once = async (): Promise<Delivery> => {
      // The device may have been removed meanwhile.
      if (!store.list().some(({ id }) => id === device.id)) return { kind: 'gone' }
      return send(device, message, Math.max(1, Math.round((untilMs - now()) / 1_000)))
    }
    const attempts = deliver(
      () =>
        once().catch((error: unknown): Delivery => {
          parts.report(error, 'a device could not be told')
          return { kind: 'failed', why: 'JARVIS could not send it' }
        }),
      untilMs,
      clock,
    )
    underway.add(attempts)
    void attempts.done.then(() => underway.delete(attempts))
    return attempts
  }
}

const shown = ({ id, label, hidesNames, createdAt, lastSentAt, problem }: StoredDevice): PushDevice => ({
  id,
  label,
  hidesNames,
  createdAt,
  ...(lastSentAt !== undefined && { lastSentAt }),
  ...(problem !== undefined && { problem }),
})
