import { hashOf } from 'node-kit/canonical'
import type { Entry } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import type { ChannelKind } from '../channel.ts'
import type { Recipient, TalkOf } from '../ports.ts'
import { messagesOf, type RunFacts, runFacts } from './messages.ts'
import type { Chat, ChatStore, TalkPorts } from './ports.ts'
import type { Previews } from './previews.ts'

const entriesAtOnce = 200

/** Watches the sessions of chats, and puts what is to be told into the outbox. */
export function createFollowing(parts: {
  house: Pick<TalkPorts, 'watch' | 'entriesFrom' | 'entriesOfRun' | 'session'>
  chats: ChatStore
  previews: Previews
  clock: Clock
  /** Puts a message into the outbox, within the caller's transaction. `key`: the same for the same message. */
  put(recipient: Recipient, key: string, talk: TalkOf): void
  /** Changes the message of a question that has ended. */
  ended(recipient: Recipient, questionId: string): void
  atomically<T>(work: () => T): T
  linkTo(sessionId: string): string | undefined
  look(): void
  report(error: unknown, message: string): void
}) {
  const { house, chats } = parts
  const followed = new Map<string, () => void>()
  const keyOf = ({ recipient, thread, sessionId }: Pick<Chat, 'recipient' | 'thread' | 'sessionId'>) =>
    hashOf([recipient, thread, sessionId])

  function followOne(chat: Chat, recipient: Recipient, kind: ChannelKind): (() => void) | undefined {
    const { sessionId, thread } = chat
    const { talks } = kind.capabilities
    if (talks === undefined) return undefined
    const preview = parts.previews.of(chat, recipient, kind)
    const facts = new Map<string, RunFacts>()
    let told = chat.told
    function factsOf(runId: string): RunFacts {
      const known = facts.get(runId)
      if (known !== undefined) return known
      const found = runFacts(house.entriesOfRun(runId))
      facts.set(runId, found)
      return found
    }

    function tell(entry: Entry) {
      if (entry.seq <= told) return
      // A typed call is one from its second entry on.
      if (entry.type === 'assistant') facts.delete(entry.runId)
      const of = factsOf(entry.runId)
      // Others may go on in the session from the dashboard: their answers are theirs.
      if (of.via !== kind.id) return
      const messages = messagesOf(entry, of, {
        sessionId,
        mostChars: talks?.mostChars ?? 0,
        link: parts.linkTo(sessionId),
      })
      const isEnd = entry.type === 'done' || entry.type === 'error'
      if (entry.type === 'question_resolved') parts.ended(recipient, entry.questionId)
      if (messages.length === 0 && !isEnd) return
      parts.atomically(() => {
        for (const message of messages)
          parts.put(recipient, `talk:${thread}:${sessionId}:${entry.seq}:${hashOf(message).slice(0, 12)}`, {
            ...message,
            thread,
          })
        if (isEnd) chats.tell(chat, entry.seq)
      })
      if (isEnd) {
        told = entry.seq
        facts.delete(entry.runId)
        preview.end()
      } else if (entry.type === 'assistant') preview.turn()
      if (messages.length > 0) parts.look()
    }

    function catchUp() {
      let from = told + 1
      for (;;) {
        const entries = house.entriesFrom(sessionId, from, entriesAtOnce)
        const last = entries.at(-1)
        if (last === undefined) return
        for (const entry of entries) tell(entry)
        from = last.seq + 1
      }
    }

    const end = house.watch(sessionId, (event, payload) => {
      if (event === 'chat:token' && 'text' in payload && typeof payload.text === 'string') {
        if (factsOf(payload.runId).via === kind.id) preview.write(payload.runId, payload.text)
        return
      }
      if (event === 'chat:taken_back') preview.turn()
      if ('at' in payload) tell({ ...payload, type: event.slice('chat:'.length) } as unknown as Entry)
    })
    if (end === undefined) return undefined
    catchUp()
    return () => {
      end()
      preview.end()
    }
  }

  return {
    /** Follows a session of a chat; no-op where it is followed already. */
    follow(chat: Chat, recipient: Recipient, kind: ChannelKind): void {
      const key = keyOf(chat)
      if (followed.has(key)) return
      try {
        const end = followOne(chat, recipient, kind)
        if (end !== undefined) followed.set(key, end)
      } catch (error) {
        parts.report(error, 'a conversation on a channel could not be followed')
      }
    },
    /** Follows those of a recipient no more. */
    leave(recipient: string): void {
      for (const chat of chats.list()) {
        if (chat.recipient !== recipient) continue
        followed.get(keyOf(chat))?.()
        followed.delete(keyOf(chat))
      }
    },
    stop(): void {
      for (const end of followed.values()) end()
      followed.clear()
    },
  }
}
export type Following = ReturnType<typeof createFollowing>
