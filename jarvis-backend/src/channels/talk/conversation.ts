import { hashOf } from '../../lib/canonical.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { timeOfDay } from '../../lib/time-of-day.ts'
import { JarvisError } from '../../protocol/index.ts'
import type { Channel, ChannelKind, Incoming, IncomingText, Sender } from '../channel.ts'
import type { Attempt } from '../outbox.ts'
import type { OutboxItem, Recipient, RecipientStore, TalkOf } from '../ports.ts'
import type { Registry } from '../registry.ts'
import type { Say, Spoken, Tell } from '../spoken.ts'
import { hashOfChoice, isOpen } from './choices.ts'
import { createFollowing } from './follow.ts'
import { createListening } from './listening.ts'
import { questionKey, waitingLines } from './messages.ts'
import { helpLines, namedAgent, type Order, orderOf } from './orders.ts'
import type { ChatStore, ChoiceStore, HeardStore, House, StoredChoice } from './ports.ts'
import { createPreviews } from './previews.ts'
import { createSending } from './sending.ts'

/** What was written longer ago is answered and not run, ms: it arrives late after an outage. */
const oldAfterMs = 2 * 60_000
const mostFileBytes = 10 * 1024 * 1024
const fileForMs = 20_000
const mostForeign = 20_000
const keptForMs = 24 * 60 * 60_000
const mostLines = 1_500

/** What was heard of an update. `advance` notes that it was taken, within a transaction. */
type Advance = () => void
type Tap = Extract<Incoming, { kind: 'tap' }>

/** Talks with paired people in their private chats. It knows no channel by name. */
export function createConversation(parts: {
  house: House
  chats: ChatStore
  choices: ChoiceStore
  heard: HeardStore
  recipients: Pick<RecipientStore, 'list' | 'get'>
  registry: Pick<Registry, 'channel' | 'kind'>
  clock: Clock
  say: Say
  tell: Tell
  redact(text: string): string
  atomically<T>(work: () => T): T
  durably<T>(work: () => T): T
  /** Whether a person may decide cards now, and so is talked with. */
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
  const { house, chats, choices, clock, say } = parts
  const linkTo = (sessionId: string) =>
    parts.publicUrl === undefined ? undefined : new URL(`/chat/${sessionId}`, parts.publicUrl).href
  const recipient = (id: string) => parts.recipients.get(id)
  const over = say('This is not open any more.')

  const idOf = (recipient: string, key: string) => `out_${hashOf([recipient, key]).slice(0, 32)}`
  function put({ id, channel }: Recipient, key: string, talk: TalkOf, of?: string) {
    const at = clock.now()
    parts.add({
      ...{ id: of === undefined ? idOf(id, key) : newId('out'), recipient: id, channel, key },
      act: of === undefined ? 'deliver' : 'revise',
      content: {
        ...{ kind: 'talk', level: 'info', title: say('Conversation'), lines: [], path: '/', talk },
        ...(of !== undefined && { of }),
      },
      ...{ createdAt: at, expiresAt: at + keptForMs },
    })
  }
  function line({ id, channel }: Recipient, key: string, text: string) {
    const at = clock.now()
    const content = { kind: 'talk', level: 'info', title: say(text), lines: [], path: '/' } as const
    parts.add({
      id: idOf(id, key),
      recipient: id,
      channel,
      key,
      act: 'deliver',
      content,
      createdAt: at,
      expiresAt: at + keptForMs,
    })
  }

  const previews = createPreviews({ ...parts, recipient })
  const sending = createSending({ ...parts, previews, linkTo })
  const following = createFollowing({
    ...{ ...parts, previews, linkTo },
    put: (to, key, talk) => put(to, talk.what === 'question' ? questionKey(talk.questionId) : key, talk),
    ended(to, questionId) {
      const key = questionKey(questionId)
      put(to, key, { what: 'question', questionId, thread: '' }, idOf(to.id, key))
      parts.look()
    },
  })
  const listening = createListening({ ...parts, transcribe: house.transcribe, recipient, put, line })

  /** The person whose private chat it is. Nobody else is listened to. */
  const ownerOf = (
    { id, capabilities }: ChannelKind,
    account: string,
    from: Sender | undefined,
  ): Recipient | undefined =>
    capabilities.talks !== undefined && from?.isPrivate === true
      ? parts.recipients
          .list(id)
          .find((one) => !one.isGroup && one.account === account && one.user === from.user && one.chat === from.chat)
      : undefined

  function enter(to: Recipient, thread: string, sessionId: string) {
    chats.enter({ recipient: to.id, thread, sessionId, told: -1, at: clock.now() })
  }
  function followCurrent(to: Recipient, thread: string, kind: ChannelKind) {
    const chat = chats.current(to.id, thread)
    if (chat !== undefined) following.follow(chat, to, kind)
  }

  /** Hands a person's message to the house. `besides` runs in the transaction that stores it. @throws JarvisError */
  function send(
    to: Recipient,
    kind: ChannelKind,
    said: { thread: string; text: string; requestId: string; attachments: readonly string[]; isNew?: boolean },
    besides: () => void,
  ): { isQueued: boolean } {
    const { thread, text, requestId, attachments } = said
    const current = said.isNew === true ? undefined : chats.current(to.id, thread)?.sessionId
    const session = current === undefined ? undefined : house.session(current)
    const named = namedAgent(text)
    const isOthers = named !== undefined && house.hasAgent(named) && named !== session?.agent
    const sessionId = session === undefined || isOthers ? undefined : current
    const agent =
      to.agent ?? house.agentFor({ channel: kind.id, account: to.account, chat: to.chat, person: to.person })
    const hasName = named !== undefined && house.hasAgent(named)
    const sent = house.start({
      ...{ text, by: to.person, via: kind.id, requestId, attachments },
      ...(sessionId !== undefined ? { sessionId } : hasName ? {} : { agent }),
      remember(made) {
        if (made.sessionId !== current) enter(to, thread, made.sessionId)
        besides()
      },
    })
    followCurrent(to, thread, kind)
    return { isQueued: sent.queued }
  }

  function ordered(
    order: Exclude<Order, { does: 'new' }>,
    to: Recipient,
    incoming: IncomingText,
    advance: Advance,
  ): Spoken | undefined {
    const { thread = '' } = incoming.from
    const take = (text: string | undefined) => {
      parts.atomically(advance)
      return text === undefined ? undefined : say(text, mostLines)
    }
    switch (order.does) {
      case 'help':
        return take(helpLines.join('\n'))
      case 'status':
        return take(house.status(to.person))
      case 'waiting':
        return take(
          [
            ...waitingLines(house.waiting(), to.hidesNames),
            ...(parts.publicUrl === undefined ? [] : [new URL('/waiting', parts.publicUrl).href]),
          ].join('\n'),
        )
      case 'sessions':
        parts.atomically(() => {
          put(to, `talk:sessions:${thread}:${incoming.ref}`, { what: 'sessions', thread })
          advance()
        })
        parts.look()
        return undefined
      case 'stop':
        return take(stop(to, thread))
      default:
        return order.does satisfies never
    }
  }

  function stop(to: Recipient, thread: string): string | undefined {
    const chat = chats.current(to.id, thread)
    if (chat === undefined || house.session(chat.sessionId)?.isRunning !== true) return 'Nothing goes on here.'
    house.abort(chat.sessionId, to.person)
    return undefined
  }

  /** Keeps the files of a message, and the words of others as a file, so that they are data. @returns their ids @throws JarvisError, Error in words */
  async function filesOf({ files = [], foreign = [] }: IncomingText, to: Recipient): Promise<string[]> {
    const open = parts.registry.channel(to.channel)?.channel
    const ids: string[] = []
    for (const { ref, name, bytes = 0 } of files) {
      if (bytes > mostFileBytes || open?.file === undefined)
        throw new JarvisError('message_too_large', `${name} is too large: a file may have 10 MB.`)
      const signal = AbortSignal.any([parts.signal, AbortSignal.timeout(fileForMs)])
      ids.push(house.upload(to.person, { name, data: await open.file(ref, mostFileBytes, signal) }))
    }
    for (const { how, text } of foreign) {
      const data = Buffer.from(text.slice(0, mostForeign).toWellFormed())
      if (data.length > 0) ids.push(house.upload(to.person, { name: `${how}.txt`, data }))
    }
    return ids
  }

  async function message(
    to: Recipient,
    kind: ChannelKind,
    incoming: IncomingText,
    advance: Advance,
    isNew: boolean,
    written: string,
  ): Promise<Spoken | undefined> {
    const { thread = '' } = incoming.from
    const attachments = await filesOf(incoming, to)
    const words = written.trim()
    if (words === '' && attachments.length === 0) {
      parts.atomically(advance)
      return say('JARVIS takes text, pictures, text files and voice notes.')
    }
    // What others wrote is never the line itself.
    const text = words === '' ? ((incoming.foreign ?? []).length > 0 ? 'I forward you this.' : 'Look at this.') : words
    let isTaken = false
    const { isQueued } = send(
      to,
      kind,
      { thread, text, attachments, isNew, requestId: `${kind.id} ${incoming.from.chat} ${incoming.ref}` },
      () => {
        advance()
        isTaken = true
      },
    )
    // A message that came a second time started nothing.
    if (!isTaken) parts.atomically(advance)
    return isQueued ? say('It waits until the answer before it is done. /stop ends that.') : undefined
  }

  /** What a person writes while a question of their conversation waits is its answer. */
  function answered(to: Recipient, incoming: IncomingText, advance: Advance): Spoken | undefined {
    const chat = chats.current(to.id, incoming.from.thread ?? '')
    const isOnlyText = (incoming.files ?? []).length === 0 && (incoming.foreign ?? []).length === 0
    const question = chat && isOnlyText && house.questions(chat.sessionId).find(({ server }) => server === undefined)
    if (!question) return undefined
    house.answer({ questionId: question.questionId, by: to.person, said: incoming.text.trim(), remember: advance })
    return say('Taken as your answer.')
  }

  async function text(
    kind: ChannelKind,
    account: string,
    incoming: IncomingText,
    advance: Advance,
  ): Promise<Spoken | undefined> {
    const to = ownerOf(kind, account, incoming.from)
    const take = (answer?: string) => {
      parts.atomically(advance)
      return answer === undefined ? undefined : say(answer)
    }
    if (to === undefined || !parts.mayDecide(to.person)) return take()
    if (!to.talks) return take('Conversation is off here. Switch it on in the dashboard: Settings, Channels.')
    if (clock.now() - incoming.at > oldAfterMs)
      return take(
        `You wrote this at ${timeOfDay(incoming.at)}, and it arrived late, so nothing was done. Send it again if it still counts.`,
      )
    const { voice } = incoming
    if (voice !== undefined) {
      const problem = listening.problem(voice)
      if (problem !== undefined) return take(problem)
      const begin = parts.atomically(() => {
        advance()
        return listening.keep(to, incoming.from.thread ?? '', voice.ref, incoming.at)
      })
      begin()
      return undefined
    }
    const isTheirs = (incoming.foreign ?? []).every(({ how }) => how !== 'forwarded')
    const order = isTheirs ? orderOf(incoming.text) : undefined
    try {
      if (order?.does === 'new' && order.rest === '' && (incoming.files ?? []).length === 0) {
        parts.atomically(() => {
          chats.leave(to.id, incoming.from.thread ?? '')
          advance()
        })
        return say('The next message begins a new conversation.')
      }
      if (order !== undefined && order.does !== 'new') return ordered(order, to, incoming, advance)
      const isCall = incoming.text.trimStart().startsWith('/')
      const answer =
        order === undefined && !isCall && incoming.text.trim() !== '' ? answered(to, incoming, advance) : undefined
      if (answer !== undefined) return answer
      return await message(
        to,
        kind,
        incoming,
        advance,
        order?.does === 'new',
        order?.does === 'new' ? order.rest : incoming.text,
      )
    } catch (error) {
      // The update comes again where JARVIS stops.
      if (parts.signal.aborted || (error instanceof JarvisError && error.code === 'shutting_down')) throw error
      return take(error instanceof Error ? error.message : 'That failed.')
    }
  }

  function done(
    choice: StoredChoice,
    hash: string,
    to: Recipient,
    kind: ChannelKind,
    ref: string | undefined,
    advance: Advance,
  ): Spoken {
    const use = () => {
      if (!choices.use(hash, clock.now())) throw new JarvisError('already_decided', 'Its button was used before.')
      if (ref !== undefined) choices.bind(choice.item, ref)
      advance()
    }
    const { deed, thread } = choice
    switch (deed.does) {
      case 'answer':
        house.answer({
          questionId: deed.questionId,
          by: to.person,
          answers: [{ chosen: [deed.option] }],
          remember: use,
        })
        return say('Taken.')
      case 'decline':
        house.answer({ questionId: deed.questionId, by: to.person, declined: true, remember: use })
        return say('Taken.')
      case 'open':
        parts.atomically(() => {
          use()
          enter(to, thread, deed.sessionId)
        })
        followCurrent(to, thread, kind)
        return say('What you write goes there now.')
      case 'discard':
      case 'send': {
        const note = parts.heard.get(deed.heard)
        if (note?.text === undefined || note.end !== undefined) throw new JarvisError('already_decided', 'It is over.')
        const key = `heard:${note.id}`
        const end = () => {
          use()
          if (!parts.heard.end(note.id, deed.does === 'send' ? 'sent' : 'discarded'))
            throw new JarvisError('already_decided', 'It is over.')
          put(to, key, { what: 'heard', id: note.id, thread }, idOf(to.id, key))
        }
        if (deed.does === 'discard') parts.atomically(end)
        else send(to, kind, { thread, text: note.text, requestId: key, attachments: [] }, end)
        return say(deed.does === 'send' ? 'Sent.' : 'Discarded.')
      }
      default:
        return deed satisfies never
    }
  }

  return {
    text,
    /** A button of a conversation was pressed. @returns what the person is told; undefined: silence */
    choose(kind: ChannelKind, account: string, { token, from, ref }: Tap, advance: Advance): Spoken | undefined {
      const to = ownerOf(kind, account, from)
      if (to === undefined || !parts.mayDecide(to.person)) {
        parts.atomically(advance)
        return undefined
      }
      const hash = hashOfChoice(token)
      const choice = choices.get(hash)
      if (!to.talks || !isOpen(choice, { recipient: to.id, ref, now: clock.now() })) {
        parts.atomically(() => {
          advance()
          parts.record({
            change: 'tap_refused',
            channel: kind.id,
            recipient: to.id,
            person: to.person,
            because: 'its button is not open',
          })
        })
        return over
      }
      try {
        const answer = done(choice, hash, to, kind, ref, advance)
        parts.look()
        return answer
      } catch (error) {
        if (!(error instanceof JarvisError) || error.code === 'shutting_down') throw error
        parts.atomically(advance)
        return error.code === 'already_decided' || error.code === 'expired' ? over : say(error.message, 200)
      }
    },
    /** A person pressed the service's own stop. */
    stop(kind: ChannelKind, account: string, from: Sender, advance: Advance): undefined {
      const to = ownerOf(kind, account, from)
      if (to?.talks === true && parts.mayDecide(to.person)) stop(to, from.thread ?? '')
      parts.atomically(advance)
      return undefined
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
      parts.heard.removeOf(id)
    },
    /** Takes up what the last process left: answers that were not told, voice notes that were not heard. */
    resume(): void {
      choices.prune(clock.now())
      parts.heard.prune(clock.now() - 7 * keptForMs)
      for (const chat of chats.list()) {
        const to = recipient(chat.recipient)
        const kind = to && parts.registry.kind(to.channel)
        if (to?.talks === true && kind !== undefined && house.session(chat.sessionId) !== undefined)
          following.follow(chat, to, kind)
      }
      listening.resume()
    },
    stopFollowing: following.stop,
  }
}
export type Conversation = ReturnType<typeof createConversation>
