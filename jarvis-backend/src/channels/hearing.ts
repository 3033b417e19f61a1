import type { CardMessages } from './card-messages.ts'
import type { Ending } from './cards.ts'
import type { Answered, ChannelKind, Heard, Incoming, Sender } from './channel.ts'
import type { Groups } from './groups.ts'
import type { ChannelDirectory } from './open-channels.ts'
import type { Pairings } from './pairings.ts'
import type { OutboxStore, RecipientStore } from './ports.ts'
import type { Spoken } from './spoken.ts'
import { isChoice } from './talk/choices.ts'
import type { Conversation } from './talk/conversation.ts'
import type { KnownCard, Taps } from './taps.ts'

const strangersEveryMs = 60 * 60_000

/** Hands everything that comes in over channels to the part that handles it. Strangers get no answer. */
export function createHearing(parts: {
  store: Pick<OutboxStore, 'get'>
  recipients: Pick<RecipientStore, 'get' | 'list'>
  directory: Pick<ChannelDirectory, 'channel' | 'kind'>
  taps: Taps
  pairings: Pick<Pairings, 'opened'>
  groups: Pick<Groups, 'noticed'>
  conversation: Pick<Conversation, 'choose' | 'text' | 'edited' | 'stop'>
  cardMessages: Pick<CardMessages, 'revise'>
  cardOf(toolUseId: string): (KnownCard & { ending?: Ending }) | undefined
  /** Notes where to go on after what was taken. */
  advance(channel: string, cursor: string): void
  atomically<T>(work: () => T): T
  /** As `Database.untilFree`. */
  untilFree(forever: 'forever'): Promise<void> | undefined
  announce(text: string, level: 'info' | 'warning'): void
  look(): void
  now(): number
}) {
  const { taps, conversation, recipients, directory, now } = parts
  let strangers = 0
  let strangersTold = Number.NEGATIVE_INFINITY

  /** Decides by a tap. A tap also reveals a copy of the card that a crash left unrecorded, so that copy is revised too. */
  async function decided(...[kind, account, tap, advance]: Parameters<typeof taps.tap>) {
    const answer = await taps.tap(kind, account, tap, advance)
    const button = answer === undefined ? undefined : taps.button(tap.token)
    if (button?.ref === undefined || button.ref !== tap.ref) return answer
    const { ref } = button
    const item = parts.store.get(button.item.slice(0, button.item.lastIndexOf('.')))
    const recipient = recipients.get(button.recipient)
    const ending = parts.cardOf(button.toolUseId)?.ending
    if (item === undefined || recipient === undefined || ending === undefined || item.ref === ref) return answer
    parts.atomically(() => parts.cardMessages.revise(item, recipient, ending, ref))
    return answer
  }

  async function made(kind: ChannelKind, account: string, incoming: Incoming): Promise<Answered | Spoken | undefined> {
    const advance = () => {
      if (incoming.cursor !== undefined) parts.advance(kind.id, incoming.cursor)
    }
    switch (incoming.kind) {
      case 'tap':
        return isChoice(incoming.token)
          ? conversation.choose(kind, account, incoming, advance)
          : decided(kind, account, incoming, advance)
      case 'pair':
        return parts.pairings.opened(kind, account, incoming, advance)
      case 'text':
        return conversation.text(kind, account, incoming, advance)
      case 'edit':
        return conversation.edited(kind, account, incoming, advance)
      case 'stop':
        return conversation.stop(kind, account, incoming.from, advance)
      case 'group':
        return parts.groups.noticed(kind, account, incoming, advance)
      case 'other':
        parts.atomically(advance)
        return undefined
      default:
        return incoming satisfies never
    }
  }
  /** People who write in a group that JARVIS tells do not try to reach JARVIS, so they are no strangers. */
  const isKnown = ({ id }: ChannelKind, { user, chat }: Sender) =>
    recipients.list(id).some((one) => one.user === user || (one.isGroup && one.chat === chat))

  /** The operator hears of strangers once an hour. */
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

  function listener(kind: ChannelKind, account: string): Heard {
    return async (incoming) => {
      const free = parts.untilFree('forever')
      if (free !== undefined) await free
      const answer = await made(kind, account, incoming)
      const from = 'from' in incoming ? incoming.from : undefined
      if (answer === undefined && from !== undefined && !isKnown(kind, from)) stranger(kind)
      if (answer !== undefined) parts.look()
      return typeof answer === 'string' ? { answer } : (answer ?? {})
    }
  }

  return {
    listener,
    /** Decides by a request of a phone that holds a message. Only a denial counts. @returns what the phone is told */
    async tapped(channel: string, token: string): Promise<Spoken> {
      const kind = directory.kind(channel)
      const open = directory.channel(channel)
      const isTap = kind?.capabilities.tapsByAddress === true && token.endsWith('.d')
      if (kind === undefined || open === undefined || !isTap) return taps.over
      const { answer } = await listener(kind, open.account)({ kind: 'tap', token })
      return answer ?? taps.over
    },
  }
}
