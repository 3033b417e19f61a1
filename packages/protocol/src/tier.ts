import { z } from 'zod'
import { GuestIdentity } from './cluster.ts'
import { PlanFacts } from './plan.ts'
import { UndoFacts } from './undo.ts'
import { FileDiff } from './workbench.ts'

/** Risk classes, from least to most. Rules can only raise a call's tier. */
export const tiers = ['green', 'yellow', 'red', 'black'] as const
export const Tier = z.enum(tiers)
export type Tier = z.infer<typeof Tier>

/**
 * The approvals that a call needs: `count` different people, each with a role of `by`. `notAsker`: an approval by the person who asked for the call
 * does not count.
 */
export const Approve = z.object({ count: z.int(), by: z.array(z.string()), notAsker: z.boolean() })
export type Approve = z.infer<typeof Approve>

/**
 * The gate's verdict on a call. `rule`: name of the deciding rule. `reason`: its sentence for people and models. `reasons`: sentences of all rules
 * that require a person, `reason` first; absent if there is only one. `approve`: absent if one operator decides. `proof`: the approval must be
 * signed.
 */
export const Verdict = z.object({
  tier: Tier,
  rule: z.string(),
  reason: z.string(),
  reasons: z.array(z.string()).optional(),
  approve: Approve.optional(),
  proof: z.literal('passkey').optional(),
})
export type Verdict = z.infer<typeof Verdict>

/** Safety profiles, from strictest to loosest. */
export const profileNames = ['lockdown', 'restricted', 'balanced', 'permissive', 'unrestricted'] as const
export const ProfileName = z.enum(profileNames)
export type ProfileName = z.infer<typeof ProfileName>

export const Decision = z.enum(['approved', 'denied', 'expired', 'cancelled'])
export type Decision = z.infer<typeof Decision>

/** A systemd unit as its node describes it. Names lack `.service`; states are systemd's own words. */
export const UnitState = z.object({
  id: z.string(),
  /** The unit's name and its aliases. */
  names: z.array(z.string()),
  /** `simple`, `oneshot`, …; absent if the node did not report it. */
  type: z.string().optional(),
  loadState: z.string(),
  activeState: z.string(),
  subState: z.string(),
})
export type UnitState = z.infer<typeof UnitState>

/** The target of a call, with the cluster's present facts. */
export const Target = z.object({
  kind: z.enum(['guest', 'node', 'service', 'storage', 'none']),
  /**
   * `vm/101`, `ct/104`, `node/pve`, `service/nginx@pve`; `storage/NAME` for a shared storage, otherwise `storage/NODE/NAME`. For `none`: empty,
   * `tool/NAME@HASH` of an attached tool, `path/ROOT/FILE`, `web/URL`, `container/NAME` or `sandbox/command`.
   */
  id: z.string(),
  /** The target's name. People gave it, so it is data and never markup. */
  name: z.string().optional(),
  node: z.string().optional(),
  vmid: z.int().optional(),
  type: z.enum(['vm', 'ct']).optional(),
  status: z.string().optional(),
  lock: z.string().optional(),
  haState: z.string().optional(),
  /** As `Guest.madeAt`. */
  madeAt: z.int().optional(),
  /** As `Guest.identity`. */
  identity: GuestIdentity.optional(),
  /** The systemd unit that a call would change. */
  unit: UnitState.optional(),
  /** Why `unit` is unknown, if a call would change one. */
  unitMissing: z.string().optional(),
})
export type Target = z.infer<typeof Target>

/**
 * An effect of a call. `kind`: `read`, `power`, `config`, `data`, `create`, `destroy`, `execute`, `network`, `remote` (an attached tool) or
 * `unknown`; more may be added.
 */
export const Effect = z.object({
  kind: z.string(),
  /**
   * The kind of object that is affected: `guest`, `node`, `service`, `storage`, `file`, `tool`, `site`, `path`, `web`, `container` or `sandbox`;
   * more may be added.
   */
  on: z.string(),
  action: z.enum(['start', 'stop', 'restart']).optional(),
  /** Type of guest, if the tool is for one type only. */
  type: z.enum(['vm', 'ct']).optional(),
  /** The guest's power is cut without a clean shutdown. */
  isForced: z.boolean().optional(),
})
export type Effect = z.infer<typeof Effect>

/** The person or program that asks for a call. */
export const Principal = z.object({
  /** `chat`: a model that answers a person. `command`: a person. `mcp`: a client. `job`: a job of the scheduler. More may be added. */
  kind: z.string(),
  /** A model's id; the operator who typed the command; the MCP client's name for itself, unchecked; or the job's name. */
  name: z.string(),
  /** The name of the program's token. For a job: the token of the client that asked for the job. */
  token: z.string().optional(),
  /** The job's id. */
  job: z.string().optional(),
  /** The agent in whose name the principal asks; absent: `main`. */
  agent: z.string().optional(),
  /** Set for a child run: the agent that the run works for. */
  for: z.string().optional(),
  /** The id of the person in whose name the principal asks; absent: the first owner. */
  person: z.string().optional(),
  /**
   * Ids of other people who caused the call: they started or last changed its job, or wrote the text that it follows. `unknown`: the writer is not
   * known.
   */
  causedBy: z.array(z.string()).optional(),
})
export type Principal = z.infer<typeof Principal>

/** The approvals of a card. `needed`: number of different people, each with one of `roles`. `by`: the people who have approved, in order. */
export const Approvals = z.object({
  needed: z.int(),
  by: z.array(z.object({ person: z.string(), name: z.string(), at: z.int() })),
  roles: z.array(z.string()),
  /** The person who asked cannot approve. */
  notAsker: z.literal(true).optional(),
  /** Why the card needs one more person than its rule says. */
  oneMore: z.string().optional(),
  /** Why the card could not be approved in the situation when it was shown. */
  problem: z.string().optional(),
})
export type Approvals = z.infer<typeof Approvals>

/** A card that an owner decided alone although others must approve it too. `at`: Unix ms. */
export const GlassBroken = z.object({
  toolUseId: z.string(),
  toolName: z.string(),
  person: z.string(),
  name: z.string(),
  reason: z.string(),
  at: z.int(),
})
export type GlassBroken = z.infer<typeof GlassBroken>

/**
 * A folder or website for which calls of one kind can be allowed beforehand. `id`: `path/ROOT/FOLDER` or `web/ORIGIN`. `words`: the allowed calls:
 * `changes of files in "compose/jellyfin" and its folders`.
 */
export const GrantScope = z.object({ id: z.string(), words: z.string() })
export type GrantScope = z.infer<typeof GrantScope>

/** The facts on a confirmation card. JARVIS composes them; foreign names in them are quoted. */
export const Card = z.object({
  toolUseId: z.string(),
  /** The call's id, if this card replaces an earlier card of the call; otherwise `toolUseId` is the call's id. */
  callId: z.string().optional(),
  /** Differences from the earlier card, in words. */
  changed: z.string().optional(),
  toolName: z.string(),
  toolInput: z.record(z.string(), z.unknown()),
  tier: z.literal('red'),
  /** The effect of the call: `VM 103 "truenas" on pve shuts down cleanly and stays off.` */
  sentence: z.string().optional(),
  /** The label of the button that approves, an imperative in JARVIS's words: `move 105 to agent`. Absent for attached tools. */
  deed: z.string().optional(),
  /** Why the call needs a person: the deciding rule's sentence. */
  reason: z.string(),
  /** Sentences of all rules that require a person, `reason` first; absent if there is only one. */
  reasons: z.array(z.string()).optional(),
  rule: z.string(),
  target: Target,
  /** Absent on cards of older releases. */
  effect: Effect.optional(),
  /** The target's present state: `running for 8 d 4 h, CPU 97 %`. */
  now: z.string(),
  /** The state afterwards: `running → stopped, clean shutdown`. */
  then: z.string(),
  /** Other things that are affected; `Nothing else found` if there are none. */
  affects: z.string(),
  requestedBy: Principal,
  /** The same reply of the model has an earlier call that changes the same guest, so `now` will be different when this call runs. */
  isAfterAnother: z.literal(true).optional(),
  /** The way to take the change back, or why there is none; absent on cards of older releases. */
  undo: UndoFacts.optional(),
  /** With the approval, a person can set `goesBackAfterMin`: JARVIS then takes the change back by itself. */
  mayGoBack: z.literal(true).optional(),
  /** Something that JARVIS does by itself later, and when (Unix ms). */
  later: z.object({ sentence: z.string(), at: z.int() }).optional(),
  /** The files that the call changes, with at most 200 lines in total. */
  diff: z.array(FileDiff).optional(),
  /** Facts that the approval depends on, by name. If one has another value when the call runs, the call asks again. */
  basis: z.record(z.string(), z.string()).optional(),
  /** The plan that the approval allows: its calls run one after the other. */
  plan: PlanFacts.optional(),
  /** A denial may name another call that the operator makes instead (`alternative`). */
  mayHaveAlternative: z.literal(true).optional(),
  /** The people who must approve; absent if one operator decides. */
  approvals: Approvals.optional(),
  /** An approval must be signed: `POST /api/confirmations/:id/challenge`. */
  proof: z.literal('passkey').optional(),
  /** A grant can be made with the approval. */
  isGrantable: z.literal(true).optional(),
  /** A folder or website that a grant can cover beyond exactly this call (`grant.scope`); absent if there is none. */
  scope: GrantScope.optional(),
  createdAt: z.int(),
  /** Unix ms. */
  expiresAt: z.int(),
})
export type Card = z.infer<typeof Card>
