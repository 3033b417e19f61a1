import { hashOf } from 'node-kit/canonical'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Outbox } from '../outbox.ts'
import type { Content, OutboxItem, Recipient, TalkOf } from '../ports.ts'
import type { Say } from '../spoken.ts'

const keptForMs = 24 * 60 * 60_000
const empty = { kind: 'talk', level: 'info', lines: [], path: '/' } as const

export type TalkOutboxParts = { outbox: Pick<Outbox, 'add'>; clock: Pick<Clock, 'now'>; say: Say }

/**
 * Adds the messages of conversations to the outbox, within the caller's transaction. A recipient gets one message for each `key`. A repeated key
 * adds nothing.
 */
export class TalkOutbox {
  readonly #parts: TalkOutboxParts

  constructor(parts: TalkOutboxParts) {
    this.#parts = parts
  }

  /** Adds a message whose text is made when it is sent. */
  put(to: Recipient, key: string, talk: TalkOf): void {
    const content = { ...empty, title: this.#parts.say('Conversation'), talk }
    this.#add(to, { id: idOf(to.id, key), act: 'deliver', key }, content)
  }

  /** Changes the message that was put under `key`. */
  revise(to: Recipient, key: string, talk: TalkOf): void {
    const content = { ...empty, title: this.#parts.say('Conversation'), talk, of: idOf(to.id, key) }
    this.#add(to, { id: newId('out'), act: 'revise', key }, content)
  }

  /** Adds a message with JARVIS's own words. */
  line(to: Recipient, key: string, text: string): void {
    this.#add(to, { id: idOf(to.id, key), act: 'deliver', key }, { ...empty, title: this.#parts.say(text) })
  }

  #add({ id: recipient, channel }: Recipient, item: Pick<OutboxItem, 'id' | 'act' | 'key'>, content: Content): void {
    const at = this.#parts.clock.now()
    this.#parts.outbox.add({ ...item, recipient, channel, content, createdAt: at, expiresAt: at + keptForMs })
  }
}

const idOf = (recipient: string, key: string) => `out_${hashOf([recipient, key]).slice(0, 32)}`
