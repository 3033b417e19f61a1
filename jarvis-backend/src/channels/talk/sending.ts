import type { Channel, ChannelKind, Delivery, Reply } from '../channel.ts'
import type { Attempt } from '../outbox.ts'
import type { Transactions } from '../parts.ts'
import type { OutboxItem, Recipient, TalkOf } from '../ports.ts'
import type { Tell } from '../spoken.ts'
import { attemptOf } from '../taps.ts'
import { makeChoices, type Offer } from './choices.ts'
import { asText, isTapped, questionText, runFacts, shownParts, textOf } from './messages.ts'
import { pairedChat } from './paired-chat.ts'
import type { ChatStore, ChoiceStore, Deed, Heard, HeardStore, TalkPorts } from './ports.ts'
import type { Previews } from './previews.ts'

const mostSessions = 8

export type SendingParts = {
  talk: Pick<TalkPorts, 'entry' | 'entriesOfRun' | 'picture' | 'question' | 'session' | 'written'>
  chats: ChatStore
  choices: ChoiceStore
  heard: Pick<HeardStore, 'get'>
  previews: Pick<Previews, 'settled'>
  tell: Tell
  database: Pick<Transactions, 'durably'>
  /** The address of a session in the dashboard; undefined if it is not known. */
  linkTo(sessionId: string): string | undefined
  signal: AbortSignal
}

/** One attempt at a message of a conversation. `original`: the service's id of the message that this one changes. */
export type TalkAttempt = {
  item: OutboxItem
  talk: TalkOf
  recipient: Recipient
  kind: ChannelKind
  channel: Channel
  original: string | undefined
}

type TalkWhat<What extends TalkOf['what']> = Extract<TalkOf, { what: What }>
type Made = {
  text: string
  offers?: Offer[]
  picture?: Reply['picture']
  document?: Reply['document']
  isAnswer?: boolean
}
const no: Delivery = { kind: 'failed', why: 'the channel cannot do that' }

/** Makes the messages of conversations when they are sent, from the transcript and the stored questions and voice notes. */
export class Sending {
  readonly #parts: SendingParts

  constructor(parts: SendingParts) {
    this.#parts = parts
  }

  /** Makes one attempt at a message of a conversation. */
  async attempt(attempt: TalkAttempt): Promise<Attempt> {
    const { previews, signal } = this.#parts
    const { item, talk, recipient, kind, channel, original } = attempt
    const to = pairedChat(recipient, talk.thread)
    if (to === undefined) return { kind: 'dropped', why: 'conversation is off there' }
    await previews.settled({ recipient: recipient.id, thread: talk.thread })
    const message = talk.what === 'file' ? await this.#file(talk, kind) : this.#made({ ...attempt, talk })
    if (message === undefined) return { kind: 'dropped', why: 'it is over, or gone' }
    const reply = this.#replyOf(attempt, message)
    if (item.act !== 'revise') return channel.say?.(reply, to, signal) ?? no
    return original === undefined ? no : (channel.resay?.(reply, { to, ref: original }, signal) ?? no)
  }

  /** Records that a message was sent, in the transaction of its end. */
  sent(item: OutboxItem, talk: TalkOf, ref: string | undefined): void {
    const { chats, choices } = this.#parts
    if (ref !== undefined) choices.bind(attemptOf(item), ref)
    if (talk.what === 'entry' && talk.part === 0)
      chats.preview({ recipient: item.recipient, thread: talk.thread, sessionId: talk.sessionId }, undefined)
  }

  #replyOf({ item, talk, recipient }: TalkAttempt, message: Made): Reply {
    const { chats, choices, tell, database } = this.#parts
    const { thread } = talk
    const make = () => makeChoices({ choices, tell }, { item, thread }, message.offers ?? [])
    const chat = chats
      .list({ recipient: recipient.id, thread })
      .find((one) => 'sessionId' in talk && one.sessionId === talk.sessionId)
    return {
      id: item.content.of ?? item.id,
      text: tell(message.text),
      choices: item.act === 'revise' ? [] : database.durably(make),
      picture: message.picture,
      document: message.document,
      ...(message.isAnswer === true && chat?.preview !== undefined && { replaces: chat.preview }),
    }
  }

  /** Makes the message. @returns undefined if there is no longer anything to send */
  #made({ item, talk, recipient, kind }: TalkAttempt & { talk: Exclude<TalkOf, { what: 'file' }> }): Made | undefined {
    const mostChars = kind.capabilities.talks?.mostChars ?? 0
    const isRevision = item.act === 'revise'
    switch (talk.what) {
      case 'entry':
        return this.#entry(talk, mostChars)
      case 'picture': {
        const picture = this.#parts.talk.picture(talk.sessionId, talk.image)
        return picture && { text: '', picture }
      }
      case 'question':
        return this.#question(talk, mostChars, isRevision)
      case 'heard': {
        const note = this.#parts.heard.get(talk.id)
        return note && heardNote(note, isRevision)
      }
      case 'sessions':
        return this.#sessions(recipient, talk.thread)
      default:
        return talk satisfies never
    }
  }

  /** A file, or a line with its name and the dashboard's link if the channel cannot send it. */
  async #file({ sessionId, path }: TalkWhat<'file'>, { capabilities }: ChannelKind): Promise<Made> {
    const { talk, linkTo } = this.#parts
    const found = await talk.written({ sessionId, path }, capabilities.talks?.mostFileBytes ?? 0)
    const name = asText(path)
    if (found === undefined) return { text: `The file ${name} was written and is not there any more.` }
    const { data, bytes, ...file } = found
    if (data !== undefined) return { text: '', document: { ...file, data } }
    return { text: `The file ${name}, ${Math.ceil(bytes / 1_000)} kB, is in ${linkTo(sessionId) ?? 'the dashboard'}` }
  }

  #entry({ sessionId, seq, part }: TalkWhat<'entry'>, mostChars: number): Made | undefined {
    const { talk, linkTo } = this.#parts
    const entry = talk.entry(sessionId, seq)
    const whole = entry && textOf(entry, runFacts(talk.entriesOfRun(entry.runId)))
    const text = whole === undefined ? undefined : shownParts(whole, mostChars, linkTo(sessionId))[part]
    return text === undefined ? undefined : { text, isAnswer: entry?.type === 'assistant' && part === 0 }
  }

  #question({ questionId }: TalkWhat<'question'>, mostChars: number, isRevision: boolean): Made | undefined {
    const found = this.#parts.talk.question(questionId)
    if (found === undefined || found.isOpen === isRevision) return undefined
    const canTap = isTapped(found.question)
    const text = isRevision
      ? `${questionText(found.question, false).split('\n\n').slice(0, -1).join('\n\n')}\n\nThis is over.`
      : questionText(found.question, canTap)
    const options = canTap && !isRevision ? (found.question.items[0]?.options ?? []) : []
    const answers = options.map(({ label }, option): Offer => ({ label, deed: { does: 'answer', questionId, option } }))
    const decline: Offer[] = isRevision ? [] : [{ label: 'No answer', deed: { does: 'decline', questionId } }]
    return { text: shownParts(text, mostChars, undefined)[0] ?? text, offers: [...answers, ...decline] }
  }

  #sessions({ id }: Recipient, thread: string): Made {
    const { talk, chats } = this.#parts
    const found = chats.list({ recipient: id, thread }).flatMap(({ sessionId, isCurrent }) => {
      const session = talk.session(sessionId)
      return session === undefined ? [] : [{ sessionId, isCurrent, title: session.title }]
    })
    if (found.length === 0) return { text: 'There is no conversation here yet. Write something to begin one.' }
    const shown = found.slice(0, mostSessions)
    const offers = shown
      .filter(({ isCurrent }) => !isCurrent)
      .map(({ title, sessionId }): Offer => ({ label: title, deed: { does: 'open', sessionId } }))
    const now = shown.find(({ isCurrent }) => isCurrent)
    const next = now === undefined ? 'The next message begins a conversation.' : 'One of these goes on here.'
    return { text: `${next} Open another one:`, offers }
  }
}

/** Makes the message about a voice note; undefined if there is no longer anything to send. */
function heardNote({ id, text, end }: Heard, isRevision: boolean): Made | undefined {
  if (text === undefined) return undefined
  const heard = text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
  if (isRevision) return { text: `${heard}\n\n${end === 'sent' ? 'Sent.' : 'Discarded.'}` }
  if (end !== undefined) return undefined
  const offer = (label: string, does: Extract<Deed, { heard: string }>['does']): Offer => ({
    label,
    deed: { does, heard: id },
  })
  return {
    text: `I heard:\n\n${heard}\n\nIt counts once you send it.`,
    offers: [offer('Send', 'send'), offer('Discard', 'discard')],
  }
}
