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
 * The approvals that a call needs: `count` different people, each with a role of `by`; `notAsker`: the person who asked for the call does not count.
 */
export const Approve = z.object({ count: z.int(), by: z.array(z.string()), notAsker: z.boolean() })
export type Approve = z.infer<typeof Approve>

/**
 * The gate's verdict on a call. `rule`: name of the deciding rule; `reason`: its sentence for people and models. `reasons`: sentences of
 * all rules that ask for a person, `reason` first; absent where there is one. `approve`: absent where one operator decides. `proof`: its approval must be signed.
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
  /** Its name and its aliases. */
  names: z.array(z.string()),
  /** `simple`, `oneshot`, …; absent where the node did not tell. */
  type: z.string().optional(),
  loadState: z.string(),
  activeState: z.string(),
  subState: z.string(),
})
export type UnitState = z.infer<typeof UnitState>

/** The target of a call, as the cluster knows it now. */
export const Target = z.object({
  kind: z.enum(['guest', 'node', 'service', 'storage', 'none']),
  /**
   * `vm/101`, `ct/104`, `node/pve`, `service/nginx@pve`; `storage/NAME` where it is shared, else `storage/NODE/NAME`. For
   * `none`: empty, `tool/NAME@HASH` of an attached tool, `path/ROOT/FILE`, `web/URL`, `container/NAME` or `sandbox/command`.
   */
  id: z.string(),
  /** A name that others gave it: data, never markup. */
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
  /** Why `unit` is unknown, where a call would change one. */
  unitMissing: z.string().optional(),
})
export type Target = z.infer<typeof Target>

/**
 * The effect of a call, and the kind of thing that it is on. `kind`: `read`, `power`, `config`, `data`, `create`, `destroy`, `execute`, `network`,
 * `remote` (an attached tool) or `unknown`; more may be added.
 */
export const Effect = z.object({
  kind: z.string(),
  /** `guest`, `node`, `service`, `storage`, `file`, `tool`, `site`, `path`, `web`, `container` or `sandbox`; more may be added. */
  on: z.string(),
  action: z.enum(['start', 'stop', 'restart']).optional(),
  /** Type of guest, where the call is for one type only. */
  type: z.enum(['vm', 'ct']).optional(),
  /** The guest's power is cut without a clean shutdown. */
  isForced: z.boolean().optional(),
})
export type Effect = z.infer<typeof Effect>

/** The person or program that asks for a call. */
export const Principal = z.object({
  /** `chat`: a model that answers a person. `command`: a person. `mcp`: a client. `job`: what the scheduler starts. Others may come. */
  kind: z.string(),
  /** A model's id, the operator who typed the command, the MCP client's own, unchecked name, or the job's. */
  name: z.string(),
  /** The name of the program's token; of a job, of the one whose client asked for the job. */
  token: z.string().optional(),
  /** The job's id. */
  job: z.string().optional(),
  /** The agent in whose name it asks; absent: `main`. */
  agent: z.string().optional(),
  /** The agent that a child run works for. */
  for: z.string().optional(),
  /** The id of the person in whose name it asks; absent: the first owner. */
  person: z.string().optional(),
  /** Ids of others who caused it: who started or last changed its job, or wrote the text that it follows; `unknown` where nobody knows who. */
  causedBy: z.array(z.string()).optional(),
})
export type Principal = z.infer<typeof Principal>

/** The approvals of a card: `needed` different people, each with one of `roles`. `by`: the people who approved, in their order. */
export const Approvals = z.object({
  needed: z.int(),
  by: z.array(z.object({ person: z.string(), name: z.string(), at: z.int() })),
  roles: z.array(z.string()),
  /** The person who asked cannot approve. */
  notAsker: z.literal(true).optional(),
  /** Why one more person is needed than the rule says. */
  oneMore: z.string().optional(),
  /** Why it could not be approved as things were when it was shown. */
  problem: z.string().optional(),
})
export type Approvals = z.infer<typeof Approvals>

/** An owner decided a card alone that others must approve too. `at`: Unix ms. */
export const GlassBroken = z.object({
  toolUseId: z.string(),
  toolName: z.string(),
  person: z.string(),
  name: z.string(),
  reason: z.string(),
  at: z.int(),
})
export type GlassBroken = z.infer<typeof GlassBroken>

/** A folder or site for which calls of one kind can be allowed beforehand. `id`: `path/ROOT/FOLDER` or `web/ORIGIN`; `words`: which calls: `changes of files in "compose/jellyfin" and its folders`. */
export const GrantScope = z.object({ id: z.string(), words: z.string() })
export type GrantScope = z.infer<typeof GrantScope>

/** The facts on a confirmation card. JARVIS composes them; names in them are quoted from others. */
export const Card = z.object({
  toolUseId: z.string(),
  /** The call's id, where this card replaces an earlier card of the call; otherwise `toolUseId` is the call's id. */
  callId: z.string().optional(),
  /** Differences from the earlier card, in words. */
  changed: z.string().optional(),
  toolName: z.string(),
  toolInput: z.record(z.string(), z.unknown()),
  tier: z.literal('red'),
  /** The effect of the call: `VM 103 "truenas" on pve shuts down cleanly and stays off.` */
  sentence: z.string().optional(),
  /** The label of the approving button, an order in JARVIS's words: `move 105 to agent`. Absent for attached tools. */
  deed: z.string().optional(),
  /** Why it asks: the deciding rule's sentence. */
  reason: z.string(),
  /** Sentences of all rules that ask for a person, `reason` first; absent where there is one. */
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
  /** An earlier call of the same answer changes the same guest first, so `now` will differ by then. */
  isAfterAnother: z.literal(true).optional(),
  /** The way to take the change back, or why there is none; absent on cards of older releases. */
  undo: UndoFacts.optional(),
  /** The approval can let it go back by itself (`goesBackAfterMin`). */
  mayGoBack: z.literal(true).optional(),
  /** Something that JARVIS does by itself later, and when (Unix ms). */
  later: z.object({ sentence: z.string(), at: z.int() }).optional(),
  /** The files that it changes, with at most 200 lines of them all. */
  diff: z.array(FileDiff).optional(),
  /** Facts that the approval rests on, by name. If one has another value when the call runs, the call asks again. */
  basis: z.record(z.string(), z.string()).optional(),
  /** The calls that the approval lets run, one after the other. */
  plan: PlanFacts.optional(),
  /** A denial may name another call of the operator's own (`alternative`). */
  mayHaveAlternative: z.literal(true).optional(),
  /** The people who must approve; absent if one operator decides. */
  approvals: Approvals.optional(),
  /** An approval must be signed: `POST /api/confirmations/:id/challenge`. */
  proof: z.literal('passkey').optional(),
  /** A grant can be made with the approval. */
  isGrantable: z.literal(true).optional(),
  /** A scope that the grant can cover besides exactly this call (`grant.scope`); absent if there is none. */
  scope: GrantScope.optional(),
  createdAt: z.int(),
  /** Unix ms. */
  expiresAt: z.int(),
})
export type Card = z.infer<typeof Card>
