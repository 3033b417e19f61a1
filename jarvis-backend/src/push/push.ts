import { createHash, randomBytes } from 'node:crypto'
import { named, quoted } from '../gate/index.ts'
import type { Clock } from '../lib/clock.ts'
import {
  type Card,
  type Change,
  JarvisError,
  type PushBody,
  type PushButtons,
  type PushDevice,
  type PushMessage,
  type PushReply,
  personOf,
  type Question,
} from '../protocol/index.ts'
import type { Buttons } from './buttons.ts'
import { cardQuestion } from './card-question.ts'
import { type Attempts, deliver } from './deliver.ts'
import type { Delivery, PushSender, PushStore, StoredDevice } from './ports.ts'

const mostDevices = 20
const testTtlS = 60
/** How long a message that is no card is tried, ms. */
const tellForMs = 60 * 60_000
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
  /** Removes every device of a person: whoever signed in with an earlier password, or was removed, must hear no more. */
  forgetAll(person: string): void
  /** Sends a test message. @throws JarvisError `not_found` */
  test(id: string, sub: string): Promise<PushDevice>
  /**
   * Compares a session's waiting cards with what was sent: announces new cards and withdraws the notifications of the others. Returns at
   * once and never throws.
   */
  waiting(sessionId: string, cards: readonly Card[]): void
  /** The same for a session's open questions. */
  asking(sessionId: string, questions: readonly Question[]): void
  /** The same for the changes that go back within minutes unless somebody keeps them. */
  goingBack(changes: readonly GoingBack[]): void
  /**
   * Sends a message to every device of those who hear all, again while its push service is busy, for an hour at most. Never rejects. @returns each device with why
   * it was not reached; absent where it was
   */
  tell(message: Told): Promise<{ label: string; problem?: string }[]>
  /** The same to one person's devices. */
  tellPerson(person: string, message: Told): Promise<{ label: string; problem?: string }[]>
  /** Starts no further attempts. */
  stop(): void
}

/** A message. `hidden`: its words where names are hidden. */
export type Told = Omit<PushMessage, 'withdraws'> & { hidden: string }

/** A change that goes back at `goesBackAt`, Unix ms. */
export type GoingBack = Pick<Change, 'id' | 'sentence'> & { goesBackAt: number }

/** What devices are told once. `untilMs`: when it is over; `over`: what stands in its place then, for a moment. */
type Notice = {
  tag: string
  untilMs: number
  over: string
  told(device: StoredDevice): Omit<PushMessage, 'tag'>
  /** Who asked; undefined: the first owner, or nobody. */
  person?: string | undefined
}

/** The announcement of one notice to one device. */
type Telling = { device: StoredDevice; over: string; attempts: Attempts }

/**
 * Notifies browsers of waiting cards and of changes that go back soon, and withdraws the notifications later. A message is retried while
 * the push service is busy, until its matter is over. Nothing waits for a message.
 */
export function createPush(parts: {
  buttons: Pick<Buttons, 'keep' | 'forget' | 'has' | 'of'>
  store: PushStore
  /** Made on first use. */
  sender(): PushSender
  clock: Clock
  redact(text: string): string
  /**
   * Whether a device's person is told now of what another asked for.
   * @param sub whose device it is. @param asker whose matter it is; undefined: the first owner's or nobody's
   */
  hears(sub: string, asker: string | undefined): boolean
  /** Called when the list of devices has changed. */
  changed(): void
  report(error: unknown, message: string): void
}): Push {
  const { store, clock, buttons } = parts
  const now = () => clock.now()
  /** Keyed by session, then by tag. Changes that go back are under a key that is no session's. */
  const told = new Map<string, Map<string, Telling[]>>()
  const underway = new Set<Attempts>()
  let isResting = false

  const listening = (hears: (sub: string) => boolean) => store.list().filter(({ sub }) => hears(sub))
  const find = (id: string, sub: string): StoredDevice => {
    const device = store.list(sub).find((known) => known.id === id)
    if (device === undefined) throw new JarvisError('not_found', 'This device is not known any more.')
    return device
  }

  const show = (device: StoredDevice) => shown(device, buttons.has(device.id))

  function drop(id: string): void {
    store.remove(id)
    buttons.forget(id)
  }

  async function send(device: StoredDevice, message: PushMessage, ttlS: number): Promise<Delivery> {
    const safe = { ...message, body: parts.redact(message.body).slice(0, longestBody) }
    const topic = createHash('sha256').update(message.tag).digest('base64url').slice(0, 32)
    const delivery = await parts.sender().send(device, { payload: JSON.stringify(safe), ttlS, topic })
    if (delivery.kind === 'gone') drop(device.id)
    else store.sent(device.id, now(), 'why' in delivery ? parts.redact(delivery.why) : undefined)
    parts.changed()
    return delivery
  }

  const tellEach = (hears: (sub: string) => boolean, { hidden, ...message }: Told) =>
    Promise.all(
      listening(hears).map(async (device) => {
        const body = device.hidesNames ? hidden : message.body
        const delivery = await attempt(device, { ...message, body }, now() + tellForMs, hears).done
        const problem = problemOf(delivery)
        return { label: device.label, ...(problem !== undefined && { problem }) }
      }),
    )

  return {
    state: (sub) => ({ publicKey: parts.sender().publicKey, items: store.list(sub).map(show) }),
    subscribe({ endpoint, keys, label, hidesNames, key }, sub) {
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
      buttons.keep({ id: device.id, person: personOf(sub) ?? sub, label: device.label }, key)
      parts.changed()
      return show(device)
    },
    revoke(id, sub) {
      if (!store.remove(id, sub)) throw new JarvisError('not_found', 'This device is not known any more.')
      buttons.forget(id)
      parts.changed()
    },
    forgetAll(person) {
      for (const { id, sub } of store.list()) if (personOf(sub) === person) drop(id)
      parts.changed()
    },
    async test(id, sub) {
      const device = find(id, sub)
      const body = 'This is how JARVIS tells you that a card waits.'
      const delivery = await send(device, { title: 'JARVIS', body, tag: 'test', path: '/waiting' }, testTtlS)
      if (delivery.kind === 'gone')
        throw new JarvisError('not_found', 'The browser took this back. Turn it on there again.')
      return show(find(id, sub))
    },
    waiting: (sessionId, cards) =>
      tellSafely(
        sessionId,
        cards.map((card) => cardNotice(card, buttons)),
      ),
    asking: (sessionId, questions) => tellSafely(`questions of ${sessionId}`, questions.map(questionNotice)),
    goingBack: (changes) => tellSafely('goes-back', changes.map(returnNotice)),
    tell: (message) => tellEach((sub) => parts.hears(sub, undefined), message),
    tellPerson: (person, message) => tellEach((sub) => personOf(sub) === person, message),
    stop() {
      isResting = true
      for (const attempts of underway) attempts.cancel()
    },
  }

  function tellSafely(key: string, notices: readonly Notice[]): void {
    try {
      tell(key, notices)
    } catch (error) {
      parts.report(error, 'devices could not be told')
    }
  }

  function tell(key: string, notices: readonly Notice[]): void {
    const before = told.get(key) ?? new Map<string, Telling[]>()
    const after = new Map(notices.map((notice) => [notice.tag, before.get(notice.tag) ?? announce(notice)]))
    if (after.size === 0) told.delete(key)
    else told.set(key, after)
    for (const [tag, tellings] of before) {
      if (!after.has(tag)) for (const telling of tellings) void withdraw(tag, telling)
    }
  }

  function announce({ tag, untilMs, over, told: message, person }: Notice): Telling[] {
    const hears = (sub: string) => parts.hears(sub, person)
    return listening(hears).map((device) => ({
      ...{ device, over },
      attempts: attempt(device, { ...message(device), tag }, untilMs, hears),
    }))
  }

  /** Withdraws a notification that the device was sent. */
  async function withdraw(tag: string, { device, over, attempts }: Telling): Promise<void> {
    attempts.cancel()
    const delivery = await attempts.done
    if (delivery?.kind !== 'sent' || isResting) return
    const message: PushMessage = { title: 'JARVIS', body: over, tag, path: '/waiting', withdraws: true }
    attempt(device, message, now() + withdrawTtlS * 1_000, () => true)
  }

  /** @param hears whether a device’s person is told yet */
  function attempt(
    device: StoredDevice,
    message: PushMessage,
    untilMs: number,
    hears: (sub: string) => boolean,
  ): Attempts {
    const once = async (): Promise<Delivery> => {
      // The device may have been removed meanwhile, or its person may hear no more.
      if (!listening(hears).some(({ id }) => id === device.id)) return { kind: 'gone' }
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

const cardNotice = (card: Card, buttons: Pick<Buttons, 'of'>): Notice => ({
  tag: card.toolUseId,
  person: card.requestedBy.person,
  untilMs: card.expiresAt,
  over: 'This card needs no answer any more.',
  told: ({ id, hidesNames }) => ({
    title: 'JARVIS asks',
    body: hidesNames ? 'A call waits for you.' : cardQuestion(card),
    path: `/waiting?card=${encodeURIComponent(card.toolUseId)}`,
    ...buttonsIn(buttons.of(card, id)),
  }),
})

const buttonsIn = (buttons: PushButtons | undefined) => (buttons === undefined ? {} : { buttons })

const questionNotice = (question: Question): Notice => ({
  person: question.requestedBy.person,
  tag: `question-${question.questionId}`,
  untilMs: question.expiresAt,
  over: 'This question needs no answer any more.',
  told: ({ hidesNames }) => ({
    title: 'A question for you',
    body: hidesNames ? 'A question waits for you. An answer allows nothing.' : questionWords(question),
    path: `/waiting?question=${encodeURIComponent(question.questionId)}`,
  }),
})

/** A locked screen shows no words of an attached server. */
const questionWords = ({ server, items }: Question) =>
  server === undefined
    ? `The model asks: ${quoted(items[0]?.text ?? '', 200)}${items.length > 1 ? `, and ${items.length - 1} more` : ''}`
    : `The attached server ${named(server)} asks something.`

const returnNotice = ({ id, sentence, goesBackAt }: GoingBack): Notice => ({
  tag: `goes-back-${id}`,
  untilMs: goesBackAt,
  over: 'This change was kept, or is taken back.',
  told: ({ hidesNames }) => ({
    title: 'JARVIS takes a change back soon',
    body: `${hidesNames ? 'A change' : `${sentence} This`} goes back within two minutes unless you keep it.`,
    path: '/waiting',
  }),
})

function problemOf(delivery: Delivery | undefined): string | undefined {
  if (delivery?.kind === 'sent') return undefined
  if (delivery === undefined) return 'JARVIS stopped'
  return delivery.kind === 'gone' ? 'the browser took it back' : delivery.why
}

const shown = (
  { id, label, hidesNames, createdAt, lastSentAt, problem }: StoredDevice,
  decides: boolean,
): PushDevice => ({
  id,
  label,
  hidesNames,
  decides,
  createdAt,
  ...(lastSentAt !== undefined && { lastSentAt }),
  ...(problem !== undefined && { problem }),
})
