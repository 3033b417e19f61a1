import { z } from 'zod'
import { AgentId } from './agent.ts'

/** The decisions that a tap on a channel may make, from least to most. */
export const Decides = z.enum(['none', 'deny', 'approve'])
export type Decides = z.infer<typeof Decides>

/** One setting of a channel. `value`: absent for a secret; `isSet` says whether there is one. */
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
 * Somebody who is reached over a channel. `user`: the service's own id of them, empty where the channel has one address alone; `name`: as
 * the service shows them, which anybody may choose. `problem`: why nothing reaches them.
 */
export const ChannelRecipient = z.object({
  id: z.string(),
  person: z.string(),
  personName: z.string(),
  user: z.string(),
  name: z.string(),
  /** A group chat: told of alerts and jobs without names, and never heard. `person`: the owner who chose it. */
  isGroup: z.boolean(),
  decides: Decides,
  hidesNames: z.boolean(),
  /** They may talk with JARVIS there. */
  talks: z.boolean(),
  /** The agent that answers them there; absent: the bindings of agents choose. */
  agent: z.string().optional(),
  createdAt: z.number(),
  problem: z.string().optional(),
})
export type ChannelRecipient = z.infer<typeof ChannelRecipient>

/** A channel. `place`: where it goes, without a secret. `from`: where its settings come from; those of the environment cannot be changed here. */
export const ChannelInfo = z.object({
  id: z.string(),
  name: z.string(),
  readers: z.string(),
  atMost: Decides,
  pairs: z.boolean(),
  /** It reaches browsers that their own people turn it on in, and has no settings. */
  subscribes: z.boolean(),
  /** Paired people can talk with JARVIS there. */
  talks: z.boolean(),
  /** Group chats can be told there. */
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

/** `today`: what became of the messages since midnight. */
/** `zone`: of JARVIS's clock, in which hours of rules count. */
export const ChannelsReply = z.object({
  items: z.array(ChannelInfo),
  today: z.object({ sent: z.number(), held: z.number(), dropped: z.number(), failed: z.number() }),
  zone: z.string(),
})
export type ChannelsReply = z.infer<typeof ChannelsReply>

/** Null takes a setting out; one that is not named stays. */
export const ChannelBody = z.strictObject({
  settings: z.record(z.string(), z.string().trim().min(1).max(500).nullable()),
})
export type ChannelBody = z.output<typeof ChannelBody>

/** A message and what became of it. `title`: what it said first. `to`: whom it was for. */
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
  /** When it ended. */
  endedAt: z.number().optional(),
  /** When the next attempt is made, of a waiting one. */
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

/** The body that a button of a message sends. */
export const ChannelTapBody = z.strictObject({ token: z.string().max(64) })
/** `answer`: for whoever pressed. */
export const ChannelTapReply = z.object({ answer: z.string() })

export const ChannelTestBody = z.strictObject({ recipient: z.string().optional() })

/** A pairing that waits. `opened`: who used the code; a name can be chosen by anybody, the number cannot. */
export const ChannelPairing = z.object({
  id: z.string(),
  channel: z.string(),
  expiresAt: z.number(),
  opened: z.object({ user: z.string(), name: z.string(), at: z.number() }).optional(),
})
export type ChannelPairing = z.infer<typeof ChannelPairing>
/** `code`: shown once. `link`: opens the channel's own app with the code. */
export const ChannelPairingBegun = ChannelPairing.extend({ code: z.string(), link: z.string().optional() })
export type ChannelPairingBegun = z.infer<typeof ChannelPairingBegun>
/** Group chats that could be told. A name can be chosen by anybody, the number cannot. */
export const ChannelGroups = z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) })
export type ChannelGroups = z.infer<typeof ChannelGroups>
export const ChannelGroupBody = z.strictObject({ group: z.string().min(1).max(40) })
export const ChannelPairings = z.object({ items: z.array(ChannelPairing) })
export const ChannelPairingBody = z.strictObject({ user: z.string().min(1).max(100) })
/** `agent` null: as the bindings of agents say. */
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
 * What messages are about: waiting cards, questions, alerts, changes that go back, decisions by one owner alone, calls that the policy wants told, jobs,
 * sign-ins, conversations that were shared.
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
 * Who hears what, and when. `quiet`: warnings are held for one digest at its end, what failed and what a person asked for passes. `routes`:
 * a channel with routes hears what one of them lets through, others hear all but jobs that are done; no `kinds`: every kind. `escalation`: so many
 * seconds later a channel, or a person by id on every channel, hears of a card that nobody decided; the longer time counts.
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
