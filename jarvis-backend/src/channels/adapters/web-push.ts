import { createHash } from 'node:crypto'
import type { PushButtons, PushMessage } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import type { Address, Channel, ChannelKind, Delivery, Health, Level, Outgoing, SentMessage } from '../channel.ts'
import { type PushSender, type StoredSubscription, type Urgency, webPushId } from '../web-push/ports.ts'

const urgencies: Record<Level, Urgency> = { card: 'high', failed: 'high', warning: 'normal', info: 'low' }
/** The longest time for which push services keep a message, seconds. */
const longestTtlS = 28 * 24 * 60 * 60
/** The largest payload, bytes. Push services accept 4 kB, and encryption takes the rest. */
const mostBytes = 3_800

export type WebPushParts = {
  sender(): PushSender
  subscription(id: string): StoredSubscription | undefined
  /** The data that the browser signs to decide a card; undefined: the notification only opens the page. */
  sign(toolUseId: string, id: string): PushButtons | undefined
  /** Called after each attempt. @param problem undefined: the push service took the message */
  sent(id: string, problem: string | undefined): void
}

/**
 * The channel of browsers that people subscribed. The payload is encrypted for the browser (RFC 8291), and a button's decision is signed with the
 * browser's own key.
 */
export const webPush = (parts: WebPushParts): ChannelKind => ({
  id: webPushId,
  name: 'Web push',
  readers:
    'Nobody reads these messages on their way: they are sealed for each browser. Its maker’s push service sees when.',
  capabilities: {
    decidesAtMost: 'approve',
    isIdempotent: true,
    pairs: true,
    subscribes: true,
    hidesNames: false,
  },
  settings: [],
  open: (_settings, { clock }) => new WebPushChannel(parts, clock),
})

class WebPushChannel implements Channel {
  readonly place = 'the browsers’ push services'
  readonly #parts: WebPushParts
  readonly #clock: Pick<Clock, 'now'>

  constructor(parts: WebPushParts, clock: Pick<Clock, 'now'>) {
    this.#parts = parts
    this.#clock = clock
  }

  deliver(message: Outgoing, { user }: Address, signal: AbortSignal): Promise<Delivery> {
    const payload = () => payloadOf(message, false, () => this.#parts.sign(message.tag, user))
    return this.#send(message, { user, payload, urgency: urgencies[message.level] }, signal)
  }

  /** Closes the notification, because its card was decided. */
  revise(message: Outgoing, { to: { user } }: SentMessage, signal: AbortSignal): Promise<Delivery> {
    const payload = () => payloadOf(message, true, () => undefined)
    return this.#send(message, { user, payload, urgency: 'normal' }, signal)
  }

  withdraw(message: Outgoing, sent: SentMessage, signal: AbortSignal): Promise<Delivery> {
    return this.revise(message, sent, signal)
  }

  async health(): Promise<Health> {
    return {}
  }

  async #send(
    { tag, expiresAt }: Outgoing,
    { user, payload, urgency }: { user: string; payload(): string; urgency: Urgency },
    signal: AbortSignal,
  ): Promise<Delivery> {
    const subscription = this.#parts.subscription(user)
    if (subscription === undefined) return { kind: 'gone', why: 'its subscription is not known any more' }
    const ttlS = Math.max(1, Math.min(longestTtlS, Math.round((expiresAt - this.#clock.now()) / 1_000)))
    const topic = createHash('sha256').update(tag).digest('base64url').slice(0, 32)
    const delivery = await this.#parts.sender().send(subscription, { payload: payload(), ttlS, topic, urgency }, signal)
    this.#parts.sent(user, delivery.kind === 'sent' ? undefined : delivery.why)
    return delivery
  }
}

/**
 * The payload for a browser's service worker. It holds a declarative message (W3C Push API), which some browsers show without the worker. Only the
 * worker can sign and close, so a message with buttons and a withdrawal have no declarative message.
 * @param isOver the payload closes the notification
 */
function payloadOf(message: Outgoing, isOver: boolean, sign: () => PushButtons | undefined): string {
  const { title, lines, tag, path, link, buttons } = message
  const signed = isOver || buttons.length === 0 ? undefined : sign()
  const base: PushMessage = {
    title,
    body: '',
    tag,
    path,
    ...(isOver && { withdraws: true }),
    ...(signed && {
      buttons: { ...signed, labels: buttons.flatMap(({ does, label }) => (does === 'look' ? [] : [{ does, label }])) },
    }),
  }
  const made = (body: string) =>
    JSON.stringify({
      ...base,
      body,
      ...(link !== undefined &&
        !isOver &&
        signed === undefined && { web_push: 8030, notification: { title, body, tag, navigate: link } }),
    })
  let body = lines.join('\n')
  while (Buffer.byteLength(made(body)) > mostBytes)
    body = [...body].slice(0, Math.floor([...body].length * 0.8)).join('')
  return made(body)
}
