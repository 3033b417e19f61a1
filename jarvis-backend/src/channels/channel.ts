import type { Clock } from '../lib/clock.ts'
import type { Spoken, Told } from './spoken.ts'

/** The rights of a tap, from least to most. A tap is a press of a button in a channel's message. */
export const decides = ['none', 'deny', 'approve'] as const
export type Decides = (typeof decides)[number]

/** The importance of a message. `card`: a person must decide. */
export type Level = 'card' | 'failed' | 'warning' | 'info'

export type Capabilities = {
  decidesAtMost: Decides
  /** If a message is sent twice under one id, the channel shows it once. */
  isIdempotent: boolean
  /** A tap is an HTTP request from the phone to the dashboard's public URL. Without a public URL the channel has no taps. */
  tapsByAddress?: true
  /** True: the channel reaches paired people. False: it sends to the one address in its settings. */
  pairs: boolean
  /** A button can ask for the state of a card. The answer is the time that the card has left, and a link. */
  looks?: true
  /** Messages can go to group chats. JARVIS reads nothing that is written in a group, and no message to a group has a button. */
  groups?: true
  /**
   * The channel reaches browsers that people subscribe themselves. Members may subscribe too, and are notified of their own matters only. Nobody is
   * paired. A button has no token, because the browser signs with its own key.
   */
  subscribes?: true
  /** Names of guests and nodes are hidden unless a person wants to see them. */
  hidesNames: boolean
  /** A paired person can talk with JARVIS over the channel. Absent: the channel only sends notices and cards. */
  talks?: Talking
}

/** The limits of a conversation over a channel. */
export type Talking = {
  /** Longest text of one message, characters of Markdown. */
  mostChars: number
  /**
   * The way in which an answer is shown while it is written. `draft`: as a preview that disappears. `edit`: as a message that is edited until the
   * answer is complete.
   */
  streams: 'draft' | 'edit'
  /** The channel can receive voice notes. */
  hasVoice: boolean
  /** The largest file that the channel can send, bytes. Absent: it sends no files, and a line names each file. */
  mostFileBytes?: number
}

/** One setting of a channel, kept as `JARVIS_CHANNEL_<channel>_<name>`. */
export type Setting = {
  /** The name in upper case. A setting whose name ends with KEY, PASSWORD, SECRET, TOKEN, TOPIC or HOOK_URL is encrypted on disk and never shown. */
  name: string
  label: string
  isRequired: boolean
  example: string
  /** Returns the reason why a value is refused: `must be a number`; undefined if it is accepted. */
  problem?(value: string): string | undefined
}
export type Settings = Readonly<Record<string, string>>

/**
 * A button of a card. `look` shows the card's state and decides nothing. `token`: 27 characters, unique for the button; empty if the channel
 * `subscribes`.
 */
export type Button = { label: Spoken; token: string; does: 'deny' | 'approve' | 'look' }

/** A message for a channel. Its texts have the type `Spoken`, so that no text without redaction can be sent. */
export type Outgoing = {
  /** The id of the message, the same in every attempt, revision and withdrawal. */
  id: string
  /** Time of the event, Unix ms, the same in every attempt. */
  at: number
  /** The subject of the message; for a card, the card's id. A later message with the same tag may replace this one. */
  tag: string
  level: Level
  title: Spoken
  lines: readonly Spoken[]
  /** Path of a page of the dashboard, from `/`. Opening the page decides nothing and signs nobody in. */
  path: string
  /** The full URL of the page; absent if the dashboard's URL is not known. */
  link?: string
  buttons: readonly Button[]
  /** The card was decided, or the question or change of the message has ended. */
  isOver: boolean
  /** The time after which the message is of no use, Unix ms. */
  expiresAt: number
}

/** The destination of a message. Both fields are empty if the channel does not pair people. */
export type Address = { user: string; chat: string }

/**
 * The outcome of an attempt. `gone`: the recipient can no longer be reached. `again`: a later attempt may succeed. `failed`: every later attempt
 * would fail too. `movedTo`: the new id that the service gave the group.
 */
export type Delivery =
  | { kind: 'sent'; ref?: string }
  | { kind: 'again'; why: string; retryAfterMs?: number; movedTo?: string }
  | { kind: 'gone'; why: string }
  | { kind: 'failed'; why: string }

/** The result of a check of the service. `problem`: absent if all is well. `account`: the name of JARVIS's account at the service. */
export type Health = { problem?: string; account?: string }

/**
 * The sender of an incoming event. The service assigns the ids; `name` is chosen by people and never used as an id. `thread`: a topic within the
 * chat.
 */
export type Sender = { user: string; chat: string; isPrivate: boolean; name: string; thread?: string }

/** A group chat, or a channel of a server. `name`: as the service shows it; other people may choose it. */
export type Group = { id: string; name: string }

/** A file of a message. `ref`: the argument of the channel's method `file`; stays valid after a restart. */
export type IncomingFile = { ref: string; name: string; bytes?: number }

/**
 * A message that a person wrote in a chat. `ref`: the service's id of the message. `at`: the time when it was written, Unix ms. `text`: the person's
 * own words, or empty. `foreign`: words of other people that the person forwarded, quoted or replied to; they are treated as data.
 */
export type IncomingText = {
  kind: 'text'
  from: Sender
  ref: string
  at: number
  text: string
  foreign?: readonly { how: 'forwarded' | 'quoted'; text: string }[]
  files?: readonly IncomingFile[]
  /** A voice note, sent in place of a text. */
  voice?: IncomingFile & { seconds: number }
}

/** An event that came in over a channel. `cursor`: the position from which the listener continues after this event. */
export type Incoming = { cursor?: string } & (
  | { kind: 'tap'; from?: Sender; token: string; ref?: string }
  | { kind: 'pair'; from: Sender; code: string }
  | IncomingText
  /** A person pressed the service's own stop button while an answer was written. */
  | { kind: 'stop'; from: Sender }
  /** A person edited an earlier message. `ref`: the service's id of that message. */
  | { kind: 'edit'; from: Sender; ref: string }
  /** Somebody added JARVIS to a group, or removed it. */
  | { kind: 'group'; by: string; group: Group; isIn: boolean }
  | { kind: 'other'; from?: Sender }
)

/** The reply to a person. `link`: a page of the dashboard; opening it decides nothing. */
export type Answered = { answer: Spoken; link?: string }

/** Handles an incoming event. Resolves once the result is on disk. If `answer` is absent, the sender gets no reply. */
export type Heard = (incoming: Incoming) => Promise<Partial<Answered>>

declare const paired: unique symbol
/** The private chat of a paired person who may talk there. Only `pairedChat` in `talk/` makes one. */
export type PairedChat = Address & { readonly thread?: string; readonly [paired]: true }

/** A button in a conversation. It answers a question, sends a transcribed voice note, or opens a session. It never decides a card. `token`: 25 characters. */
export type Choice = { label: Told; token: string }

export type Picture = { mimeType: string; data: Buffer }
/** A file that is sent with a message. */
export type Document = Picture & { name: string }

/** A message of a conversation. `text`: Markdown from models and tools. HTML and links in it are shown as plain text and never become buttons. */
export type Reply = {
  /** The id of the message, the same in every attempt and revision. */
  id: string
  text: Told
  picture?: Picture
  document?: Document | undefined
  choices: readonly Choice[]
  /** The id of the message that showed the answer while it was written. This message replaces it. */
  replaces?: string
}

/** A message that was sent. `ref`: the service's id of the message; undefined if it is not known. */
export type SentMessage = { to: Address; ref: string | undefined }

/** An open connection to a service. No method throws or rejects, except `health` and methods whose comment says so. */
export type Channel = {
  /** The service's host, without any secret: `ntfy.lan`. */
  place: string
  deliver(message: Outgoing, to: Address, signal: AbortSignal): Promise<Delivery>
  /** Changes a message that was sent. Absent: the service cannot change messages. */
  revise?(message: Outgoing, sent: SentMessage, signal: AbortSignal): Promise<Delivery>
  /** Takes a message back. Absent: `revise` marks the message as over, if the service can change messages. */
  withdraw?(message: Outgoing, sent: SentMessage, signal: AbortSignal): Promise<Delivery>
  /** Sends a message of a conversation. Present if the channel `talks`. */
  say?(reply: Reply, to: PairedChat, signal: AbortSignal): Promise<Delivery>
  /** Changes a message of a conversation. Present if the channel `talks`. */
  resay?(reply: Reply, sent: { to: PairedChat; ref: string }, signal: AbortSignal): Promise<Delivery>
  /**
   * Shows the part of an answer that is written so far. Present if the channel `talks`. @param at `id`: greater than 0, the same for all previews of
   * one answer. `ref`: the `ref` that an earlier call returned @returns `sent` with a `ref` if the preview is a lasting message that the complete
   * answer must replace
   */
  preview?(text: Told, at: { to: PairedChat; id: number; ref?: string }, signal: AbortSignal): Promise<Delivery>
  /** Reads a file that a person sent. Present if the channel `talks`. @throws Error with a message for people, without an address */
  file?(ref: string, mostBytes: number, signal: AbortSignal): Promise<Buffer>
  /** Listens until the signal aborts. @param cursor the position at which the last process stopped */
  incoming?(heard: Heard, cursor: string | undefined, signal: AbortSignal): Promise<void>
  /** The groups that JARVIS is in, as far as the service lists them. @throws Error with a message for people */
  groups?(signal: AbortSignal): Promise<Group[]>
  /** Finds a group that JARVIS is in. Present if the channel has the capability `groups`. @throws Error with a message for people */
  group?(id: string, signal: AbortSignal): Promise<Group>
  /** Returns a link that begins a pairing on a phone; undefined if there is none. */
  pairingLink?(code: string): string | undefined
  health(signal: AbortSignal): Promise<Health>
}

/** The declaration of a channel. Each channel's file exports one, and no other code names a channel. */
export type ChannelKind = {
  /** Lower case, one word. */
  id: string
  name: string
  /** One sentence that says who can read the messages on their way. */
  readers: string
  capabilities: Capabilities
  settings: readonly Setting[]
  /**
   * Opens a connection to the service.
   * @param parts `problem`: receives the reason why the service cannot be reached, or undefined when it can be reached again. `tapAddress`: the
   * URL that a phone requests when a person taps a button of a message; set if the channel has `tapsByAddress`
   */
  open(
    settings: Settings,
    parts: { clock: Clock; problem(why: string | undefined): void; tapAddress?: string | undefined },
  ): Channel
}
