import { newId } from '../../lib/ids.ts'
import type { IncomingText } from '../channel.ts'
import type { ChannelDirectory } from '../open-channels.ts'
import type { Notes, Transactions, Words } from '../parts.ts'
import type { Recipient, RecipientStore } from '../ports.ts'
import type { Heard, HeardStore, TalkPorts } from './ports.ts'
import type { TalkOutbox } from './talk-outbox.ts'

/** Longest voice note, seconds and bytes. */
const mostSeconds = 120
const mostBytes = 20 * 1024 * 1024
const slowestMs = 3 * 60_000
/** Longest transcribed text that is shown to the person for confirmation, characters. */
const mostText = 3_000

export type ListeningParts = {
  talk: Pick<TalkPorts, 'transcribe'>
  heard: HeardStore
  recipients: Pick<RecipientStore, 'get'>
  directory: Pick<ChannelDirectory, 'channel'>
  outbox: Pick<TalkOutbox, 'put' | 'line'>
  database: Pick<Transactions, 'atomically'>
  words: Pick<Words, 'redact'>
  notes: Pick<Notes, 'report'>
  /** Sends the messages that are due. */
  look(): void
  signal: AbortSignal
}

/** Turns voice notes into text, which the person then sends or discards. Until then the text has no effect. */
export class Listening {
  readonly #parts: ListeningParts
  /** Voice notes are transcribed one after the other, because a small machine has memory for only one. */
  #last = Promise.resolve()

  constructor(parts: ListeningParts) {
    this.#parts = parts
  }

  /** The reason why a voice note is refused, as a sentence for the person; undefined if it is accepted. */
  problem({ seconds, bytes }: NonNullable<IncomingText['voice']>): string | undefined {
    if (this.#parts.talk.transcribe === undefined)
      return 'Voice notes are not set up: JARVIS_TRANSCRIBE_URL names what turns speech into text.'
    if (seconds > mostSeconds) return `A voice note may have ${mostSeconds / 60} minutes. Say it in parts.`
    return (bytes ?? 0) > mostBytes ? 'A voice note may have 20 MB.' : undefined
  }

  /** Stores a voice note in the caller's transaction. @returns a function that begins the transcription; call it after the transaction */
  keep(recipient: Recipient, { thread, file, at }: Pick<Heard, 'thread' | 'file' | 'at'>): () => void {
    const note = { id: newId('vn'), recipient: recipient.id, thread, file, at }
    this.#parts.heard.add(note)
    return () => this.#begin(note)
  }

  /** Transcribes the voice notes that the last process left. */
  resume(): void {
    for (const note of this.#parts.heard.open()) this.#begin(note)
  }

  #begin(note: Heard): void {
    this.#last = this.#last
      .then(() => this.#listen(note))
      .catch((error: unknown) => this.#parts.notes.report(error, 'a voice note could not be heard'))
  }

  async #listen(note: Heard): Promise<void> {
    const { heard, recipients, outbox, database, look, signal } = this.#parts
    const recipient = recipients.get(note.recipient)
    if (recipient === undefined) return
    const found = await this.#textOf(note, recipient)
    // If JARVIS is stopping, store no problem: the next start transcribes the voice note again.
    if (signal.aborted) return
    database.atomically(() => {
      if (!heard.hear(note.id, found)) return
      if ('problem' in found) outbox.line(recipient, `heard:${note.id}`, found.problem)
      else outbox.put(recipient, `heard:${note.id}`, { what: 'heard', id: note.id, thread: note.thread })
    })
    look()
  }

  async #textOf({ file }: Heard, recipient: Recipient): Promise<{ text: string } | { problem: string }> {
    const { talk, directory, words } = this.#parts
    const { transcribe } = talk
    const open = directory.channel(recipient.channel)?.channel
    if (transcribe === undefined || open?.file === undefined) return { problem: 'Voice notes are not set up any more.' }
    const signal = AbortSignal.any([this.#parts.signal, AbortSignal.timeout(slowestMs)])
    try {
      const said = await transcribe(await open.file(file, mostBytes, signal), 'voice.ogg', signal)
      // Only typed text can be a typed call or name an agent, so a leading `/` or `@` is removed from speech.
      const text = words
        .redact(said)
        .trim()
        .replace(/^[/@\s]+/, '')
      if (text === '') return { problem: 'Nothing was heard in it.' }
      return text.length <= mostText ? { text } : { problem: 'It is too long. Say it in parts.' }
    } catch (error) {
      return { problem: `It was not understood: ${error instanceof Error ? error.message : 'the service failed'}.` }
    }
  }
}
