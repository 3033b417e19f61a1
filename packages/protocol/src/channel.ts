import { z } from 'zod'
import { AgentId } from './agent.ts'

/** The decisions that a person may make by a button on a channel, from least to most. */
export const Decides = z.enum(['none', 'deny', 'approve'])
export type Decides = z.infer<typeof Decides>

/** One setting of a channel. `value`: absent for a secret; `isSet` is true if the secret is set. */
export const ChannelSetting = z.object({
  name: z.string(),
  label: z.string(),
  isRequired: z.boolean(),
  isSecret: z.boolean(),
  example: z.string(),
  isSet: z.boolean(),
  value: z.string().optional(),
})
export type ChannelSetting = z.infer<typeof ChannelSetting>

/**
 * A recipient of a channel. `user`: the service's id of the recipient, empty if the channel has only one address. `name`: as the service shows it;
 * anybody may choose any name. `problem`: why messages do not reach the recipient.
 */
export const ChannelRecipient = z.object({
  id: z.string(),
  person: z.string(),
  personName: z.string(),
  user: z.string(),
  name: z.string(),
  /**
   * True for a group chat. It gets alerts and results of jobs without names, and its messages are not read. `person` is then the owner who chose the
   * group.
   */
  isGroup: z.boolean(),
  decides: Decides,
  hidesNames: z.boolean(),
  /** The recipient may talk with JARVIS there. */
  talks: z.boolean(),
  /** The agent that answers the recipient there; absent: the agents' bindings choose. */
  agent: z.string().optional(),
  createdAt: z.number(),
  problem: z.string().optional(),
})
export type ChannelRecipient = z.infer<typeof ChannelRecipient>

/** A channel. `place`: its address, without a secret. `from`: where its settings come from; settings from the environment cannot be changed here. */
export const ChannelInfo = z.object({
  id: z.string(),
  name: z.string(),
  readers: z.string(),
  atMost: Decides,
  pairs: z.boolean(),
  /** The channel reaches browsers in which a person turned it on, and has no settings. */
  subscribes: z.boolean(),
  /** Paired people can talk with JARVIS there. */
  talks: z.boolean(),
  /** Group chats can be recipients there. */
  groups: z.boolean(),
  state: z.enum(['off', 'on', 'broken']),
  from: z.enum(['environment', 'settings']).optional(),
  place: z.string().optional(),
  /** JARVIS's own account at the service. */
  account: z.string().optional(),
  problem: z.string().optional(),
  settings: z.array(ChannelSetting),
  recipients: z.array(ChannelRecipient),
  /** Messages that wait to be sent. */
  waiting: z.number(),
})
export type ChannelInfo = z.infer<typeof ChannelInfo>

/** `today`: how many messages had which outcome since midnight. `zone`: the time zone of JARVIS's clock, which also applies to the hours in rules. */
export const ChannelsReply = z.object({
  items: z.array(ChannelInfo),
  today: z.object({ sent: z.number(), held: z.number(), dropped: z.number(), failed: z.number() }),
  zone: z.string(),
})
export type ChannelsReply = z.infer<typeof ChannelsReply>

/** Null removes a setting. A setting that is not named stays. */
export const ChannelBody = z.strictObject({
  settings: z.record(z.string(), z.string().trim().min(1).max(500).nullable()),
})
export type ChannelBody = z.output<typeof ChannelBody>

/** A message and its delivery. `title`: its first words. `to`: the recipient. */
export const ChannelDelivery = z.object({
  id: z.string(),
  seq: z.number(),
  channel: z.string(),
  to: z.string(),
  act: z.enum(['deliver', 'revise', 'withdraw']),
  kind: z.enum(['card', 'notice', 'digest', 'test', 'pairing', 'talk']),
  level: z.enum(['card', 'failed', 'warning', 'info']),
  title: z.string(),
  at: z.number(),
  state: z.enum(['waiting', 'sending', 'sent', 'held', 'dropped', 'failed']),
  /** When the delivery ended, Unix ms. */
  endedAt: z.number().optional(),
  /** When a waiting message is next tried, Unix ms. */
  nextAt: z.number().optional(),
  attempts: z.number(),
  why: z.string().optional(),
})
export type ChannelDelivery = z.infer<typeof ChannelDelivery>
export const ChannelDeliveries = z.object({ items: z.array(ChannelDelivery) })
export const ChannelDeliveriesQuery = z.strictObject({
  before: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

/** The request that a button in a message sends. */
export const ChannelTapBody = z.strictObject({ token: z.string().max(64) })
/** `answer`: a sentence for the person who pressed the button. */
export const ChannelTapReply = z.object({ answer: z.string() })

export const ChannelTestBody = z.strictObject({ recipient: z.string().optional() })

/** A pairing that waits for confirmation. `opened`: the account that used the code. Anybody can choose `name`; nobody can choose `user`. */
export const ChannelPairing = z.object({
  id: z.string(),
  channel: z.string(),
  expiresAt: z.number(),
  opened: z.object({ user: z.string(), name: z.string(), at: z.number() }).optional(),
})
export type ChannelPairing = z.infer<typeof ChannelPairing>
/** `code`: the pairing code, shown once. `link`: opens the channel's own app with the code. */
export const ChannelPairingBegun = ChannelPairing.extend({ code: z.string(), link: z.string().optional() })
export type ChannelPairingBegun = z.infer<typeof ChannelPairingBegun>
/** Group chats that can be made recipients. Anybody can choose a name; nobody can choose the id. */
export const ChannelGroups = z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) })
export type ChannelGroups = z.infer<typeof ChannelGroups>
export const ChannelGroupBody = z.strictObject({ group: z.string().min(1).max(40) })
export const ChannelPairings = z.object({ items: z.array(ChannelPairing) })
export const ChannelPairingBody = z.strictObject({ user: z.string().min(1).max(100) })
/** `agent` null: the agents' bindings choose. */
export const ChannelRecipientBody = z.strictObject({
  decides: Decides.optional(),
  hidesNames: z.boolean().optional(),
  talks: z.boolean().optional(),
  agent: AgentId.nullable().optional(),
})
export type ChannelRecipientBody = z.output<typeof ChannelRecipientBody>

const Hours = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, 'must be hours such as 23:00-07:00')
  .refine((text) => text.slice(0, 5) !== text.slice(6), 'must begin and end at different times')

/**
 * The kinds of matters that messages are about: waiting cards; questions; alerts; changes that JARVIS takes back by itself; decisions by one owner
 * alone; calls that the policy reports; jobs; sign-ins; conversations that were shared.
 */
export const matterKinds = [
  'card',
  'question',
  'alert',
  'change',
  'glass',
  'observed',
  'job',
  'sign-in',
  'share',
] as const

/**
 * The rules for notifications. `quiet`: in these hours, warnings are held and sent as one digest at the end; failures, and cards that a person asked
 * for, are sent at once. `routes`: a channel with routes gets only the matters that one of its routes lets through. Other channels get all matters
 * except jobs that went well. Empty `kinds`: every kind. `escalation`: a channel, or a person (by id) on every channel, is told of a card only if
 * nobody decided it within this number of seconds; if both have a time, the longer one applies.
 */
export const ChannelRules = z.strictObject({
  quiet: Hours.optional(),
  routes: z
    .array(
      z.strictObject({
        channel: z.string().max(40),
        person: z.string().max(60).optional(),
        kinds: z.array(z.enum(matterKinds)).max(matterKinds.length),
        least: z.enum(['info', 'warning', 'failed']),
        hours: Hours.optional(),
      }),
    )
    .max(100),
  escalation: z.record(z.string().max(60), z.int().min(0).max(3_600)),
})
export type ChannelRules = z.infer<typeof ChannelRules>
export type ChannelPairings = z.infer<typeof ChannelPairings>
export type ChannelDeliveries = z.infer<typeof ChannelDeliveries>
export type ChannelTapReply = z.infer<typeof ChannelTapReply>
