import { newId } from '../../lib/ids.ts'
import type { IncomingText } from '../channel.ts'
import type { ChannelDirectory } from '../open-channels.ts'
import type { Recipient, TalkOf } from '../ports.ts'
import type { Heard, HeardStore, TalkPorts } from './ports.ts'

/** Longest voice note, seconds and bytes. */
const mostSeconds = 120
const mostBytes = 20 * 1024 * 1024
const slowestMs = 3 * 60_000
/** Longest text that is shown to be confirmed, characters. */
const mostText = 3_000

/** Turns voice notes into text, which its person then sends or discards. Nothing that was heard counts before. */
export function createListening(parts: {
  transcribe: TalkPorts['transcribe']
  heard: HeardStore
  directory: Pick<ChannelDirectory, 'channel'>
  recipient(id: string): Recipient | undefined
  atomically<T>(work: () => T): T
  /** Puts a message into the outbox, within the caller's transaction. */
  put(recipient: Recipient, key: string, talk: TalkOf): void
  /** Tells a person in a line, within the caller's transaction. */
  line(recipient: Recipient, key: string, text: string): void
  redact(text: string): string
  look(): void
  signal: AbortSignal
  report(error: unknown, message: string): void
}) {
  const { heard } = parts

  async function textOf({ file }: Heard, recipient: Recipient): Promise<{ text: string } | { problem: string }> {
    const { transcribe } = parts
    const open = parts.directory.channel(recipient.channel)?.channel
    if (transcribe === undefined || open?.file === undefined) return { problem: 'Voice notes are not set up any more.' }
    const signal = AbortSignal.any([parts.signal, AbortSignal.timeout(slowestMs)])
    try {
      const said = await transcribe(await open.file(file, mostBytes, signal), 'voice.ogg', signal)
      // A typed call is typed: no sound becomes one, and none names an agent.
      const text = parts
        .redact(said)
        .trim()
        .replace(/^[/@\s]+/, '')
      if (text === '') return { problem: 'Nothing was heard in it.' }
      return text.length <= mostText ? { text } : { problem: 'It is too long. Say it in parts.' }
    } catch (error) {
      return { problem: `It was not understood: ${error instanceof Error ? error.message : 'the service failed'}.` }
    }
  }

  async function listen(note: Heard): Promise<void> {
    const recipient = parts.recipient(note.recipient)
    if (recipient === undefined) return
    const found = await textOf(note, recipient)
    // The next start listens again.
    if (parts.signal.aborted) return
    parts.atomically(() => {
      if (!heard.hear(note.id, found)) return
      if ('problem' in found) parts.line(recipient, `heard:${note.id}`, found.problem)
      else parts.put(recipient, `heard:${note.id}`, { what: 'heard', id: note.id, thread: note.thread })
    })
    parts.look()
  }
  let last = Promise.resolve()
  /** One note after another: a small machine has one of these at a time. */
  const begin = (note: Heard) => {
    last = last
      .then(() => listen(note))
      .catch((error: unknown) => parts.report(error, 'a voice note could not be heard'))
  }

  return {
    /** Why a note is not taken, in words for its person. */
    problem({ seconds, bytes }: NonNullable<IncomingText['voice']>): string | undefined {
      if (parts.transcribe === undefined)
        return 'Voice notes are not set up: JARVIS_TRANSCRIBE_URL names what turns speech into text.'
      if (seconds > mostSeconds) return `A voice note may have ${mostSeconds / 60} minutes. Say it in parts.`
      return (bytes ?? 0) > mostBytes ? 'A voice note may have 20 MB.' : undefined
    },
    /** Keeps a note in the caller's transaction. Call the result after it. */
    keep(recipient: Recipient, thread: string, file: string, at: number): () => void {
      const note = { id: newId('vn'), recipient: recipient.id, thread, file, at }
      heard.add(note)
      return () => begin(note)
    },
    /** Takes up what the last process left. */
    resume(): void {
      for (const note of heard.open()) begin(note)
    },
  }
}
export type Listening = ReturnType<typeof createListening>
