import { z } from 'zod'

/** Risk classes, from least to most. Rules may only move a call to the right. */
export const tiers = ['green', 'yellow', 'red', 'black'] as const
export const Tier = z.enum(tiers)
export type Tier = z.infer<typeof Tier>

/**
 * What the gate says of one call. `rule` names the deciding rule; `reason` is a plain sentence for people and models.
 * `reasons`: those of all rules that ask for a person, `reason` first, where there are several.
 */
export type Verdict = { tier: Tier; rule: string; reason: string; reasons?: readonly string[] }

/** How much is asked, from strictest to loosest. */
export const profileNames = ['lockdown', 'restricted', 'balanced', 'permissive', 'unrestricted'] as const
export const ProfileName = z.enum(profileNames)
export type ProfileName = z.infer<typeof ProfileName>

export const Decision = z.enum(['approved', 'denied', 'expired', 'cancelled'])
export type Decision = z.infer<typeof Decision>

/** A systemd unit as its node describes it. Names are without `.service`; the states are systemd's own words. */
export const UnitState = z.object({
  id: z.string(),
  /** Its own name and its aliases. */
  names: z.array(z.string()),
  /** `simple`, `oneshot`, …; absent where the node did not say. */
  type: z.string().optional(),
  loadState: z.string(),
  activeState: z.string(),
  subState: z.string(),
})
export type UnitState = z.infer<typeof UnitState>

/** What a red call would touch, as the cluster knows it now. */
export const Target = z.object({
  kind: z.enum(['guest', 'node', 'service', 'none']),
  /** `vm/101`, `ct/104`, `node/pve`, `service/nginx@pve`; for `none` empty, or `tool/NAME@HASH` of an attached server's tool. */
  id: z.string(),
  /** The name others gave it: data, never markup. */
  name: z.string().optional(),
  node: z.string().optional(),
  vmid: z.int().optional(),
  type: z.enum(['vm', 'ct']).optional(),
  status: z.string().optional(),
  lock: z.string().optional(),
  haState: z.string().optional(),
  /** As the guest's. */
  madeAt: z.int().optional(),
  /** The unit that a call would change, as its node describes it. */
  unit: UnitState.optional(),
  /** Why that is not known, where a call would change one. */
  unitMissing: z.string().optional(),
})
export type Target = z.infer<typeof Target>

/**
 * What a call does and to what kind of thing. `kind`: `read`, `power`, `config`, `data`, `create`, `destroy`, `execute`,
 * `network`, `credential`, `notify`, `remote` (an attached server's tool) or `unknown`; others may come.
 */
export const Effect = z.object({
  kind: z.string(),
  /** `guest`, `node`, `service`, `storage`, `file`, `tool` or `site`; others may come. */
  on: z.string(),
  action: z.enum(['start', 'stop', 'restart']).optional(),
  /** Of the guests that it is for, where it is for one type alone. */
  type: z.enum(['vm', 'ct']).optional(),
  /** Without a clean end. */
  isForced: z.boolean().optional(),
})
export type Effect = z.infer<typeof Effect>

/** Who or what asked for a call. */
export const Requester = z.object({
  kind: z.enum(['chat', 'command', 'mcp']),
  /** A model's id, the operator who typed the command, or the MCP client's own name (its words, not checked). */
  name: z.string(),
  /** The name of the MCP token. */
  token: z.string().optional(),
})
export type Requester = z.infer<typeof Requester>

/** A confirmation card's facts, composed by JARVIS; nothing in it is written by a model or a client but names it quotes. */
export const Card = z.object({
  toolUseId: z.string(),
  /** The call it asks for, where this card replaces another one of the same call; else `toolUseId` is the call's own. */
  callId: z.string().optional(),
  /** What differs from the card before, in plain words. */
  changed: z.string().optional(),
  toolName: z.string(),
  toolInput: z.record(z.string(), z.unknown()),
  tier: z.literal('red'),
  /** What will happen, in words: `VM 103 "truenas" on pve shuts down cleanly and stays off.` */
  sentence: z.string().optional(),
  /** Why it asks: the rule's sentence. */
  reason: z.string(),
  /** The sentences of all rules that ask for a person, `reason` first; absent where there is only that one. */
  reasons: z.array(z.string()).optional(),
  rule: z.string(),
  target: Target,
  /** What it does; absent on cards of before this was told. */
  effect: Effect.optional(),
  /** What the target is now, in a few words: `running for 8 d 4 h, CPU 97 %`. */
  now: z.string(),
  /** What it will be: `running → stopped, clean shutdown`. */
  then: z.string(),
  /** What else suffers; `Nothing else found` where nothing does. */
  affects: z.string(),
  requestedBy: Requester,
  /** An earlier call of the same answer changes the same guest first, so its state then is not what it is now. */
  isAfterAnother: z.literal(true).optional(),
  /** A grant may be made with the approval. */
  isGrantable: z.literal(true).optional(),
  createdAt: z.int(),
  /** Unix ms. */
  expiresAt: z.int(),
})
export type Card = z.infer<typeof Card>
