import type { Channel, ChannelKind, Delivery, Reply } from '../channel.ts'
import type { Attempt } from '../outbox.ts'
import type { OutboxItem, Recipient, TalkOf } from '../ports.ts'
import type { Tell } from '../spoken.ts'
import { attemptOf } from '../taps.ts'
import { makeChoices } from './choices.ts'
import { isTapped, questionText, runFacts, shownParts, textOf } from './messages.ts'
import { pairedChat } from './paired-chat.ts'
import type { ChatStore, ChoiceStore, Deed, HeardStore, TalkPorts } from './ports.ts'
import type { Previews } from './previews.ts'

const mostSessions = 8

type Made = { text: string; deeds?: { label: string; deed: Deed }[]; picture?: Reply['picture']; isAnswer?: boolean }

/** Makes the messages of conversations when they are sent, of what the transcript has. */
export function createSending(parts: {
  house: Pick<TalkPorts, 'entry' | 'entriesOfRun' | 'picture' | 'question' | 'session'>
  chats: ChatStore
  choices: ChoiceStore
  heard: Pick<HeardStore, 'get'>
  previews: Previews
  tell: Tell
  durably<T>(work: () => T): T
  linkTo(sessionId: string): string | undefined
  signal: AbortSignal
}) {
  const { house, chats, tell } = parts

  /** @returns undefined where there is nothing to say any more */
  function made(talk: TalkOf, recipient: Recipient, kind: ChannelKind, isRevision: boolean): Made | undefined {
    const mostChars = kind.capabilities.talks?.mostChars ?? 0
    switch (talk.what) {
      case 'entry': {
        const entry = house.entry(talk.sessionId, talk.seq)
        const text = entry && textOf(entry, runFacts(house.entriesOfRun(entry.runId)))
        const part =
          text === undefined ? undefined : shownParts(text, mostChars, parts.linkTo(talk.sessionId))[talk.part]
        return part === undefined ? undefined : { text: part, isAnswer: entry?.type === 'assistant' && talk.part === 0 }
      }
      case 'picture': {
        const picture = house.picture(talk.sessionId, talk.image)
        return picture && { text: '', picture }
      }
      case 'question': {
        const found = house.question(talk.questionId)
        if (found === undefined || found.isOpen === isRevision) return undefined
        const { questionId } = talk
        const canTap = isTapped(found.question)
        const text = isRevision
          ? `${questionText(found.question, false).split('\n\n').slice(0, -1).join('\n\n')}\n\nThis is over.`
          : questionText(found.question, canTap)
        const options = canTap && !isRevision ? (found.question.items[0]?.options ?? []) : []
        const answers = options.map(({ label }, option) => ({
          label,
          deed: { does: 'answer', questionId, option } as const,
        }))
        const decline = isRevision ? [] : [{ label: 'No answer', deed: { does: 'decline', questionId } as const }]
        return { text: shownParts(text, mostChars, undefined)[0] ?? text, deeds: [...answers, ...decline] }
      }
      case 'heard': {
        const note = parts.heard.get(talk.id)
        if (note?.text === undefined) return undefined
        const heard = note.text
          .split('\n')
          .map((line) => `> ${line}`)
          .join('\n')
        if (isRevision) return { text: `${heard}\n\n${note.end === 'sent' ? 'Sent.' : 'Discarded.'}` }
        if (note.end !== undefined) return undefined
        const deeds = (['send', 'discard'] as const).map((does) => ({
          label: does === 'send' ? 'Send' : 'Discard',
          deed: { does, heard: note.id },
        }))
        return { text: `I heard:\n\n${heard}\n\nIt counts once you send it.`, deeds }
      }
      case 'sessions': {
        const found = chats
          .list({ recipient: recipient.id, thread: talk.thread })
          .flatMap(({ sessionId, isCurrent }) => {
            const session = house.session(sessionId)
            return session === undefined ? [] : [{ sessionId, isCurrent, title: session.title }]
          })
        if (found.length === 0) return { text: 'There is no conversation here yet. Write something to begin one.' }
        const shown = found.slice(0, mostSessions)
        const deeds = shown
          .filter(({ isCurrent }) => !isCurrent)
          .map(({ title, sessionId }) => ({ label: title, deed: { does: 'open', sessionId } as const }))
        const now = shown.find(({ isCurrent }) => isCurrent)
        return {
          text: `${now === undefined ? 'The next message begins a conversation.' : 'One of these goes on here.'} Open another one:`,
          deeds,
        }
      }
      default:
        return talk satisfies never
    }
  }

  return {
    /** Makes one attempt at a message of a conversation. @param original the service's id of the message that this changes */
    async attempt(
      item: OutboxItem,
      talk: TalkOf,
      recipient: Recipient,
      kind: ChannelKind,
      channel: Channel,
      original: string | undefined,
    ): Promise<Attempt> {
      const to = pairedChat(recipient, talk.thread)
      if (to === undefined) return { kind: 'dropped', why: 'conversation is off there' }
      const isRevision = item.act === 'revise'
      const here = { recipient: recipient.id, thread: talk.thread }
      await parts.previews.settled(here)
      const message = made(talk, recipient, kind, isRevision)
      if (message === undefined) return { kind: 'dropped', why: 'it is over, or gone' }
      const choices = isRevision
        ? []
        : parts.durably(() => makeChoices(parts.choices, tell, item, talk.thread, message.deeds ?? []))
      const chat = chats.list(here).find((one) => 'sessionId' in talk && one.sessionId === talk.sessionId)
      const reply: Reply = {
        id: item.content.of ?? item.id,
        text: tell(message.text),
        choices,
        picture: message.picture,
        ...(message.isAnswer === true && chat?.preview !== undefined && { replaces: chat.preview }),
      }
      const no: Delivery = { kind: 'failed', why: 'the channel cannot do that' }
      if (!isRevision) return channel.say?.(reply, to, parts.signal) ?? no
      return original === undefined ? no : (channel.resay?.(reply, to, original, parts.signal) ?? no)
    },
    /** Told, in the transaction of its end, that a message was sent. */
    sent(item: OutboxItem, talk: TalkOf, ref: string | undefined): void {
      if (ref !== undefined) parts.choices.bind(attemptOf(item), ref)
      if (talk.what === 'entry' && talk.part === 0)
        chats.preview({ recipient: item.recipient, thread: talk.thread, sessionId: talk.sessionId }, undefined)
    },
  }
}
