import { randomBytes } from 'node:crypto'
import { isLongUnseen, JarvisError, type PushBody, type PushDevice, type PushReply, personOf } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import type { Channels } from '../channels.ts'
import type { Transactions } from '../parts.ts'
import type { Recipient, RecipientStore } from '../ports.ts'
import type { PushSender, SubscriptionStore } from './ports.ts'
import type { SignedButtons } from './signed-buttons.ts'
import { seenAtOf } from './unseen.ts'

/** The most browsers that one person may subscribe. */
const mostDevices = 20
const lostWords = 'the browser has lost its subscription; turn it on again there'

export type DevicesParts = {
  /** The channel's id. */
  channel: string
  recipients: RecipientStore
  subscriptions: SubscriptionStore
  buttons: Pick<SignedButtons, 'keep'>
  channels: Pick<Channels, 'remove' | 'test'>
  sender(): Pick<PushSender, 'publicKey'>
  database: Pick<Transactions, 'durably'>
  redact(text: string): string
  changed(): void
  clock: Pick<Clock, 'now'>
}

/** The browsers that each person subscribed, which the channel of web push reaches. */
export class Devices {
  readonly #parts: DevicesParts

  constructor(parts: DevicesParts) {
    this.#parts = parts
  }

  state(by: string): PushReply {
    return {
      publicKey: this.#parts.sender().publicKey,
      items: this.#listed(by).map((device) => this.#shown(device)),
    }
  }

  /** Subscribes a browser. @throws JarvisError `conflict` if there are too many devices */
  subscribe({ endpoint, keys, label, hidesNames, key }: PushBody, by: string): PushDevice {
    const { channel, recipients, subscriptions, buttons, channels, database, redact, changed, clock } = this.#parts
    const person = personOf(by)
    const known = subscriptions.byEndpoint(endpoint)
    const before = known && this.#listed(by).find(({ id }) => id === known.id)
    if (before === undefined && this.#listed(by).length >= mostDevices)
      throw new JarvisError('conflict', `${mostDevices} devices are told already. Take one of them out first.`)
    const id = before?.id ?? `psh_${randomBytes(8).toString('hex')}`
    const device: Recipient = {
      id,
      channel,
      account: '',
      person,
      user: id,
      chat: '',
      name: redact(label),
      decides: key === undefined ? 'none' : 'approve',
      hidesNames,
      talks: false,
      isGroup: false,
      createdAt: clock.now(),
    }
    database.durably(() => {
      // A browser belongs to one person: the one who subscribed it last.
      if (known !== undefined && before === undefined) channels.remove(known.id, 'its browser is another person’s now')
      recipients.remove(id)
      recipients.add(device)
      subscriptions.add({ id, endpoint, ...keys })
      buttons.keep({ id, person, label: device.name }, key)
    })
    changed()
    return this.#shown(device)
  }

  /** Ends the subscription of a device. @throws JarvisError `not_found` */
  revoke(id: string, by: string): void {
    this.#find(id, by)
    this.#parts.channels.remove(id, 'taken out by its person')
    this.#parts.changed()
  }

  /**
   * Records that the browser itself contacted JARVIS, through its page or a button that it signed. A browser that lost its subscription is marked as
   * not reached instead.
   * @param by absent: a signature identified the browser @param endpoint the address of its present subscription; null: it has none @throws
   * JarvisError `not_found`
   */
  seen(id: string, by?: string, endpoint?: string | null): void {
    const { recipients, subscriptions, changed, clock } = this.#parts
    const problem = by === undefined ? undefined : this.#find(id, by).problem
    if (endpoint !== undefined && endpoint !== subscriptions.get(id)?.endpoint) {
      recipients.trouble(id, lostWords)
      changed()
      return
    }
    if (problem === lostWords) recipients.trouble(id, undefined)
    subscriptions.seen(id, clock.now())
  }

  /** Puts a test message into the outbox. @throws JarvisError `not_found` */
  test(id: string, by: string): PushDevice {
    this.#parts.channels.test(this.#find(id, by))
    return this.#shown(this.#find(id, by))
  }

  #listed(by: string): Recipient[] {
    const { channel, recipients } = this.#parts
    return recipients.list(channel).filter(({ person }) => person === personOf(by))
  }

  #find(id: string, by: string): Recipient {
    const device = this.#listed(by).find((known) => known.id === id)
    if (device === undefined) throw new JarvisError('not_found', 'This device is not known any more.')
    return device
  }

  #shown(device: Recipient): PushDevice {
    const { subscriptions, redact, clock } = this.#parts
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
      ...(isLongUnseen(lastSeenAt, clock.now()) && { isUnseen: true }),
      lastSentAt,
      ...(problem !== undefined && { problem: redact(problem) }),
    }
  }
}
