import { randomBytes } from 'node:crypto'
import { isLongUnseen, JarvisError, type PushBody, type PushDevice, type PushReply, personOf } from 'protocol'
import type { Channels } from '../channels.ts'
import type { Recipient, RecipientStore } from '../ports.ts'
import type { PushSender, SubscriptionStore } from './ports.ts'
import type { SignedButtons } from './signed-buttons.ts'
import { seenAtOf } from './unseen.ts'

/** The most browsers that one person may subscribe. */
const mostDevices = 20
const lostWords = 'the browser has lost its subscription; turn it on again there'

export type Devices = {
  state(by: string): PushReply
  /** @throws JarvisError `conflict` where there are too many devices */
  subscribe(body: PushBody, by: string): PushDevice
  /** @throws JarvisError `not_found` */
  revoke(id: string, by: string): void
  /**
   * The browser itself was here: its page, or a button that it signed. One that lost its subscription is marked as not reached, and not as seen.
   * @param by absent: a signature said which it is. @param endpoint of its subscription now; null: it has none. @throws JarvisError `not_found`
   */
  seen(id: string, by?: string, endpoint?: string | null): void
  /** Puts a test message into the outbox. @throws JarvisError `not_found` */
  test(id: string, by: string): PushDevice
}

/** Each person's browsers, which the channel of web push reaches. */
export function createDevices(parts: {
  /** The channel's id. */
  channel: string
  recipients: RecipientStore
  subscriptions: SubscriptionStore
  buttons: Pick<SignedButtons, 'keep'>
  channels: Pick<Channels, 'remove' | 'test'>
  sender(): Pick<PushSender, 'publicKey'>
  durably<T>(work: () => T): T
  redact(text: string): string
  changed(): void
  now(): number
}): Devices {
  const { channel, recipients, subscriptions, channels } = parts

  const listed = (by: string) => recipients.list(channel).filter(({ person }) => person === personOf(by))
  function find(id: string, by: string): Recipient {
    const device = listed(by).find((known) => known.id === id)
    if (device === undefined) throw new JarvisError('not_found', 'This device is not known any more.')
    return device
  }
  function shown(device: Recipient): PushDevice {
    const { id, name: label, hidesNames, decides, createdAt, problem } = device
    const { lastSentAt } = subscriptions.get(id) ?? {}
    const lastSeenAt = seenAtOf(subscriptions, device)
    return {
      id,
      label,
      hidesNames,
      decides: decides !== 'none',
      createdAt,
      lastSeenAt,
      ...(isLongUnseen(lastSeenAt, parts.now()) && { isUnseen: true }),
      lastSentAt,
      ...(problem !== undefined && { problem: parts.redact(problem) }),
    }
  }

  return {
    state: (by) => ({ publicKey: parts.sender().publicKey, items: listed(by).map(shown) }),
    subscribe({ endpoint, keys, label, hidesNames, key }, by) {
      const person = personOf(by)
      const known = subscriptions.byEndpoint(endpoint)
      const before = known && listed(by).find(({ id }) => id === known.id)
      if (before === undefined && listed(by).length >= mostDevices)
        throw new JarvisError('conflict', `${mostDevices} devices are told already. Take one of them out first.`)
      const id = before?.id ?? `psh_${randomBytes(8).toString('hex')}`
      const device: Recipient = {
        id,
        channel,
        account: '',
        person,
        user: id,
        chat: '',
        name: parts.redact(label),

        decides: key === undefined ? 'none' : 'approve',
        hidesNames,
        talks: false,
        isGroup: false,
        createdAt: parts.now(),
      }
      parts.durably(() => {
        // One browser has one person: whoever subscribes it last.
        if (known !== undefined && before === undefined)
          channels.remove(known.id, 'its browser is another person’s now')
        recipients.remove(id)
        recipients.add(device)
        subscriptions.add({ id, endpoint, ...keys })
        parts.buttons.keep({ id, person, label: device.name }, key)
      })
      parts.changed()
      return shown(device)
    },
    revoke(id, by) {
      find(id, by)
      channels.remove(id, 'taken out by its person')
      parts.changed()
    },
    seen(id, by, endpoint) {
      const problem = by === undefined ? undefined : find(id, by).problem
      if (endpoint !== undefined && endpoint !== subscriptions.get(id)?.endpoint) {
        recipients.trouble(id, lostWords)
        return parts.changed()
      }
      if (problem === lostWords) recipients.trouble(id, undefined)
      subscriptions.seen(id, parts.now())
    },
    test(id, by) {
      channels.test(find(id, by))
      return shown(find(id, by))
    },
  }
}
