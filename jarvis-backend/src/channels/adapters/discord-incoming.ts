import type { Incoming, IncomingFile, IncomingText, Sender } from '../channel.ts'

const mostName = 60
/** The flag that marks a voice note. */
const isVoice = 1 << 13

export type User = { id: string; username: string; global_name?: string | null; bot?: boolean }
export type Attachment = { id: string; filename: string; size: number; url: string; duration_secs?: number }
/** A message as a bot receives it (Discord's API 10). */
export type Message = {
  id: string
  channel_id: string
  guild_id?: string
  author: User
  webhook_id?: string
  content: string
  timestamp: string
  /** The type of the message. 0: typed by a person. 19: a reply. */
  type: number
  flags?: number
  attachments?: Attachment[]
  /** Type 1: the message is forwarded, and its text is in the snapshots. */
  message_reference?: { type?: number }
  message_snapshots?: { message: { content?: string } }[]
  referenced_message?: { content?: string } | null
}
export type Interaction = {
  id: string
  token: string
  application_id: string
  /** The type of the interaction. 3: a component was pressed. */
  type: number
  guild_id?: string
  channel_id?: string
  /** 1: the interaction comes from the private chat with the bot. */
  context?: number
  user?: User
  member?: { user: User }
  message?: { id: string }
  data?: { custom_id?: string; component_type?: number }
}

const senderOf = ({ id, username, global_name }: User, chat: string, isPrivate: boolean): Sender => ({
  user: id,
  chat,
  isPrivate,
  name: [global_name ?? undefined, `@${username}`]
    .filter((part) => part !== undefined)
    .join(' ')
    .slice(0, mostName),
})

/** Converts an event. Only taps, codes and messages that a person sends in a private chat are used; everything else becomes `other`. */
export function incomingOf(name: string, data: unknown, application: string | undefined): Incoming {
  if (name === 'INTERACTION_CREATE') return tapOf(data as Interaction, application)
  if (name !== 'MESSAGE_CREATE') return { kind: 'other' }
  const message = data as Message
  const { author, channel_id, guild_id, webhook_id, content, type } = message
  if (author.bot === true || webhook_id !== undefined) return { kind: 'other' }
  const from = senderOf(author, channel_id, guild_id === undefined)
  if (!from.isPrivate || (type !== 0 && type !== 19)) return { kind: 'other', from }
  const [, code] = /^\/?start ([\w-]{22})$/.exec(content) ?? []
  if (code !== undefined && message.message_reference === undefined) return { kind: 'pair', from, code }
  return textOf(message, from)
}

function tapOf(interaction: Interaction, application: string | undefined): Incoming {
  const { type, application_id, guild_id, channel_id, context, user, member, message, data: pressed } = interaction
  const from = user ?? member?.user
  const isForeign = application !== undefined && application_id !== application
  if (type !== 3 || isForeign || from === undefined || channel_id === undefined) return { kind: 'other' }
  if (pressed?.custom_id === undefined || pressed.component_type !== 2) return { kind: 'other' }
  const isPrivate = guild_id === undefined && member === undefined && context === 1
  const sender = senderOf(from, channel_id, isPrivate)
  return { kind: 'tap', from: sender, token: pressed.custom_id, ...(message !== undefined && { ref: message.id }) }
}

/** The words of other people: a forwarded message, or the message that this one replies to. */
function foreignOf({
  message_reference,
  message_snapshots = [],
  referenced_message,
}: Message): NonNullable<IncomingText['foreign']> {
  const isForwarded = message_reference?.type === 1
  const replied = isForwarded ? undefined : referenced_message?.content
  return [
    ...(isForwarded
      ? [{ how: 'forwarded' as const, text: message_snapshots.map(({ message }) => message.content ?? '').join('\n') }]
      : []),
    ...(replied === undefined ? [] : [{ how: 'quoted' as const, text: replied }]),
  ]
}

function textOf(message: Message, from: Sender): Incoming {
  const { id, channel_id, content, timestamp, flags = 0, attachments = [] } = message
  const foreign = foreignOf(message)
  const isForwarded = foreign.some(({ how }) => how === 'forwarded')
  const fileOf = (one: Attachment): IncomingFile => ({
    ref: `${channel_id}/${id}/${one.id}`,
    name: one.filename,
    bytes: one.size,
  })
  const [note] = (flags & isVoice) === 0 ? [] : attachments
  const files = note === undefined ? attachments.map(fileOf) : []
  if (content === '' && attachments.length === 0 && foreign.length === 0) return { kind: 'other', from }
  return {
    kind: 'text',
    from,
    ref: id,
    at: Date.parse(timestamp),
    text: isForwarded ? '' : content,
    ...(foreign.length > 0 && { foreign }),
    ...(files.length > 0 && { files }),
    // A forwarded voice note is another person's and gives no order.
    ...(note !== undefined &&
      !isForwarded && { voice: { ...fileOf(note), name: 'voice.ogg', seconds: note.duration_secs ?? 0 } }),
  }
}
