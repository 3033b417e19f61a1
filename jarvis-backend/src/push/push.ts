import { createHash, randomBytes } from 'node:crypto'
import {
  type Card,
  JarvisError,
  type PushBody,
  type PushDevice,
  type PushMessage,
  type PushReply,
} from '../protocol/index.ts'
import { cardQuestion } from './card-question.ts'
import type { Delivery, PushSender, PushStore, StoredDevice } from './ports.ts'

const mostDevices = 20
const testTtlS = 60
/** A push service takes 4 kB, encrypted. */
const longestBody = 400

export type Push = {
  state(sub: string): PushReply
  /** @throws JarvisError `conflict` where there are too many. */
  subscribe(body: PushBody, sub: string): PushDevice
  /** @throws JarvisError `not_found` */
  revoke(id: string, sub: string): void
  /** Takes every device out: who signed in with the password before may hear no more. */
  forgetAll(): void
  /** Sends one message now. @throws JarvisError `not_found` */
  test(id: string, sub: string): Promise<PushDevice>
  /** Tells of the cards among these that were not told of; the others are forgotten. Waits for nothing, never throws. */
  waiting(sessionId: string, cards: readonly Card[]): void
}

/** Tells browsers that a card waits. Whatever becomes of a message, the card waits for none of it. */
export function createPush(parts: {
  store: PushStore
  /** Made on first use. */
  sender(): PushSender
  now(): number
  redact(text: string): string
  /** The devices of somebody are others. */
  changed(): void
  report(error: unknown, message: string): void
}): Push {
  const { store, now } = parts
  const told = new Map<string, Set<string>>()

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
    else store.sent(device.id, now(), delivery.kind === 'failed' ? parts.redact(delivery.why) : undefined)
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
  }

  function tell(sessionId: string, cards: readonly Card[]): void {
    const before = told.get(sessionId)
    if (cards.length === 0) told.delete(sessionId)
    else told.set(sessionId, new Set(cards.map(({ toolUseId }) => toolUseId)))
    const fresh = cards.filter(({ toolUseId }) => before?.has(toolUseId) !== true)
    if (fresh.length === 0) return
    for (const device of store.list()) {
      for (const card of fresh) {
        const message: PushMessage = {
          title: 'JARVIS asks',
          body: device.hidesNames ? 'A call waits for you.' : cardQuestion(card),
          tag: card.toolUseId,
          path: `/waiting?card=${encodeURIComponent(card.toolUseId)}`,
        }
        const ttlS = Math.max(1, Math.round((card.expiresAt - now()) / 1_000))
        send(device, message, ttlS).catch((error: unknown) => parts.report(error, 'a device could not be told'))
      }
    }
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
