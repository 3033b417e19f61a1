import type { Clock } from '../lib/clock.ts'
import type { Spoken } from './spoken.ts'

/** What a tap on a channel may do, from least to most. */
export const decides = ['none', 'deny', 'approve'] as const
export type Decides = (typeof decides)[number]

/** How much a message weighs. `card`: a person must decide. */
export type Level = 'card' | 'failed' | 'warning' | 'info'

export type Capabilities = {
  decidesAtMost: Decides
  /** A message can be changed after it was sent. */
  revises: boolean
  /** A message can be taken back. */
  withdraws: boolean
  /** A message that is sent twice under one id is shown once. */
  isIdempotent: boolean
  /** It reaches people who were paired, and otherwise the one address of its settings. */
  pairs: boolean
  /** Names are hidden unless a person wants to see them. */
  hidesNames: boolean
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

/** A deed that a tap asks for. `token`: 27 characters, of this button alone. */
export type Button = { label: Spoken; token: string; does: 'deny' | 'approve' }

/** A message as a channel gets it. Its texts are `Spoken`, so that nothing else can leave. */
export type Outgoing = {
  /** The same in every attempt, revision and withdrawal. */
  id: string
  level: Level
  title: Spoken
  lines: readonly Spoken[]
  /** A page of the dashboard, where the address of the dashboard is known. It decides nothing and signs nobody in. */
  link?: string
  buttons: readonly Button[]
  /** It was decided or is over. */
  isOver: boolean
  /** When the message loses its meaning, Unix ms. */
  expiresAt: number
}

/** Where a message goes; of a channel that pairs nobody, both are empty. */
export type Address = { user: string; chat: string }

/** `gone`: nobody can be reached there any more. `again`: a later attempt may succeed. `failed`: none can. */
export type Delivery =
  | { kind: 'sent'; ref?: string }
  | { kind: 'again'; why: string; retryAfterMs?: number }
  | { kind: 'gone'; why: string }
  | { kind: 'failed'; why: string }

/** `problem`: absent where all is well. `account`: what the service calls us. */
export type Health = { problem?: string; account?: string }

/** Who did something on a channel. The ids are the service's own, never a name that somebody can choose. */
export type Sender = { user: string; chat: string; isPrivate: boolean; name: string }

/** Something that came in. `cursor`: where to go on after it. */
export type Incoming = { cursor?: string } & (
  | { kind: 'tap'; from?: Sender; token: string; ref?: string }
  | { kind: 'pair'; from: Sender; code: string }
  | { kind: 'text'; from: Sender; text: string; at: number }
  | { kind: 'other'; from?: Sender }
)

/** What the core makes of it, once it is on disk. `answer`: for the person who did it; absent: silence. */
export type Heard = (incoming: Incoming) => Promise<{ answer?: Spoken }>

/** A service that messages go to. No method throws or rejects except `health`, which may be told of by its error. */
export type Channel = {
  /** Where it goes, without a secret: `ntfy.lan`. */
  place: string
  deliver(message: Outgoing, to: Address, signal: AbortSignal): Promise<Delivery>
  /** Only where it `revises`. */
  revise?(message: Outgoing, to: Address, ref: string | undefined, signal: AbortSignal): Promise<Delivery>
  /** Only where it `withdraws`. */
  withdraw?(message: Outgoing, to: Address, ref: string | undefined, signal: AbortSignal): Promise<Delivery>
  /** Listens until the signal aborts. @param cursor where the last start stopped */
  incoming?(heard: Heard, cursor: string | undefined, signal: AbortSignal): Promise<void>
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
  /** @param problem is told of what stands between the channel and its service; undefined: all is well again */
  open(settings: Settings, parts: { clock: Clock; problem(why: string | undefined): void }): Channel
}
