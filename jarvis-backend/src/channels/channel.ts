import type { Clock } from '../lib/clock.ts'
import type { Spoken, Told } from './spoken.ts'

/** What a tap on a channel may do, from least to most. */
export const decides = ['none', 'deny', 'approve'] as const
export type Decides = (typeof decides)[number]

/** How much a message weighs. `card`: a person must decide. */
export type Level = 'card' | 'failed' | 'warning' | 'info'

export type Capabilities = {
  decidesAtMost: Decides
  /** A message that is sent twice under one id is shown once. */
  isIdempotent: boolean
  /** A tap is a request of the phone to the dashboard's public address, so there is none where that is not set. */
  tapsByAddress?: true
  /** It reaches people who were paired, and otherwise the one address of its settings. */
  pairs: boolean
  /** A tap can ask to look at a card, and is answered with its time and a link. */
  looks?: true
  /** Group chats can be told there. They are never heard, and no message to them has a button. */
  groups?: true
  /**
   * It reaches browsers that their own people subscribe, members too, who hear of what they asked for themselves. Nobody is paired there, and
   * a button is signed by the browser's own key, so it has no token.
   */
  subscribes?: true
  /** Names are hidden unless a person wants to see them. */
  hidesNames: boolean
  /** A paired person can talk with JARVIS there. Absent: it only tells. */
  talks?: Talking
}

/** What a conversation can carry there. */
export type Talking = {
  /** Longest text of one message, characters of Markdown. */
  mostChars: number
  /** An answer is shown while it is written. `draft`: as a preview that goes away. `edit`: as a message that is edited until it is finished. */
  streams: 'draft' | 'edit'
  /** Voice notes can be taken. */
  hasVoice: boolean
}

/** One setting of a channel, kept as `JARVIS_CHANNEL_<channel>_<name>`. */
export type Setting = {
  /** Upper case. One that ends with KEY, PASSWORD, SECRET, TOKEN, TOPIC or WEBHOOK_URL is sealed and never shown. */
  name: string
  label: string
  isRequired: boolean
  example: string
  /** What is wrong with a value, in words. */
  problem?(value: string): string | undefined
}
export type Settings = Readonly<Record<string, string>>

/** A deed that a tap asks for; a look decides nothing. `token`: 27 characters, of this button alone; empty where the channel `subscribes`. */
export type Button = { label: Spoken; token: string; does: 'deny' | 'approve' | 'look' }

/** A message as a channel gets it. Its texts are `Spoken`, so that nothing else can leave. */
export type Outgoing = {
  /** The same in every attempt, revision and withdrawal. */
  id: string
  /** When it came about, Unix ms: the same in every attempt. */
  at: number
  /** What it is about: of a card its id. A later message about the same may take its place. */
  tag: string
  level: Level
  title: Spoken
  lines: readonly Spoken[]
  /** A page of the dashboard, from `/`. It decides nothing and signs nobody in. */
  path: string
  /** The page's whole address, where the address of the dashboard is known. */
  link?: string
  buttons: readonly Button[]
  /** It was decided or is over. */
  isOver: boolean
  /** When the message loses its meaning, Unix ms. */
  expiresAt: number
}

/** Where a message goes; of a channel that pairs nobody, both are empty. */
export type Address = { user: string; chat: string }

/**
 * `gone`: nobody can be reached there any more. `again`: a later attempt may succeed. `failed`: none can. `movedTo`: the id that the service gave the
 * group from now on.
 */
export type Delivery =
  | { kind: 'sent'; ref?: string }
  | { kind: 'again'; why: string; retryAfterMs?: number; movedTo?: string }
  | { kind: 'gone'; why: string }
  | { kind: 'failed'; why: string }

/** `problem`: absent where all is well. `account`: what the service calls us. */
export type Health = { problem?: string; account?: string }

/** Who did something on a channel. The ids are the service's own, never a name that somebody can choose. `thread`: a topic within the chat. */
export type Sender = { user: string; chat: string; isPrivate: boolean; name: string; thread?: string }

/** A group chat, or a channel of a server. `name`: as the service shows it, which others may choose. */
export type Group = { id: string; name: string }

/** A file of a message. `ref`: what the channel's `file` reads it by, also after a restart. */
export type IncomingFile = { ref: string; name: string; bytes?: number }

/**
 * What a person wrote in a chat. `ref`: the service's id of the message. `at`: when it was written, Unix ms.
 * `text`: the person's own words, empty where there are none. `foreign`: words of others that they forwarded, quoted or replied to, which are data.
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

/** Something that came in. `cursor`: where to go on after it. */
export type Incoming = { cursor?: string } & (
  | { kind: 'tap'; from?: Sender; token: string; ref?: string }
  | { kind: 'pair'; from: Sender; code: string }
  | IncomingText
  /** A person pressed the service's own stop while an answer was written. */
  | { kind: 'stop'; from: Sender }
  /** A person changed what they had written. `ref`: the message. */
  | { kind: 'edit'; from: Sender; ref: string }
  /** Somebody took us into a group, or out of it. */
  | { kind: 'group'; by: string; group: Group; isIn: boolean }
  | { kind: 'other'; from?: Sender }
)

/** What a person is told who did something. `link`: a page of the dashboard, which decides nothing. */
export type Answered = { answer: Spoken; link?: string }

/** What the core makes of it, once it is on disk. Without an answer: silence. */
export type Heard = (incoming: Incoming) => Promise<Partial<Answered>>

declare const paired: unique symbol
/** The private chat of a paired person who may talk there. Only `pairedChat` in `talk/` makes one. */
export type PairedChat = Address & { readonly thread?: string; readonly [paired]: true }

/** A button in a conversation. It answers a question, sends what was heard, or opens a session; it decides no card. `token`: 25 characters. */
export type Choice = { label: Told; token: string }

export type Picture = { mimeType: string; data: Buffer }

/** A message of a conversation. `text`: Markdown of models and tools, whose HTML and links are text and make no button. */
export type Reply = {
  /** The same in every attempt and revision. */
  id: string
  text: Told
  picture?: Picture
  choices: readonly Choice[]
  /** The message that showed it while it was written, and becomes this one. */
  replaces?: string
}

/** A service that messages go to. No method throws or rejects except `health`, which may be told of by its error. */
export type Channel = {
  /** Where it goes, without a secret: `ntfy.lan`. */
  place: string
  deliver(message: Outgoing, to: Address, signal: AbortSignal): Promise<Delivery>
  /** Changes a message that was sent. Absent: the service cannot. */
  revise?(message: Outgoing, to: Address, ref: string | undefined, signal: AbortSignal): Promise<Delivery>
  /** Takes a message back. Absent: `revise` says that it is over, if the service can do that. */
  withdraw?(message: Outgoing, to: Address, ref: string | undefined, signal: AbortSignal): Promise<Delivery>
  /** Only where it `talks`: sends a message of a conversation. */
  say?(reply: Reply, to: PairedChat, signal: AbortSignal): Promise<Delivery>
  /** Only where it `talks`: changes a message of a conversation. */
  resay?(reply: Reply, to: PairedChat, ref: string, signal: AbortSignal): Promise<Delivery>
  /**
   * Only where it `talks`: shows what is written so far. @param of one answer. `id`: greater than 0, the same for all of one answer.
   * `ref`: what an earlier call returned. @returns `sent` with a `ref` where a message stays that the finished one is to replace
   */
  preview?(text: Told, to: PairedChat, of: { id: number; ref?: string }, signal: AbortSignal): Promise<Delivery>
  /** Only where it `talks`: reads a file that came in. @throws Error in words, without an address */
  file?(ref: string, mostBytes: number, signal: AbortSignal): Promise<Buffer>
  /** Listens until the signal aborts. @param cursor where the last start stopped */
  incoming?(heard: Heard, cursor: string | undefined, signal: AbortSignal): Promise<void>
  /** Only where it tells `groups`: those that we are in, as far as the service lists them. @throws Error in words */
  groups?(signal: AbortSignal): Promise<Group[]>
  /** Only where it tells `groups`: one that we are in. @throws Error in words */
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
  /** Who can read the messages on their way, one sentence. */
  readers: string
  capabilities: Capabilities
  settings: readonly Setting[]
  /**
   * @param parts `problem`: told of what stands between the channel and its service; undefined: all is well again. `tapAddress`: where a phone sends
   * a tap, of a channel that `tapsByAddress`
   */
  open(
    settings: Settings,
    parts: { clock: Clock; problem(why: string | undefined): void; tapAddress?: string | undefined },
  ): Channel
}
