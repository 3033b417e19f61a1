import type { Clock } from '../../lib/clock.ts'
import type { ChannelKind } from '../channel.ts'
import type { Recipient } from '../ports.ts'
import { destinationOf } from './destination.ts'
import type { Following } from './follow.ts'
import type { ChatStore, HeldMessage, TalkPorts } from './ports.ts'

/** A message for the session. `isNew`: the person asked for a new session. */
export type Message = {
  thread: string
  text: string
  requestId: string
  attachments: readonly string[]
  isNew?: boolean
}

/** Keeps which session each chat is in, and sends what its person writes there. */
export function createCurrentSession(parts: {
  house: Pick<TalkPorts, 'start' | 'session' | 'abort' | 'held' | 'agentFor' | 'hasAgent'>
  chats: Pick<ChatStore, 'current' | 'enter' | 'leave'>
  following: Pick<Following, 'follow'>
  clock: Clock
  atomically<T>(work: () => T): T
}) {
  const { house, chats } = parts

  const enter = (to: Recipient, thread: string, sessionId: string) =>
    chats.enter({ recipient: to.id, thread, sessionId, told: -1, at: parts.clock.now() })

  function follow(to: Recipient, thread: string, kind: ChannelKind) {
    const chat = chats.current(to.id, thread)
    if (chat !== undefined) parts.following.follow(chat, to, kind)
  }

  const boundAgent = (to: Recipient, kind: ChannelKind) =>
    to.agent ?? house.agentFor({ channel: kind.id, account: to.account, chat: to.chat, person: to.person })

  return {
    /** Hands a message to the house. @param besides runs in the transaction that stores the message @throws JarvisError */
    send(to: Recipient, kind: ChannelKind, message: Message, besides: () => void): { isQueued: boolean } {
      const { thread, text, requestId, attachments } = message
      const sessionId = message.isNew === true ? undefined : chats.current(to.id, thread)?.sessionId
      const session = sessionId === undefined ? undefined : house.session(sessionId)
      const current = sessionId === undefined || session === undefined ? undefined : { sessionId, agent: session.agent }
      const destination = destinationOf(text, current, house.hasAgent)
      const sent = house.start({
        text,
        by: to.person,
        via: kind.id,
        requestId,
        attachments,
        ...(destination.session === 'current' && { sessionId: destination.sessionId }),
        ...(destination.session === 'new' && destination.agent === 'bound' && { agent: boundAgent(to, kind) }),
        remember(made) {
          if (made.sessionId !== sessionId) enter(to, thread, made.sessionId)
          besides()
        },
      })
      follow(to, thread, kind)
      return { isQueued: sent.queued }
    },
    /** Goes on in a session that the chat was in before. @param besides runs first in the transaction */
    open(to: Recipient, kind: ChannelKind, at: { thread: string; sessionId: string }, besides: () => void): void {
      parts.atomically(() => {
        besides()
        enter(to, at.thread, at.sessionId)
      })
      follow(to, at.thread, kind)
    },
    /** Lets the next message begin a session. Within the caller's transaction. */
    leave: (to: Recipient, thread: string): void => chats.leave(to.id, thread),
    /** Stops the answer, and holds what was sent after it. @returns false where nothing runs */
    stop(to: Recipient, thread: string): boolean {
      const chat = chats.current(to.id, thread)
      if (chat === undefined || house.session(chat.sessionId)?.isRunning !== true) return false
      house.abort(chat.sessionId, to.person)
      return true
    },
    /** The messages of this person that a stop holds in the chat's current session. */
    held(to: Recipient, thread: string): HeldMessage[] {
      const chat = chats.current(to.id, thread)
      return chat === undefined ? [] : house.held(chat.sessionId, to.person)
    },
    /** The id of the chat's current session. */
    idOf: (to: Recipient, thread: string): string | undefined => chats.current(to.id, thread)?.sessionId,
  }
}
export type CurrentSession = ReturnType<typeof createCurrentSession>
