import { hashOf } from 'node-kit/canonical'
import type { Card, ChannelRules } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { createAccounts } from './accounts.ts'
import { createAttempts } from './attempts.ts'
import { createCardMessages } from './card-messages.ts'
import type { Ending } from './cards.ts'
import type { Level } from './channel.ts'
import { createGroups } from './groups.ts'
import { createHearers } from './hearers.ts'
import { createHearing } from './hearing.ts'
import { OpenChannels, type OpenChannelsParts } from './open-channels.ts'
import { createOpenNotices } from './open-notices.ts'
import { Outbox } from './outbox.ts'
import { createPairings } from './pairings.ts'
import type {
  Content,
  NonceStore,
  Open,
  OutboxItem,
  OutboxStore,
  PairingStore,
  Recipient,
  RecipientStore,
} from './ports.ts'
import { createPutting, noticeForMs } from './putting.ts'
import type { MatterKind } from './rules.ts'
import type { Say, Tell } from './spoken.ts'
import { createConversation } from './talk/conversation.ts'
import type { ChatStore, ChoiceStore, HeardStore, TalkPorts } from './talk/ports.ts'
import { attemptOf, createTaps, type DecideByTap, type KnownCard } from './taps.ts'

const testForMs = 10 * 60_000

/**
 * The words of a notice. `hidden`: the same without a name of anything. `asker`: the person whose matter it is; absent: the first owner's, or
 * nobody's.
 */
export type Notice = {
  kind: MatterKind
  level: Exclude<Level, 'card'>
  title: string
  body: string
  hidden: string
  /** A second notice of this tag with the same words is the same one. */
  tag: string
  path: string
  asker?: string | undefined
  /** The end of the matter: its message is then taken back. */
  until?: Open
  /** When it loses its meaning, Unix ms; absent: after a day. */
  expiresAt?: number
}

export type Channels = ReturnType<typeof createChannels>

/** Reaches people over the channels that are set up, and takes their decisions. */
export function createChannels(parts: {
  kinds: OpenChannelsParts['kinds']
  read: OpenChannelsParts['read']
  outbox: OutboxStore
  recipients: RecipientStore
  pairings: PairingStore
  nonces: NonceStore
  chats: ChatStore
  choices: ChoiceStore
  heard: HeardStore
  /** The parts of the house that a conversation needs. */
  house: TalkPorts
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  clock: Clock
  atomically<T>(work: () => T): T
  /** As `Database.afterCommit`. */
  afterCommit(run: () => void): void
  /** As `Database.untilFree`. */
  untilFree(forever: 'forever'): Promise<void> | undefined
  durably<T>(work: () => T): T
  say: Say
  tell: Tell
  redact(text: string): string
  hide(secret: string): void
  rules(): ChannelRules
  /** The card, its binding and whether it was decided. */
  cardOf(toolUseId: string): (KnownCard & { ending?: Ending }) | undefined
  decide: DecideByTap
  /** A person has a card before them. */
  seen(toolUseId: string): void
  /** True if a person may decide cards now, and so hears of them. */
  mayDecide(person: string): boolean
  /** True if a person is told about another's request: operators about all, members about their own. */
  hears(person: string, asker: string | undefined): boolean
  isOpen(what: Open): boolean
  /** Told, in the transaction, of somebody who is reached no more. */
  left(recipient: Recipient): void
  nameOf(person: string): string
  /** Whom a channel reaches that pairs nobody. */
  firstOwner: string
  record(body: Record<string, unknown>): void
  announce(text: string, level: 'info' | 'warning'): void
  /** The dashboard's address; undefined: not known. */
  publicUrl: string | undefined
  changed(): void
  report(error: unknown, message: string): void
}) {
  const { clock, say, recipients, nonces, outbox: store } = parts
  const now = () => clock.now()
  const stopping = new AbortController()
  const signal = stopping.signal

  const outbox = new Outbox({
    store,
    clock,
    atomically: parts.atomically,
    untilFree: parts.untilFree,
    report: parts.report,
    changed: parts.changed,
    attempt: (item) => attempt(item),
    isIdempotent: (channel) => directory.kind(channel)?.capabilities.isIdempotent === true,
    ended(item, delivery) {
      if (delivery.kind === 'sent' && delivery.ref !== undefined) nonces.bind(attemptOf(item), delivery.ref)
      const { talk } = item.content
      if (delivery.kind === 'sent' && talk !== undefined) conversation.sent(item, talk, delivery.ref)
      if (delivery.kind === 'gone') gone(item, delivery.why)
      if (delivery.kind === 'sent') recipients.trouble(item.recipient, undefined)
    },
    announce: (text) => parts.announce(text, 'warning'),
  })
  /** A browser that ended its subscription never comes back by it; elsewhere the same person may. */
  function gone({ recipient, channel }: OutboxItem, why: string) {
    const found = recipients.get(recipient)
    if (found === undefined || directory.kind(channel)?.capabilities.subscribes !== true)
      return recipients.trouble(recipient, why)
    parts.record({ change: 'unsubscribed', recipient, channel, person: found.person, because: why })
    accounts.remove(recipient, why)
    parts.announce(`${found.name} of ${parts.nameOf(found.person)} is told no more: ${why}.`, 'info')
  }
  const look = () => outbox.look()
  const linkTo = (path: string) => (parts.publicUrl === undefined ? undefined : new URL(path, parts.publicUrl).href)
  const taps = createTaps({ ...parts, linkTo, now })
  const directory = new OpenChannels({
    ...parts,
    heard: (kind, account) => hearing.listener(kind, account),
    cursor: (channel) => accounts.cursor(channel),
    opened: (kind, account) => accounts.renew(kind, account),
    isHeard: ({ id, capabilities }) => capabilities.pairs || recipients.list(id).some((one) => one.decides !== 'none'),
    tapAddress: ({ id, capabilities }) =>
      capabilities.tapsByAddress === true && parts.publicUrl !== undefined
        ? new URL(`/api/channel-taps/${id}`, parts.publicUrl).href
        : undefined,
    closed: (kind) => accounts.closed(kind),
  })
  const conversation = createConversation({
    ...parts,
    directory,
    signal,
    look,
    add: (item) => void outbox.add(item),
  })
  const accounts = createAccounts({ ...parts, store, conversation, now })
  const putting = createPutting({ ...parts, outbox, store, now })
  const hearers = createHearers({ ...parts, directory })
  const cardMessages = createCardMessages({ ...parts, hearers, putting, store, directory, now })
  const openNotices = createOpenNotices({ ...parts, putting, store, directory, now })
  const groups = createGroups({ ...parts, directory, putting, now, look })
  const attempt = createAttempts({
    ...parts,
    hearers,
    store,
    directory,
    taps,
    putting,
    conversation,
    linkTo,
    signal,
    moved: groups.moved,
  })
  const pairings = createPairings({
    ...parts,
    directory,
    now,
    paired(recipient, replaced) {
      if (replaced !== undefined) accounts.end(replaced, 'paired anew')
      const title = say(`Paired with ${parts.nameOf(recipient.person)}.`)
      const content: Content = { kind: 'pairing', level: 'info', title, lines: [], path: '/' }
      putting.add(recipient, `paired:${recipient.id}`, content, testForMs)
    },
    changed() {
      parts.changed()
      look()
    },
  })
  const hearing = createHearing({
    ...parts,
    store,
    directory,
    taps,
    pairings,
    groups,
    conversation,
    cardMessages,
    look,
    now,
    advance: accounts.advance,
  })

  const safely = (work: () => void) => {
    try {
      work()
      look()
    } catch (error) {
      parts.report(error, 'people could not be told over channels')
    }
  }
  /** Adds a message and sends it. @returns the outbox's item; undefined where it was there before */
  function added(recipient: Recipient, key: string, content: Content, forMs: number): OutboxItem | undefined {
    putting.add(recipient, key, content, forMs)
    look()
    return store.log({ limit: 20 }).find((item) => item.key === key)
  }

  /** Tells somebody who is reached no more of it. Nothing is kept for a second attempt: they are a stranger from now on. */
  async function farewell({ id, channel, account, user, chat, isGroup }: Recipient): Promise<void> {
    const open = directory.channel(channel)
    if (isGroup || open?.account !== account || directory.kind(channel)?.capabilities.pairs !== true) return
    const at = now()
    const message = {
      ...({ id: newId('out'), at, tag: `removed:${id}`, level: 'info', path: '/', buttons: [] } as const),
      isOver: false,
      expiresAt: at + testForMs,
      title: say('Your account in JARVIS was removed.'),
      lines: [say('This chat is paired with nobody any more, and what you write here is not answered.')],
    }
    await open.channel.deliver(message, { user, chat }, signal)
  }

  return {
    directory,
    pairings,
    groups,
    /** Compares a session's waiting cards with what was sent: tells of new ones, and changes the messages of the others. Never throws. */
    waiting(cards: readonly Card[]): void {
      safely(() => {
        cardMessages.tell(cards)
        cardMessages.settle()
      })
    },
    /**
     * Tells everybody who hears of it, or one person of what is their own. Never throws.
     * @returns of each, what a message to them waits for
     */
    tell(
      { kind, level, title, body, hidden, tag, path, asker, until, expiresAt }: Notice,
      only?: string,
    ): { label: string; problem?: string }[] {
      const told: { label: string; problem?: string }[] = []
      safely(() => {
        const whose = only ?? asker
        for (const recipient of hearers.of(whose)) {
          if ((only ?? recipient.person) !== recipient.person) continue
          if (recipient.isGroup && only !== undefined) continue
          const words = recipient.hidesNames ? hidden : body
          const content: Content = {
            kind: 'notice',
            level,
            title: say(title),
            lines: [say(words)],
            path,
            tag,
            asker: whose,
            until,
          }
          const key = `notice:${tag}:${hashOf([title, body]).slice(0, 16)}`
          const forMs = expiresAt === undefined ? noticeForMs : expiresAt - now()
          const problem = putting.put(recipient, key, content, { kind, level }, forMs)
          const label = directory.kind(recipient.channel)?.name ?? recipient.channel
          told.push({ label, ...(problem !== undefined && { problem }) })
        }
      })
      return told
    },
    /** Takes the messages back of questions and changes that are settled. Never throws. */
    settle: () => safely(openNotices.settle),
    /** Sends a test. @returns the outbox's item */
    test(recipient: Recipient): string {
      const title = say('This is a test.')
      const lines = [say('JARVIS reaches you here.')]
      const content: Content = { kind: 'test', level: 'info', title, lines, path: '/waiting', tag: 'test' }
      return added(recipient, newId('test'), content, testForMs)?.id ?? ''
    },
    /** Sends a message again that failed or was dropped. @returns the new item; undefined where it cannot be */
    again(id: string): string | undefined {
      const item = store.get(id)
      const recipient = item && recipients.get(item.recipient)
      const canBe =
        item?.act === 'deliver' && (item.end === 'failed' || item.end === 'dropped') && item.content.kind !== 'card'
      if (recipient === undefined || !canBe) return undefined
      return added(recipient, `${item.key}:${newId('again')}`, item.content, noticeForMs)?.id
    },
    /** Why the message that a recipient waits for was not sent yet; undefined where none was tried in vain. */
    stuck(recipient: string): string | undefined {
      const item = store.head(recipient, now())
      return item !== undefined && item.attempts > 0 && !item.isOpen ? item.why : undefined
    },
    remove: accounts.remove,
    forgetPerson: (person: string, why?: string) => void accounts.forgetPerson(person, why),
    /** Ends what a person who was removed had, and tells each chat that was paired with them once, after the commit. */
    removePerson(person: string): void {
      const paired = accounts.forgetPerson(person, 'its person was removed')
      parts.afterCommit(() => {
        for (const one of paired)
          farewell(one).catch((error: unknown) => parts.report(error, 'a removed person could not be told'))
      })
    },
    /** Opens what is set up and takes over what the last process left. */
    async resume(): Promise<void> {
      await directory.look()
      parts.atomically(() => {
        nonces.prune(now())
        parts.pairings.prune(now())
      })
      cardMessages.settle()
      openNotices.settle()
      conversation.resume()
      outbox.resume()
    },
    /** A recipient talks no more. */
    quiet: (id: string) => conversation.leave(id),
    tapped: hearing.tapped,
    /** Opens the channels anew whose settings, or whose taps, count otherwise than before. */
    async reload(): Promise<void> {
      await directory.look()
      look()
    },
    async stop(): Promise<void> {
      stopping.abort()
      conversation.stopFollowing()
      await directory.stop()
      await outbox.stop()
    },
  }
}
