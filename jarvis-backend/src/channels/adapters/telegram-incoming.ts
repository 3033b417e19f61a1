import type { Incoming, IncomingFile, IncomingText, Sender } from '../channel.ts'

type User = { id: number; first_name?: string; last_name?: string; username?: string }
type Chat = { id: number; type: string; title?: string }
type FileOf = { file_id: string; file_size?: number; file_name?: string; mime_type?: string; duration?: number }
export type Message = {
  message_id: number
  date: number
  chat: Chat
  message_thread_id?: number
  from?: User
  sender_chat?: Chat
  text?: string
  caption?: string
  photo?: FileOf[]
  document?: FileOf
  voice?: FileOf
  /** The id of an album, equal in each of its messages. */
  media_group_id?: string
  /** The messages of an album; `withAlbums` adds them. */
  album?: Message[]
  forward_origin?: unknown
  via_bot?: unknown
  quote?: { text: string }
  reply_to_message?: Message
  external_reply?: unknown
}
export type Update = {
  update_id: number
  message?: Message
  edited_message?: Message
  callback_query?: { id: string; from: User; data?: string; inline_message_id?: string; message?: Message }
  /** JARVIS's bot was added to a chat or removed from it. */
  my_chat_member?: { chat: Chat; from: User; new_chat_member: { status: string; is_member?: boolean } }
  stopped_message_generation?: { chat: Chat; message_thread_id?: number; draft_id: number }
}

const senderOf = (from: User, chat: Chat, thread?: number): Sender => ({
  user: String(from.id),
  chat: String(chat.id),
  isPrivate: chat.type === 'private' && chat.id === from.id,
  name: [from.first_name, from.last_name, from.username === undefined ? undefined : `@${from.username}`]
    .filter((part) => part !== undefined)
    .join(' '),
  ...(thread !== undefined && { thread: String(thread) }),
})

/** The files of a message. The last version of a photo is the largest. */
function filesOf({ photo, document, album }: Message): IncomingFile[] {
  if (album !== undefined) return album.flatMap(({ album: _, ...one }) => filesOf(one))
  const file = photo?.at(-1) ?? document
  if (file === undefined) return []
  const name = file.file_name ?? (photo === undefined ? 'file' : 'photo.jpg')
  return [{ ref: file.file_id, name, bytes: file.file_size }]
}

/** The words of other people: a forwarded text, a text of another bot, a quotation, or the message that this one replies to. */
function foreignOf(message: Message): NonNullable<IncomingText['foreign']> {
  const own = message.text ?? message.caption
  const isForwarded = message.forward_origin !== undefined || message.via_bot !== undefined
  const replied = message.quote?.text ?? message.reply_to_message?.text ?? message.reply_to_message?.caption
  return [
    ...(isForwarded ? [{ how: 'forwarded' as const, text: own ?? '' }] : []),
    ...(replied === undefined ? [] : [{ how: 'quoted' as const, text: replied }]),
  ]
}

function textOf(message: Message, from: Sender): IncomingText {
  const { message_id, date, text, caption, voice } = message
  const foreign = foreignOf(message)
  const isForwarded = foreign.some(({ how }) => how === 'forwarded')
  const files = filesOf(message)
  return {
    kind: 'text',
    from,
    ref: String(message_id),
    at: date * 1_000,
    text: isForwarded ? '' : (text ?? caption ?? ''),
    ...(foreign.length > 0 && { foreign }),
    ...(files.length > 0 && { files }),
    // A forwarded voice note is another person's and gives no order.
    ...(voice !== undefined &&
      !isForwarded && {
        voice: {
          ref: voice.file_id,
          name: 'voice.ogg',
          seconds: voice.duration ?? 0,
          bytes: voice.file_size,
        },
      }),
  }
}

/** Returns true if a chat can have several people. */
export const isGroup = ({ type }: Chat) => type === 'group' || type === 'supergroup' || type === 'channel'

/** Returns true if a member status means that the member is in the chat. */
export const isIn = ({ status, is_member }: { status: string; is_member?: boolean }) =>
  ['creator', 'administrator', 'member'].includes(status) || (status === 'restricted' && is_member === true)

function membershipOf({ chat, from, new_chat_member }: NonNullable<Update['my_chat_member']>): Incoming {
  if (!isGroup(chat)) return { kind: 'other' }
  const group = { id: String(chat.id), name: chat.title ?? '' }
  return { kind: 'group', by: String(from.id), group, isIn: isIn(new_chat_member) }
}

/** Converts an update. Only taps, codes and messages that a person sends in a private chat are used; everything else becomes `other`. */
export function incomingOf(update: Update): Incoming {
  const { message, callback_query: tap, stopped_message_generation: stopped, my_chat_member: membership } = update
  const cursor = String(update.update_id + 1)
  if (tap !== undefined) {
    const chat = tap.message?.chat
    if (chat === undefined || tap.data === undefined || tap.inline_message_id !== undefined)
      return { kind: 'other', cursor }
    const ref = String(tap.message?.message_id)
    return { kind: 'tap', cursor, from: senderOf(tap.from, chat, tap.message?.message_thread_id), token: tap.data, ref }
  }
  if (membership !== undefined) return { ...membershipOf(membership), cursor }
  // The update names no sender, but a private chat has only one other person.
  if (stopped !== undefined)
    return { kind: 'stop', cursor, from: senderOf({ id: stopped.chat.id }, stopped.chat, stopped.message_thread_id) }
  const { from, chat } = message ?? update.edited_message ?? {}
  if (update.edited_message !== undefined && from !== undefined && chat !== undefined) {
    const { message_id, message_thread_id } = update.edited_message
    const sender = senderOf(from, chat, message_thread_id)
    return sender.isPrivate
      ? { kind: 'edit', cursor, from: sender, ref: String(message_id) }
      : { kind: 'other', cursor }
  }
  if (message === undefined || from === undefined || chat === undefined || message.sender_chat !== undefined)
    return { kind: 'other', cursor }
  const sender = senderOf(from, chat, message.message_thread_id)
  if (!sender.isPrivate) return { kind: 'other', cursor, from: sender }
  const isForeign = message.forward_origin !== undefined || message.via_bot !== undefined
  const [, code] = (!isForeign && /^\/start ([\w-]{22})$/.exec(message.text ?? '')) || []
  return code === undefined ? { ...textOf(message, sender), cursor } : { kind: 'pair', cursor, from: sender, code }
}
