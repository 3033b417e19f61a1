import type { Approve, ClusterState, ProfileName, Target, Tier, UnitState } from 'protocol'
import type { Effect, Touch } from './effect.ts'
import type { ProofMode } from './proof.ts'
import type { Sources } from './taint/source.ts'

/** A node's report on a service. `missing`: why there is no report. */
export type SeenUnit = { unit: UnitState } | { missing: string }

/** The facts besides the call that a verdict may depend on. */
export type World = {
  cluster: Pick<ClusterState, 'nodes' | 'guests'> &
    Partial<
      Pick<
        ClusterState,
        'storages' | 'tasks' | 'self' | 'missing' | 'unreachableSince' | 'unread' | 'hidden' | 'isQuorate'
      >
    >
  /** The policy in force. Facts about the cluster from the operator are in `policy.topology`; the rest is detected. */
  policy: Policy
  /** Returns the node's newest report on a service; undefined if the node was not asked recently. */
  unitOf?: (node: string, service: string) => SeenUnit | undefined
  /** Returns the change that made this guest, while the same guest still has the number. */
  madeBy?: (vmid: number) => { change: string; at: number } | undefined
  /** Returns the newest proof that a backup of this guest restores. `level`: how far the restore came, 1 to 6. `at`: Unix ms. */
  proofOf?: (vmid: number) => { level: number; at: number } | undefined
  /** JARVIS's own files and folders, absolute: no root of the workbench reaches them. */
  ownPaths?: readonly string[]
  /** The session that the call belongs to; empty: none. Absent: things of all sessions may be seen. */
  sessionId?: string
  /** Unix ms. */
  now: number
}

/** One call as the rules see it: its input has passed the tool's schema. */
export type Call = {
  toolName: string
  baseTier: Tier
  input: Record<string, unknown>
  /** Returns the texts that the call's words may have come from; absent when a person typed the call. Called for yellow and red calls. */
  sources?: () => Sources
  /** Values that an attached tool's schema lists; they are never taint. */
  listed?: ReadonlySet<string>
  /**
   * Values that the schema of JARVIS's own tool lists, such as `restart`. A stranger may have chosen among them, so they make a call ask, and
   * never refuse it.
   */
  choices?: ReadonlySet<string>
  /** Returns whether a word in lower case is one of JARVIS's own, as in the descriptions of its tools. */
  isCommon?(word: string): boolean
}
/** One effect of a call, on its target. */
export type Facts = Call & { effect: Effect; target: Target; world: World }

/** A rule only raises: it has no effect when its tier is below the call's own. */
export type Rule = {
  name: string
  /** The effects that the rule is about; absent: all. */
  effects?: readonly Partial<Touch>[]
  /** In an operator's rule, the tools that it is about; absent: all. */
  tools?: readonly string[]
  when(facts: Facts): boolean
  tier: Tier
  because: string | ((facts: Facts) => string)
  /** The people who approve the calls that it asks about; absent: one operator. */
  approve?: Approve
  /** Its cards must be signed. */
  proof?: 'passkey'
}

/** The calls that a person with the role may ask for: each effect of such a call is covered by a scope. A scope lowers no tier. */
export type Role = {
  name: string
  /** Its scopes, a sentence each. */
  sentences: readonly string[]
  /** It covers all calls, so no scope has to be checked. */
  isWhole: boolean
  scopes: readonly RoleScope[]
}
/** One scope of a role. */
export type RoleScope = {
  /** Returns whether the effect's target and the time are in the scope. */
  reaches(facts: Facts): boolean
  /** Returns whether the scope allows such a call. */
  allows(call: Pick<Call, 'toolName'>, effect: Effect, tier: Tier): boolean
}

/** A folder of this machine that the workbench may read. `path`: absolute. `write`: a change in it may be asked for. */
export type Root = { name: string; path: string; write: boolean }

/** The compiled policy: the shipped rules and the operator's. Nothing in it is parsed again at a call. */
export type Policy = {
  /** Each tool's tier before any rule; never below the tool's own. */
  tiers: ReadonlyMap<string, Tier>
  /** If several rules give the strictest tier, the first of them is named. */
  rules: readonly Rule[]
  /** Rules that raise nothing. A call that one of them is about is told to the operator when it runs. */
  observed: readonly Rule[]
  /** `node/NAME`, `vm/ID`, `ct/ID`, `service/NAME`, `storage/NAME`, `storage/NODE/NAME` in lower case: nothing may change them. */
  protectedTargets: ReadonlySet<string>
  /** The only way down: a red that is the tool's own base tier becomes yellow for this target. */
  allow: readonly Allow[]
  /** Tools that are refused unless the operator names them here. Each of their calls asks. */
  enabled: ReadonlySet<string>
  /** Hosts in lower case that a read may reach out to without a question. */
  hosts: ReadonlySet<string>
  /** All roles by name: the built-in ones and the operator's own. */
  roles: ReadonlyMap<string, Role>
  /** An owner may decide alone a card that several people must approve. All are told of the owner's reason. */
  mayBreakGlass: boolean
  /** The cards that must be signed, besides the cards of rules that want a signature. */
  proof: ProofMode
  profile: ProfileName
  limits: Limits
  topology: Topology
  /** Rules and roles of the file by the marks of guests that they read. */
  readers: Readers
  workbench: WorkbenchPolicy
}

/** A part of policy.yaml that reads a mark. `words`: for people. `rule`: the name of the compiled rule. */
export type Reader = { words: string; rule?: string }
/** By mark: `tag:NAME` and `node/NAME` in lower case, `pool:NAME`. */
export type Readers = ReadonlyMap<string, readonly Reader[]>

/**
 * The parts of the workbench that are on. `files`: the tools over files. `web.fetch`: undefined: on if a search address is set. `docker`: the
 * socket's path. `private` and `egress`: sites as `host:port` in lower case that may be reached in this network, and from a sandbox.
 */
export type WorkbenchPolicy = {
  files: boolean
  roots: readonly Root[]
  exec: boolean
  /** Commands also run if only Landlock confines them. */
  landlock: boolean
  web: { fetch: boolean | undefined; private: ReadonlySet<string> }
  browser: boolean
  git: boolean
  docker: string | undefined
  egress: ReadonlySet<string>
}

/** `target` is `vm/105` or `ct/104`. */
export type Allow = { tool: string; target: string; because: string }

/** At most `calls` in any `perMs`. */
export type Rate = { calls: number; perMs: number }

export type Limits = {
  /** By tool, for each program's token and each session of a person; all rates of a tool hold. */
  rates: ReadonlyMap<string, readonly Rate[]>
  /** After `failures` in a row, none of them older than `withinMs`, a tool is left alone for `pauseMs`. */
  breaker: { failures: number; withinMs: number; pauseMs: number }
}

/** Facts of the homelab from the operator that the cluster does not tell. Targets are `vm/110`, `ct/110` or `node/pve`. */
export type Topology = {
  /** The guest or node that JARVIS itself runs on. */
  jarvis?: string
  dns?: readonly string[]
  gateway?: readonly string[]
  storage?: readonly string[]
  /** The purposes of nodes, by name: `main`, `compute, NAS`. */
  roles?: Readonly<Record<string, string>>
  /** Guests that stand in for each other, by the group's name. */
  groups?: Readonly<Record<string, readonly string[]>>
}
