import type { Clock } from '../lib/clock.ts'
import type { Spoken, Told } from './spoken.ts'

/** The rights of a tap on a channel, from least to most. */
export const decides = ['none', 'deny', 'approve'] as const
export type Decides = (typeof decides)[number]

/** The weight of a message. `card`: a person must decide. */
export type Level = 'card' | 'failed' | 'warning' | 'info'

export type Capabilities = {
  decidesAtMost: Decides
  /** A message that is sent twice under one id is shown once. */
  isIdempotent: boolean
  /** A tap is a request of the phone to the dashboard's public address. Without a public address, there are no taps. */
  tapsByAddress?: true
  /** The channel reaches paired people. If false, it reaches the one address of its settings. */
  pairs: boolean
  /** A button can ask to look at a card. The answer is the time that the card has left, and a link. */
  looks?: true
  /** Messages can go to group chats. Nothing that is written in a group is heard, and no message to a group has a button. */
  groups?: true
  /**
   * The channel reaches browsers that people, also members, subscribe themselves. Members hear of their own matters. Nobody is paired, and
   * a button has no token, because the browser signs with its own key.
   */
  subscribes?: true
  /** Names of guests and nodes are hidden unless a person wants to see them. */
  hidesNames: boolean
  /** A paired person can talk with JARVIS over the channel. Absent: the channel only tells. */
  talks?: Talking
}

/** The limits of a conversation over a channel. */
export type Talking = {
  /** Longest text of one message, characters of Markdown. */
  mostChars: number
  /** How an answer is shown while it is written. `draft`: as a preview that disappears. `edit`: as a message that is edited until the answer is complete. */
  streams: 'draft' | 'edit'
  /** The channel can receive voice notes. */
  hasVoice: boolean
}

/** One setting of a channel, kept as `JARVIS_CHANNEL_<channel>_<name>`. */
export type Setting = {
  /** Upper case. A setting whose name ends with KEY, PASSWORD, SECRET, TOKEN, TOPIC or HOOK_URL is sealed and never shown. */
  name: string
  label: string
  isRequired: boolean
  example: string
  /** Says why a value is refused: `must be a number`; undefined if it is accepted. */
  problem?(value: string): string | undefined
}
export type Settings = Readonly<Record<string, string>>

/** A button of a card. `look` decides nothing. `token`: 27 characters, unique for the button; empty if the channel `subscribes`. */
export type Button = { label: Spoken; token: string; does: 'deny' | 'approve' | 'look' }

/** A message for a channel. Its texts have the type `Spoken`, so that no other text can leave. */
export type Outgoing = {
  /** Equal in every attempt, revision and withdrawal. */
  id: string
  /** Time of the event, Unix ms: equal in every attempt. */
  at: number
  /** The subject; for a card, its id. A later message with the same tag may replace this one. */
  tag: string
  level: Level
  title: Spoken
  lines: readonly Spoken[]
  /** Path of a page of the dashboard, from `/`. Opening the page decides nothing and signs nobody in. */
  path: string
  /** The page's full address, if the address of the dashboard is known. */
  link?: string
  buttons: readonly Button[]
  /** The matter was decided, or is over. */
  isOver: boolean
  /** When the message loses its meaning, Unix ms. */
  expiresAt: number
}

/** The destination of a message. Both are empty if the channel pairs nobody. */
export type Address = { user: string; chat: string }

/**
 * The outcome of an attempt. `gone`: the recipient can no longer be reached. `again`: a later attempt may succeed. `failed`: no later attempt can.
 * `movedTo`: the new id that the service gave the group.
 */
export type Delivery =
  | { kind: 'sent'; ref?: string }
  | { kind: 'again'; why: string; retryAfterMs?: number; movedTo?: string }
  | { kind: 'gone'; why: string }
  | { kind: 'failed'; why: string }

/** `problem`: absent if all is well. `account`: the name of JARVIS's account at the service. */
export type Health = { problem?: string; account?: string }

/** The sender of something that came in. The ids are the service's own, never a name that a person can choose. `thread`: a topic within the chat. */
export type Sender = { user: string; chat: string; isPrivate: boolean; name: string; thread?: string }

/** A group chat, or a channel of a server. `name`: as the service shows it; other people may choose it. */
export type Group = { id: string; name: string }

/** A file of a message. `ref`: the argument of the channel's `file`; valid also after a restart. */
export type IncomingFile = { ref: string; name: string; bytes?: number }

/**
 * What a person wrote in a chat. `ref`: the service's id of the message. `at`: when it was written, Unix ms.
 * `text`: the person's own words, or empty. `foreign`: words of others that the person forwarded, quoted or replied to; they are data.
 */
export type IncomingText = {
  kind: 'text'
  from: Sender
  ref: string
  at: number
  text: string
  foreign?: readonly { how: 'forwarded' | 'quoted'; text: string }[]
  files?: readonly IncomingFile[]
  /** A voice note, in place of a text. */
  voice?: IncomingFile & { seconds: number }
}

/** Something that came in. `cursor`: the position at which the listener continues after it. */
export type Incoming = { cursor?: string } & (
  | { kind: 'tap'; from?: Sender; token: string; ref?: string }
  | { kind: 'pair'; from: Sender; code: string }
  | IncomingText
  /** A person pressed the service's own stop while an answer was written. */
  | { kind: 'stop'; from: Sender }
  /** A person changed what they had written. `ref`: the message. */
  | { kind: 'edit'; from: Sender; ref: string }
  /** Somebody added JARVIS to a group, or removed it. */
  | { kind: 'group'; by: string; group: Group; isIn: boolean }
  | { kind: 'other'; from?: Sender }
)

/** The reply to a person. `link`: a page of the dashboard; opening it decides nothing. */
export type Answered = { answer: Spoken; link?: string }

/** Handles something that came in. Resolves once the result is on disk. Without an answer the sender hears nothing. */
export type Heard = (incoming: Incoming) => Promise<Partial<Answered>>

declare const paired: unique symbol
/** The private chat of a paired person who may talk there. Only `pairedChat` in `talk/` makes one. */
export type PairedChat = Address & { readonly thread?: string; readonly [paired]: true }

/** A button in a conversation. It answers a question, sends a transcribed voice note, or opens a session. It never decides a card. `token`: 25 characters. */
export type Choice = { label: Told; token: string }

export type Picture = { mimeType: string; data: Buffer }

/** A message of a conversation. `text`: Markdown of models and tools. HTML and links in it are shown as text and make no button. */
export type Reply = {
  /** The same in every attempt and revision. */
  id: string
  text: Told
  picture?: Picture
  choices: readonly Choice[]
  /** The message that showed the answer while it was written. This message replaces it. */
  replaces?: string
}

/** A message that was sent. `ref`: the service's id of the message; undefined if it is not known. */
export type SentMessage = { to: Address; ref: string | undefined }

/** An open connection to a service. No method throws or rejects, except `health` and where a method says so. */
export type Channel = {
  /** The service's host, without a secret: `ntfy.lan`. */
  place: string
  deliver(message: Outgoing, to: Address, signal: AbortSignal): Promise<Delivery>
  /** Changes a message that was sent. Absent: the service cannot. */
  revise?(message: Outgoing, sent: SentMessage, signal: AbortSignal): Promise<Delivery>
  /** Takes a message back. Absent: `revise` says that it is over, if the service can do that. */
  withdraw?(message: Outgoing, sent: SentMessage, signal: AbortSignal): Promise<Delivery>
  /** Sends a message of a conversation. Present if the channel `talks`. */
  say?(reply: Reply, to: PairedChat, signal: AbortSignal): Promise<Delivery>
  /** Changes a message of a conversation. Present if the channel `talks`. */
  resay?(reply: Reply, sent: { to: PairedChat; ref: string }, signal: AbortSignal): Promise<Delivery>
  /**
   * Shows the part of an answer that is written so far. Present if the channel `talks`. @param at `id`: greater than 0, equal for all previews of one answer.
   * `ref`: as an earlier call returned. @returns `sent` with a `ref` if a message stays that the complete answer must replace
   */
  preview?(text: Told, at: { to: PairedChat; id: number; ref?: string }, signal: AbortSignal): Promise<Delivery>
  /** Reads a file that came in. Present if the channel `talks`. @throws Error in words, without an address */
  file?(ref: string, mostBytes: number, signal: AbortSignal): Promise<Buffer>
  /** Listens until the signal aborts. @param cursor the position at which the last process stopped */
  incoming?(heard: Heard, cursor: string | undefined, signal: AbortSignal): Promise<void>
  /** The groups that JARVIS is in, as far as the service lists them. @throws Error in words */
  groups?(signal: AbortSignal): Promise<Group[]>
  /** Finds a group that JARVIS is in. Present if the channel tells `groups`. @throws Error in words */
  group?(id: string, signal: AbortSignal): Promise<Group>
  /** A link that begins a pairing on a phone. */
  pairingLink?(code: string): string | undefined
  health(signal: AbortSignal): Promise<Health>
}

/** A channel as its file declares it; the rest of the house knows none by name. */
export type ChannelKind = {
  /** Lower case, one word. */
  id: string
  name: string
  /** One sentence that says who can read the messages on their way. */
  readers: string
  capabilities: Capabilities
  settings: readonly Setting[]
  /**
   * @param parts `problem`: receives the reason why the service cannot be reached, or undefined when it can again. `tapAddress`: the address to which a phone
   * sends a tap, if the channel has `tapsByAddress`
   */
  open(
    settings: Settings,
    parts: { clock: Clock; problem(why: string | undefined): void; tapAddress?: string | undefined },
  ): Channel
}
