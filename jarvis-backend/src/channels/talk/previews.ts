import { createHash } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import type { Channel, ChannelKind, PairedChat } from '../channel.ts'
import type { ChannelDirectory } from '../open-channels.ts'
import type { Notes } from '../parts.ts'
import type { RecipientStore } from '../ports.ts'
import type { Tell } from '../spoken.ts'
import { pairedChat } from './paired-chat.ts'
import { partsOf } from './parts.ts'
import type { Chat, ChatStore } from './ports.ts'

/** The shortest time between two previews of an answer, ms. */
const everyMs = 1_500

type Place = Pick<Chat, 'recipient' | 'thread'>
const placeOf = ({ recipient, thread }: Place) => `${recipient} ${thread}`

export type PreviewsParts = {
  directory: Pick<ChannelDirectory, 'channel'>
  chats: Pick<ChatStore, 'preview'>
  recipients: Pick<RecipientStore, 'get'>
  clock: Clock
  tell: Tell
  signal: AbortSignal
  notes: Pick<Notes, 'report'>
}

/** Shows answers while they are written. If a preview fails, only the preview is missing: the complete answer is sent through the outbox. */
export class Previews {
  readonly #parts: PreviewsParts
  /** The preview that is being sent now, by chat. */
  readonly #sending = new Map<string, Promise<void>>()

  constructor(parts: PreviewsParts) {
    this.#parts = parts
  }

  /** Resolves when no preview is being sent to the chat, so that none overwrites a complete answer. */
  async settled(chat: Place): Promise<void> {
    await this.#sending.get(placeOf(chat))
  }

  /** Returns the preview of the answers in one session of a chat. */
  of(chat: Chat, kind: ChannelKind): Preview {
    return new Preview(this.#parts, this.#sending, { chat, kind })
  }
}

/** Shows the answers in one session of a chat. */
export class Preview {
  readonly #parts: PreviewsParts
  readonly #sending: Map<string, Promise<void>>
  readonly #chat: Chat
  readonly #kind: ChannelKind
  #run = ''
  #text = ''
  #shown = ''
  /** The id of the message that shows the answer. */
  #ref: string | undefined
  #soonest = 0
  #disarm: (() => void) | undefined

  constructor(
    parts: PreviewsParts,
    sending: Map<string, Promise<void>>,
    { chat, kind }: { chat: Chat; kind: ChannelKind },
  ) {
    this.#parts = parts
    this.#sending = sending
    this.#chat = chat
    this.#kind = kind
    this.#ref = chat.preview
  }

  /** Adds text to the turn that streams now. */
  write(runId: string, more: string): void {
    if (runId !== this.#run) {
      this.#run = runId
      this.#text = ''
      this.#shown = ''
    }
    this.#text += more
    this.#arm()
  }

  /** Ends the preview of a turn: its text was sent as a message, or was discarded. */
  turn(): void {
    this.#text = ''
    this.#disarm?.()
    this.#disarm = undefined
  }

  /** Ends the preview of a run. */
  end(): void {
    this.turn()
    this.#run = ''
    this.#ref = undefined
  }

  #arm(): void {
    const { clock } = this.#parts
    this.#disarm ??= clock.after(Math.max(0, this.#soonest - clock.now()), () => {
      this.#disarm = undefined
      this.#show()
    })
  }

  #show(): void {
    const { directory, recipients, clock } = this.#parts
    const now = partsOf(this.#text, this.#kind.capabilities.talks?.mostChars ?? 0).at(-1)
    const recipient = recipients.get(this.#chat.recipient)
    const to = recipient && pairedChat(recipient, this.#chat.thread)
    const channel = directory.channel(this.#kind.id)?.channel
    if (now === undefined || now === this.#shown || to === undefined || channel?.preview === undefined) return
    const place = placeOf(this.#chat)
    this.#soonest = clock.now() + everyMs
    if (this.#sending.has(place)) {
      this.#arm()
      return
    }
    this.#shown = now
    const work = this.#send(channel, now, to).finally(() => this.#sending.delete(place))
    this.#sending.set(place, work)
  }

  async #send(channel: Channel, now: string, to: PairedChat): Promise<void> {
    const { chats, clock, tell, signal, notes } = this.#parts
    try {
      const at = { to, id: numberOf(this.#run), ref: this.#ref }
      const delivery = await channel.preview?.(tell(now), at, signal)
      if (delivery?.kind === 'again') {
        this.#soonest = clock.now() + Math.max(everyMs, delivery.retryAfterMs ?? 0)
        this.#shown = ''
        if (this.#text !== '') this.#arm()
      }
      if (delivery?.kind !== 'sent' || delivery.ref === this.#ref) return
      this.#ref = delivery.ref
      chats.preview(this.#chat, this.#ref)
    } catch (error) {
      notes.report(error, 'an answer could not be shown while it was written')
    }
  }
}

/** A number from 1 to 2³¹ − 1, the same for all previews of one run. */
const numberOf = (runId: string): number => createHash('sha256').update(runId).digest().readUInt32BE() & 0x7fffffff || 1
