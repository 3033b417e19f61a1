import { createHash } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import type { Channel, ChannelKind, PairedChat } from '../channel.ts'
import type { ChannelDirectory } from '../open-channels.ts'
import type { Recipient } from '../ports.ts'
import type { Tell } from '../spoken.ts'
import { pairedChat } from './paired-chat.ts'
import { partsOf } from './parts.ts'
import type { Chat, ChatStore } from './ports.ts'

/** An answer is shown anew so often at most, ms. */
const everyMs = 1_500

/** Shows answers while they are written. What fails here is only not shown: the finished answer leaves through the outbox. */
export function createPreviews(parts: {
  directory: Pick<ChannelDirectory, 'channel'>
  chats: Pick<ChatStore, 'preview'>
  recipient(id: string): Recipient | undefined
  clock: Clock
  tell: Tell
  signal: AbortSignal
  report(error: unknown, message: string): void
}) {
  const { clock } = parts
  const sending = new Map<string, Promise<void>>()
  const placeOf = ({ recipient, thread }: Pick<Chat, 'recipient' | 'thread'>) => `${recipient} ${thread}`

  return {
    /** Resolves once nothing is being shown in the chat, so that a finished answer is not written over. */
    settled: async (chat: Pick<Chat, 'recipient' | 'thread'>): Promise<void> => sending.get(placeOf(chat)),

    of(chat: Chat, { id }: Recipient, kind: ChannelKind) {
      const mostChars = kind.capabilities.talks?.mostChars ?? 0
      const place = placeOf(chat)
      let run = ''
      let text = ''
      let shown = ''
      let ref = chat.preview
      let soonest = 0
      let disarm: (() => void) | undefined

      function arm() {
        disarm ??= clock.after(Math.max(0, soonest - clock.now()), () => {
          disarm = undefined
          show()
        })
      }

      function show() {
        const now = partsOf(text, mostChars).at(-1)
        const recipient = parts.recipient(id)
        const to = recipient && pairedChat(recipient, chat.thread)
        const open = parts.directory.channel(kind.id)?.channel
        if (now === undefined || now === shown || to === undefined || open?.preview === undefined) return
        if (sending.has(place)) {
          soonest = clock.now() + everyMs
          arm()
          return
        }
        shown = now
        soonest = clock.now() + everyMs
        const work = sendOne(open.preview, now, to).finally(() => sending.delete(place))
        sending.set(place, work)
      }

      async function sendOne(preview: NonNullable<Channel['preview']>, now: string, to: PairedChat) {
        try {
          const of = { id: numberOf(run), ...(ref !== undefined && { ref }) }
          const delivery = await preview(parts.tell(now), to, of, parts.signal)
          if (delivery.kind === 'again') {
            soonest = clock.now() + Math.max(everyMs, delivery.retryAfterMs ?? 0)
            shown = ''
            if (text !== '') arm()
          }
          if (delivery.kind !== 'sent' || delivery.ref === ref) return
          ref = delivery.ref
          parts.chats.preview(chat, ref)
        } catch (error) {
          parts.report(error, 'an answer could not be shown while it was written')
        }
      }

      return {
        /** More of the turn that streams now. */
        write(runId: string, more: string) {
          if (runId !== run) {
            run = runId
            text = ''
            shown = ''
          }
          text += more
          arm()
        },
        /** A turn is over: what it said was told, or is not kept. */
        turn() {
          text = ''
          disarm?.()
          disarm = undefined
        },
        /** The run is over. */
        end() {
          run = ''
          text = ''
          ref = undefined
          disarm?.()
          disarm = undefined
        },
      }
    },
  }
}
export type Previews = ReturnType<typeof createPreviews>

/** A number from 1 to 2³¹ − 1 that is the same for all of one run. */
const numberOf = (runId: string): number => createHash('sha256').update(runId).digest().readUInt32BE() & 0x7fffffff || 1
