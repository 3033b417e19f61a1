import { hashOf } from '../lib/canonical.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Card, ChannelRules } from '../protocol/index.ts'
import { cardContent, type Ending, endedContent } from './cards.ts'
import type { Channel, ChannelKind, Delivery, Heard, Level, Outgoing } from './channel.ts'
import { type Attempt, createOutbox } from './outbox.ts'
import { createPairings } from './pairings.ts'
import type { Content, NonceStore, OutboxItem, OutboxStore, PairingStore, Recipient, RecipientStore } from './ports.ts'
import { createRegistry } from './registry.ts'
import { type Matter, type MatterKind, mayDisturb } from './rules.ts'
import type { Say, Spoken, Tell } from './spoken.ts'
import { isChoice } from './talk/choices.ts'
import { createConversation } from './talk/conversation.ts'
import type { ChatStore, ChoiceStore, HeardStore, House } from './talk/ports.ts'
import { attemptOf, createTaps, type DecideByTap, type KnownCard } from './taps.ts'

/** How long a notice is tried, ms. */
const noticeForMs = 24 * 60 * 60_000
const testForMs = 10 * 60_000
/** More cards of a recipient than this within a minute are told of in one line. */
const mostCards = 5
const cardsWithinMs = 60_000
/** More notices of a recipient than this within five minutes are held for one digest. */
const mostNotices = 10
const noticesWithinMs = 5 * 60_000
const mostDigestLines = 8
const strangersEveryMs = 60 * 60_000

/** What people are told. `hidden`: the same without a name of anything. */
export type Notice = {
  kind: MatterKind
  level: Exclude<Level, 'card'>
  title: string
  body: string
  hidden: string
  /** A second notice of this tag with the same words is the same one. */
  tag: string
  path: string
}

export type Channels = ReturnType<typeof createChannels>

/** Reaches people over the channels that are set up, and takes their decisions. */
export function createChannels(parts: {
  kinds: readonly ChannelKind[]
  read: Parameters<typeof createRegistry>[0]['read']
  outbox: OutboxStore
  recipients: RecipientStore
  pairings: PairingStore
  nonces: NonceStore
  chats: ChatStore
  choices: ChoiceStore
  heard: HeardStore
  /** What a conversation needs of the house. */
  house: House
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  clock: Clock
  atomically<T>(work: () => T): T
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
  /** Whether a person may decide cards now, and so hears of them. */
  mayDecide(person: string): boolean
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
  const cursorKey = (channel: string) => `channel_cursor_${channel}`
  let strangers = 0
  let strangersTold = Number.NEGATIVE_INFINITY

  const outbox = createOutbox({
    ...{ store, clock, atomically: parts.atomically, report: parts.report, changed: parts.changed },
    attempt,
    ended(item, delivery) {
      if (delivery.kind === 'sent' && delivery.ref !== undefined) nonces.bind(attemptOf(item), delivery.ref)
      const { talk } = item.content
      if (delivery.kind === 'sent' && talk !== undefined) conversation.sent(item, talk, delivery.ref)
      if (delivery.kind === 'gone') recipients.trouble(item.recipient, delivery.why)
      if (delivery.kind === 'sent') recipients.trouble(item.recipient, undefined)
    },
    announce: (text) => parts.announce(text, 'warning'),
  })
  const taps = createTaps({ ...parts, now })
  const registry = createRegistry({
    ...parts,
    heard: listener,
    cursor: (channel) => parts.settings.get(cursorKey(channel)) || undefined,
    opened: renew,
    isHeard: ({ id, capabilities }) => capabilities.pairs || recipients.list(id).some((one) => one.decides !== 'none'),
    tapAddress: ({ id, capabilities }) =>
      capabilities.tapsByAddress === true && parts.publicUrl !== undefined
        ? new URL(`/api/channel-taps/${id}`, parts.publicUrl).href
        : undefined,
    closed: ({ id }) => void parts.durably(() => forget(id, 'the channel was taken out')),
  })
  const stopping = new AbortController()
  const conversation = createConversation({
    ...{ ...parts, registry, signal: stopping.signal },
    add: (item) => void outbox.add(item),
    look: () => outbox.look(),
  })
  const pairings = createPairings({
    ...parts,
    ...{ registry, now },
    paired(recipient, replaced) {
      if (replaced !== undefined) end(replaced, 'paired anew')
      const title = say(`Paired with ${parts.nameOf(recipient.person)}.`)
      add(
        recipient,
        `paired:${recipient.id}`,
        { kind: 'pairing', level: 'info', title, lines: [], path: '/' },
        testForMs,
      )
    },
    changed() {
      parts.changed()
      outbox.look()
    },
  })

  /** Ends everything that a recipient has, in the caller's transaction. */
  function end({ id }: Recipient, why: string) {
    nonces.removeOf(id)
    conversation.forget(id)
    store.dropAll(id, now(), why)
  }
  function forget(channel: string, why: string) {
    for (const recipient of recipients.list(channel)) {
      end(recipient, why)
      recipients.remove(recipient.id)
    }
    parts.pairings.removeOf(channel)
  }

  /** With another account, what was paired is void. A channel that pairs nobody has one recipient. */
  function renew(kind: ChannelKind, account: string) {
    const before = recipients.list(kind.id)
    if (before.length > 0 && before.every((one) => one.account === account)) return
    const key = `channel_account_${kind.id}`
    const known = parts.settings.get(key)
    parts.durably(() => {
      parts.settings.set(key, account)
      if (known !== undefined && known !== account) {
        if (kind.capabilities.pairs && before.length > 0)
          parts.record({ change: 'pairings_void', channel: kind.id, count: before.length })
        parts.settings.set(cursorKey(kind.id), '')
        forget(kind.id, 'its settings were changed')
      }
      if (kind.capabilities.pairs || recipients.list(kind.id).length > 0) return
      recipients.add({
        ...{
          id: newId('rcp'),
          channel: kind.id,
          account,
          person: parts.firstOwner,
          user: '',
          chat: '',
          name: kind.name,
        },
        ...{ decides: 'none', hidesNames: kind.capabilities.hidesNames, talks: false, createdAt: now() },
      })
    })
  }

  const add = (
    { id: recipient, channel }: Recipient,
    key: string,
    content: Content,
    forMs: number,
    more: Partial<Pick<OutboxItem, 'notBefore' | 'act' | 'end' | 'endedAt' | 'why'>> = {},
  ): boolean => {
    const at = now()
    return outbox.add({
      ...{ id: newId('out'), recipient, channel, act: 'deliver', key, content },
      ...{ createdAt: at, expiresAt: at + forMs },
      ...more,
    })
  }

  async function attempt(item: OutboxItem): Promise<Attempt> {
    const recipient = recipients.get(item.recipient)
    if (recipient === undefined) return { kind: 'dropped', why: 'nobody is paired there any more' }
    if (!parts.mayDecide(recipient.person)) return { kind: 'dropped', why: 'its person hears of nothing any more' }
    const open = registry.channel(item.channel)
    if (open === undefined) return { kind: 'again', why: `${item.channel} is not set up` }
    const { card, of, talk } = item.content
    const kind = registry.kind(item.channel)
    const isStillOpen = card !== undefined && parts.cardOf(card.toolUseId)?.isDecided === false
    if (item.act === 'deliver' && card !== undefined && !isStillOpen)
      return { kind: 'dropped', why: 'decided before it could be sent' }
    const original = of === undefined ? undefined : store.get(of)
    const ref = item.content.ref ?? original?.ref
    if (of !== undefined && item.content.ref === undefined && original?.end !== 'sent')
      return { kind: 'dropped', why: 'the message that it changes was not sent' }
    if (talk !== undefined && kind !== undefined)
      return conversation.attempt(item, talk, recipient, kind, open.channel, original?.ref)
    const buttons = item.act === 'deliver' ? parts.durably(() => taps.buttonsFor(item, recipient)) : []
    const message = outgoing({ ...item, id: of ?? item.id }, buttons)
    return sendOver(open.channel, item.act, message, recipient, ref)
  }

  async function sendOver(
    { deliver, revise, withdraw }: Channel,
    act: OutboxItem['act'],
    message: Outgoing,
    to: Recipient,
    ref: string | undefined,
  ): Promise<Delivery> {
    const signal = stopping.signal
    if (act === 'deliver') return deliver(message, to, signal)
    const change = act === 'revise' ? revise : withdraw
    return change?.(message, to, ref, signal) ?? { kind: 'failed', why: 'the channel cannot do that' }
  }

  function outgoing({ id, content, expiresAt, recipient }: OutboxItem, buttons: Outgoing['buttons']): Outgoing {
    const { level, title, path, isOver = false } = content
    const lines = content.kind === 'digest' ? digestLines(recipient, content.since ?? 0) : content.lines
    return {
      ...{ id, level, isOver, expiresAt, buttons },
      // Said once more: what became a secret since is taken out.
      title: say(title),
      lines: lines.map((line) => say(line)),
      ...(parts.publicUrl !== undefined && { link: new URL(path, parts.publicUrl).href }),
    }
  }

  function digestLines(recipient: string, since: number): Content['lines'] {
    const held = store.held(recipient, since)
    const titles = held.slice(0, mostDigestLines).map(({ content }) => content.lines[0] ?? content.title)
    const more = held.length - titles.length
    return more > 0 ? [...titles, say(`And ${more} more.`)] : titles
  }

  async function made(kind: ChannelKind, account: string, incoming: Parameters<Heard>[0]) {
    const advance = () => {
      if (incoming.cursor !== undefined) parts.settings.set(cursorKey(kind.id), incoming.cursor)
    }
    switch (incoming.kind) {
      case 'tap':
        return isChoice(incoming.token)
          ? conversation.choose(kind, account, incoming, advance)
          : decided(kind, account, incoming, advance)
      case 'pair':
        return pairings.opened(kind, account, incoming, advance)
      case 'text':
        return conversation.text(kind, account, incoming, advance)
      case 'stop':
        return conversation.stop(kind, account, incoming.from, advance)
      case 'other':
        parts.atomically(advance)
        return undefined
      default:
        return incoming satisfies never
    }
  }
  function listener(kind: ChannelKind, account: string): Heard {
    return async (incoming) => {
      const answer = await made(kind, account, incoming)
      const from = 'from' in incoming ? incoming.from : undefined
      if (answer === undefined && from !== undefined && !isKnown(kind, from.user)) stranger(kind)
      if (answer !== undefined) outbox.look()
      return answer === undefined ? {} : { answer }
    }
  }
  const isKnown = ({ id }: ChannelKind, user: string) => recipients.list(id).some((one) => one.user === user)

  /** Strangers get silence; the operator hears of them once an hour. */
  function stranger({ name }: ChannelKind) {
    strangers += 1
    if (now() - strangersTold < strangersEveryMs) return
    parts.announce(
      `${strangers === 1 ? 'A stranger wrote' : `Strangers wrote ${strangers} times`} to JARVIS over ${name}. Nobody answered.`,
      'info',
    )
    strangers = 0
    strangersTold = now()
  }

  /** Puts a message in the outbox as the rules have it. @returns why it is not sent at once */
  function put(recipient: Recipient, key: string, content: Content, matter: Matter, forMs: number): string | undefined {
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
  }

  /** Holds a message for the digest at `until`. */
  function hold(recipient: Recipient, key: string, content: Content, until: number, why: string): string {
    const at = now()
    parts.atomically(() => {
      if (!add(recipient, key, content, noticeForMs, { end: 'held', endedAt: at, why })) return
      const digest: Content = {
        ...({ kind: 'digest', level: 'warning', title: say('While it was quiet'), lines: [] } as const),
        ...{ path: '/alerts', since: at },
      }
      add(recipient, `digest:${until}`, digest, until - at + noticeForMs, { notBefore: until })
    })
    return why
  }

  function cardTo(recipient: Recipient, card: Card, bindingHash: string) {
    const at = now()
    const forMs = card.expiresAt - at
    const matter: Matter = { kind: 'card', level: 'card', isAsked: ['chat', 'command'].includes(card.requestedBy.kind) }
    const key = `card:${card.toolUseId}`
    if (store.cardsSince(recipient.id, at - cardsWithinMs) >= mostCards && !store.has(recipient.id, key)) {
      const content: Content = {
        ...({ kind: 'notice', level: 'card', title: say('More calls wait for you.') } as const),
        ...{ lines: [say('Look at them in the dashboard.')], path: '/waiting' },
      }
      put(recipient, `cards:${Math.floor(at / cardsWithinMs)}`, content, matter, forMs)
      return
    }
    put(recipient, key, cardContent(card, bindingHash, recipient, say), matter, forMs)
  }

  /** Revises the messages of cards that were decided, each once. */
  function settle() {
    const at = now()
    for (const item of store.openCards()) {
      const { card } = item.content
      const known = card && parts.cardOf(card.toolUseId)
      if (card === undefined || known?.isDecided === false) continue
      const recipient = recipients.get(item.recipient)
      parts.atomically(() => {
        store.settle(item.id)
        if (item.end === undefined && !item.isOpen)
          store.end(item.id, 'dropped', at, { why: 'decided before it was sent' })
        else if (recipient !== undefined && known?.ending !== undefined && (item.end ?? 'sent') === 'sent')
          reviseCard(item, recipient, known.ending)
      })
    }
  }
  function reviseCard(item: OutboxItem, recipient: Recipient, ending: Ending, ref?: string) {
    const kind = registry.kind(item.channel)
    if (kind?.capabilities.revises !== true) return
    const content = { ...endingOf(item, recipient, ending), of: item.id, ...(ref !== undefined && { ref }) }
    add(recipient, ref === undefined ? item.key : `${item.key}:${ref}`, content, noticeForMs, { act: 'revise' })
  }
  function endingOf({ content }: OutboxItem, { hidesNames }: Recipient, ending: Ending): Content {
    const via = ending.via === undefined ? {} : { via: registry.kind(ending.via)?.name ?? ending.via }
    return endedContent(content, { ...ending, by: parts.nameOf(ending.by), ...via }, hidesNames, say)
  }

  /** Decides by a tap. A copy of the card that a crash left unrecorded is known by the tap on it, and is revised too. */
  async function decided(...[kind, account, tap, advance]: Parameters<typeof taps.tap>) {
    const answer = await taps.tap(kind, account, tap, advance)
    const button = answer === undefined ? undefined : taps.button(tap.token)
    if (button?.ref === undefined || button.ref !== tap.ref) return answer
    const { ref } = button
    const item = store.get(button.item.slice(0, button.item.lastIndexOf('.')))
    const recipient = recipients.get(button.recipient)
    const ending = parts.cardOf(button.toolUseId)?.ending
    if (item === undefined || recipient === undefined || ending === undefined || item.ref === ref) return answer
    parts.atomically(() => reviseCard(item, recipient, ending, ref))
    return answer
  }
  const safely = (work: () => void) => {
    try {
      work()
      outbox.look()
    } catch (error) {
      parts.report(error, 'people could not be told over channels')
    }
  }

  return {
    registry,
    pairings,
    /** Compares a session's waiting cards with what was sent: tells of new ones, and changes the messages of the others. Never throws. */
    waiting(cards: readonly Card[]): void {
      safely(() => {
        const to = recipients.list().filter(({ person }) => parts.mayDecide(person))
        for (const card of to.length === 0 ? [] : cards) {
          const known = parts.cardOf(card.toolUseId)
          if (known?.isDecided === false) for (const one of to) cardTo(one, card, known.bindingHash)
        }
        settle()
      })
    },
    /**
     * Tells everybody who may decide, or one of them. Never throws.
     * @returns of each, what a message to them waits for
     */
    tell(
      { kind, level, title, body, hidden, tag, path }: Notice,
      only?: string,
    ): { label: string; problem?: string }[] {
      const told: { label: string; problem?: string }[] = []
      safely(() => {
        for (const recipient of recipients.list()) {
          if (!parts.mayDecide(recipient.person) || (only ?? recipient.person) !== recipient.person) continue
          const words = recipient.hidesNames ? hidden : body
          const content: Content = { kind: 'notice', level, title: say(title), lines: [say(words)], path }
          const problem = put(
            recipient,
            `notice:${tag}:${hashOf([title, body]).slice(0, 16)}`,
            content,
            { kind, level },
            noticeForMs,
          )
          const label = registry.kind(recipient.channel)?.name ?? recipient.channel
          told.push({ label, ...(problem !== undefined && { problem }) })
        }
      })
      return told
    },
    /** Sends a test. @returns the outbox's item */
    test(recipient: Recipient): string {
      const title = say('This is a test.')
      const lines = [say('JARVIS reaches you here.')]
      const key = newId('test')
      add(recipient, key, { kind: 'test', level: 'info', title, lines, path: '/settings#channels' }, testForMs)
      outbox.look()
      return store.log({ limit: 20 }).find((item) => item.key === key)?.id ?? ''
    },
    /** Sends a message again that failed or was dropped. @returns the new item; undefined where it cannot be */
    again(id: string): string | undefined {
      const item = store.get(id)
      const recipient = item && recipients.get(item.recipient)
      const canBe =
        item?.act === 'deliver' && (item.end === 'failed' || item.end === 'dropped') && item.content.kind !== 'card'
      if (recipient === undefined || !canBe) return undefined
      const key = `${item.key}:${newId('again')}`
      add(recipient, key, item.content, noticeForMs)
      outbox.look()
      return store.log({ limit: 20 }).find((one) => one.key === key)?.id
    },
    /** Why the message that a recipient waits for was not sent yet; undefined where none was tried in vain. */
    stuck(recipient: string): string | undefined {
      const item = store.head(recipient, now())
      return item !== undefined && item.attempts > 0 && !item.isOpen ? item.why : undefined
    },
    /** Ends one recipient. @returns false where there is none */
    remove(id: string, why: string): boolean {
      const recipient = recipients.get(id)
      if (recipient === undefined) return false
      parts.durably(() => {
        end(recipient, why)
        recipients.remove(id)
      })
      parts.changed()
      return true
    },
    /** A person's password is another one, or they may not sign in: what was paired with them is void. */
    forgetPerson(person: string): void {
      const theirs = recipients.list().filter((one) => one.person === person && one.user !== '')
      if (theirs.length === 0) return
      parts.durably(() => {
        for (const one of theirs) {
          end(one, 'the password was changed')
          recipients.remove(one.id)
        }
        parts.record({ change: 'pairings_void', person, count: theirs.length })
      })
      parts.changed()
    },
    /** Opens what is set up and takes over what the last process left. */
    async resume(): Promise<void> {
      await registry.look()
      parts.atomically(() => {
        nonces.prune(now())
        parts.pairings.prune(now())
      })
      settle()
      conversation.resume()
      outbox.resume()
    },
    /** A recipient talks no more. */
    quiet: (id: string) => conversation.leave(id),
    /** Decides by a request of a phone that holds a message. Only a denial counts. @returns what the phone is told */
    async tapped(channel: string, token: string): Promise<Spoken> {
      const kind = registry.kind(channel)
      const open = registry.channel(channel)
      const isTap = kind?.capabilities.tapsByAddress === true && token.endsWith('.d')
      if (kind === undefined || open === undefined || !isTap) return taps.over
      const { answer } = await listener(kind, open.account)({ kind: 'tap', token })
      return answer ?? taps.over
    },
    /** Opens the channels anew whose settings, or whose taps, count otherwise than before. */
    async reload(): Promise<void> {
      await registry.look()
      outbox.look()
    },
    async stop(): Promise<void> {
      stopping.abort()
      conversation.stopFollowing()
      await registry.stop()
      await outbox.stop()
    },
  }
}
