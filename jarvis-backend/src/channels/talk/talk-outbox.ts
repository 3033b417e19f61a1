import { hashOf } from 'node-kit/canonical'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Content, OutboxItem, Recipient, TalkOf } from '../ports.ts'
import type { Say } from '../spoken.ts'

const keptForMs = 24 * 60 * 60_000

/**
 * Adds the messages of conversations to the outbox, within the caller's transaction. A recipient gets one message for each `key`: a repeated key
 * adds nothing.
 */
export function createTalkOutbox(parts: {
  add(
    item: Pick<OutboxItem, 'id' | 'recipient' | 'channel' | 'act' | 'key' | 'content' | 'createdAt' | 'expiresAt'>,
  ): void
  clock: Clock
  say: Say
}) {
  const { add, clock, say } = parts
  const idOf = (recipient: string, key: string) => `out_${hashOf([recipient, key]).slice(0, 32)}`
  const empty = { kind: 'talk', level: 'info', lines: [], path: '/' } as const

  function addFor(
    { id: recipient, channel }: Recipient,
    item: Pick<OutboxItem, 'id' | 'act' | 'key'>,
    content: Content,
  ) {
    const at = clock.now()
    add({ ...item, recipient, channel, content, createdAt: at, expiresAt: at + keptForMs })
  }

  return {
    /** Adds a message whose text is made when it is sent. */
    put(to: Recipient, key: string, talk: TalkOf): void {
      const content = { ...empty, title: say('Conversation'), talk }
      addFor(to, { id: idOf(to.id, key), act: 'deliver', key }, content)
    },
    /** Changes the message that was put under `key`. */
    revise(to: Recipient, key: string, talk: TalkOf): void {
      const content = { ...empty, title: say('Conversation'), talk, of: idOf(to.id, key) }
      addFor(to, { id: newId('out'), act: 'revise', key }, content)
    },
    /** Adds a line of JARVIS itself. */
    line(to: Recipient, key: string, text: string): void {
      addFor(to, { id: idOf(to.id, key), act: 'deliver', key }, { ...empty, title: say(text) })
    },
  }
}
export type TalkOutbox = ReturnType<typeof createTalkOutbox>
