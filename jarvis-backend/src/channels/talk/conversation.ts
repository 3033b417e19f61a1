import { type Clock, oldBefore } from '../../lib/clock.ts'
import type { Channel, ChannelKind, Incoming, IncomingText, Sender } from '../channel.ts'
import type { ChannelDirectory } from '../open-channels.ts'
import type { Attempt } from '../outbox.ts'
import type { OutboxItem, Recipient, RecipientStore, TalkOf } from '../ports.ts'
import type { Say, Spoken, Tell } from '../spoken.ts'
import { createCurrentSession } from './current-session.ts'
import { createDeeds } from './deeds.ts'
import { createFollowing } from './follow.ts'
import { createKeptFiles } from './kept-files.ts'
import { createListening } from './listening.ts'
import { questionKey } from './messages.ts'
import { createOrderAnswers, heldWords } from './order-answers.ts'
import type { ChatStore, ChoiceStore, HeardStore, TalkPorts } from './ports.ts'
import { createPreviews } from './previews.ts'
import { createSending } from './sending.ts'
import { createTalkOutbox } from './talk-outbox.ts'
import { createTexts } from './texts.ts'

const notesKeptForMs = 7 * 24 * 60 * 60_000

/** Notes that an update was taken, within a transaction. */
type Advance = () => void
type Tap = Extract<Incoming, { kind: 'tap' }>
type Edit = Extract<Incoming, { kind: 'edit' }>

/** How many changed messages are remembered, so that a person is told once of each. */
const mostEdits = 1_000

/** Talks with paired people in their private chats. It knows no channel by name. */
export function createConversation(parts: {
  house: TalkPorts
  chats: ChatStore
  choices: ChoiceStore
  heard: HeardStore
  recipients: Pick<RecipientStore, 'list' | 'get'>
  directory: Pick<ChannelDirectory, 'channel' | 'kind'>
  clock: Clock
  say: Say
  tell: Tell
  redact(text: string): string
  atomically<T>(work: () => T): T
  durably<T>(work: () => T): T
  /** Returns true if a person may decide cards now, and so may talk. */
  mayDecide(person: string): boolean
  /** Adds to the outbox. */
  add(
    item: Pick<OutboxItem, 'id' | 'recipient' | 'channel' | 'act' | 'key' | 'content' | 'createdAt' | 'expiresAt'>,
  ): void
  look(): void
  record(body: Record<string, unknown>): void
  publicUrl: string | undefined
  signal: AbortSignal
  report(error: unknown, message: string): void
}) {
  const { house, chats, choices, heard, clock, publicUrl } = parts
  const linkTo = (sessionId: string) =>
    publicUrl === undefined ? undefined : new URL(`/chat/${sessionId}`, publicUrl).href
  const recipient = (id: string) => parts.recipients.get(id)
  const toldOfEdit = new Set<string>()

  const outbox = createTalkOutbox(parts)
  const previews = createPreviews({ ...parts, recipient })
  const sending = createSending({ ...parts, previews, linkTo })
  const following = createFollowing({
    ...parts,
    previews,
    linkTo,
    put: (to, key, talk) => outbox.put(to, talk.what === 'question' ? questionKey(talk.questionId) : key, talk),
    ended(to, questionId) {
      outbox.revise(to, questionKey(questionId), { what: 'question', questionId, thread: '' })
      parts.look()
    },
  })
  const listening = createListening({ ...parts, ...outbox, transcribe: house.transcribe, recipient })
  const session = createCurrentSession({ ...parts, following })
  const answerOrder = createOrderAnswers({ ...parts, session, outbox })
  const texts = createTexts({ ...parts, session, listening, keptFiles: createKeptFiles(parts), answerOrder })
  const deeds = createDeeds({ ...parts, session, outbox })

  /** The person whose private chat it is, if that person may decide cards now. Nobody else is heard. */
  function listenedTo({ id, capabilities }: ChannelKind, account: string, from: Sender | undefined) {
    if (capabilities.talks === undefined || from?.isPrivate !== true) return undefined
    const owner = parts.recipients
      .list(id)
      .find((one) => !one.isGroup && one.account === account && one.user === from.user && one.chat === from.chat)
    return owner !== undefined && parts.mayDecide(owner.person) ? owner : undefined
  }
  function ignore(advance: Advance): undefined {
    parts.atomically(advance)
  }

  return {
    /** A person wrote. @returns what the person is told; undefined: silence */
    async text(
      kind: ChannelKind,
      account: string,
      incoming: IncomingText,
      advance: Advance,
    ): Promise<Spoken | undefined> {
      const to = listenedTo(kind, account, incoming.from)
      return to === undefined ? ignore(advance) : texts.take({ to, kind, incoming, advance })
    },
    /** A person changed a message whose first text was taken. @returns the answer, once for each message; undefined: silence */
    edited(kind: ChannelKind, account: string, { from, ref }: Edit, advance: Advance): Spoken | undefined {
      const to = listenedTo(kind, account, from)
      parts.atomically(advance)
      const key = `${to?.id} ${ref}`
      if (to?.talks !== true || toldOfEdit.has(key)) return undefined
      if (toldOfEdit.size >= mostEdits) toldOfEdit.clear()
      toldOfEdit.add(key)
      return parts.say('I answered what you wrote first. A changed message does not count: send it anew.')
    },
    /** A button of a conversation was pressed. @returns what the person is told; undefined: silence */
    choose(kind: ChannelKind, account: string, incoming: Tap, advance: Advance): Spoken | undefined {
      const to = listenedTo(kind, account, incoming.from)
      return to === undefined ? ignore(advance) : deeds.choose({ to, kind, incoming, advance })
    },
    /** A person pressed the service's own stop. @returns what the stop holds; undefined: silence */
    stop(kind: ChannelKind, account: string, from: Sender, advance: Advance): Spoken | undefined {
      const to = listenedTo(kind, account, from)
      const { thread = '' } = from
      if (to?.talks === true) session.stop(to, thread)
      parts.atomically(advance)
      if (to?.talks !== true) return undefined
      const held = session.held(to, thread)
      return held.length === 0 ? undefined : parts.say(heldWords(held))
    },
    /** Makes one attempt at a message of the outbox. */
    attempt: (
      item: OutboxItem,
      talk: TalkOf,
      to: Recipient,
      kind: ChannelKind,
      channel: Channel,
      original: string | undefined,
    ): Promise<Attempt> => sending.attempt(item, talk, to, kind, channel, original),
    sent: sending.sent,
    /** A recipient talks no more, or is gone. Within the caller's transaction. */
    leave: following.leave,
    forget(id: string): void {
      following.leave(id)
      chats.removeOf(id)
      choices.removeOf(id)
      heard.removeOf(id)
    },
    /** Takes up what the last process left: answers that were not told, voice notes that were not heard. */
    resume(): void {
      choices.prune(clock.now())
      heard.prune(oldBefore(clock, notesKeptForMs))
      for (const chat of chats.list()) {
        const to = recipient(chat.recipient)
        const kind = to && parts.directory.kind(to.channel)
        if (to?.talks === true && kind !== undefined && house.session(chat.sessionId) !== undefined)
          following.follow(chat, to, kind)
      }
      listening.resume()
    },
    stopFollowing: following.stop,
  }
}
export type Conversation = ReturnType<typeof createConversation>
