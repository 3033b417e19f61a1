import { createHash } from 'node:crypto'
import type { PushButtons, PushMessage } from 'protocol'
import type { Channel, ChannelKind, Level, Outgoing } from '../channel.ts'
import { type PushSender, type StoredSubscription, type Urgency, webPushId } from '../web-push/ports.ts'

const urgencies: Record<Level, Urgency> = { card: 'high', failed: 'high', warning: 'normal', info: 'low' }
/** Push services keep nothing for longer, seconds. */
const longestTtlS = 28 * 24 * 60 * 60
/** Push services accept 4 kB; what is left is for the encryption. */
const mostBytes = 3_800

/** Browsers that people subscribed. The payload is encrypted for the browser (RFC 8291), and a button is signed by the browser's own key. */
export function webPush(parts: {
  sender(): PushSender
  subscription(id: string): StoredSubscription | undefined
  /** The data that the browser signs to decide a card; undefined: the notification only opens the page. */
  sign(toolUseId: string, id: string): PushButtons | undefined
  /** Called after each attempt. @param problem undefined: the push service took the message */
  sent(id: string, problem: string | undefined): void
}): ChannelKind {
  async function send(
    message: Outgoing,
    { user }: { user: string },
    isOver: boolean,
    { signal, now }: { signal: AbortSignal; now: number },
  ) {
    const subscription = parts.subscription(user)
    if (subscription === undefined) return { kind: 'gone', why: 'its subscription is not known any more' } as const
    const payload = payloadOf(message, isOver, () => parts.sign(message.tag, user))
    const delivery = await parts.sender().send(
      subscription,
      {
        payload,
        ttlS: Math.max(1, Math.min(longestTtlS, Math.round((message.expiresAt - now) / 1_000))),
        topic: createHash('sha256').update(message.tag).digest('base64url').slice(0, 32),
        urgency: isOver ? 'normal' : urgencies[message.level],
      },
      signal,
    )
    parts.sent(user, delivery.kind === 'sent' ? undefined : delivery.why)
    return delivery
  }
  return {
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
    open(_settings, { clock }): Channel {
      const close: Channel['withdraw'] = (message, to, _ref, signal) =>
        send(message, to, true, { signal, now: clock.now() })
      return {
        place: 'the browsers’ push services',
        deliver: (message, to, signal) => send(message, to, false, { signal, now: clock.now() }),
        // Both close the notification: what was decided needs nobody.
        revise: close,
        withdraw: close,
        health: async () => ({}),
      }
    },
  }
}

/**
 * What a browser gets: for its worker, and beside it a declarative message (W3C Push API), which some browsers show without the worker. Only the
 * worker signs and closes, so a message with buttons and a withdrawal are for the worker alone.
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
