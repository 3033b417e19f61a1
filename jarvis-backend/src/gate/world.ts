import type { Approve, ClusterState, ProfileName, Target, Tier, UnitState } from 'protocol'
import type { Effect, Touch } from './effect.ts'
import type { ProofMode } from './proof.ts'
import type { Sources } from './taint/source.ts'

/** A node's report on a service. `missing`: the reason why there is no report. */
export type SeenUnit = { unit: UnitState } | { missing: string }

/** The facts, other than the call itself, that a verdict may depend on. */
export type World = {
  cluster: Pick<ClusterState, 'nodes' | 'guests'> &
    Partial<
      Pick<
        ClusterState,
        'storages' | 'tasks' | 'self' | 'missing' | 'unreachableSince' | 'unread' | 'hidden' | 'isQuorate'
      >
    >
  /** The policy in force. `policy.topology` has the operator's facts about the cluster; other facts are detected. */
  policy: Policy
  /** Returns the node's newest report on a service; undefined if the node was not asked recently. */
  unitOf?: (node: string, service: string) => SeenUnit | undefined
  /** Returns the change that created this guest; undefined if another guest has the vmid now. */
  madeBy?: (vmid: number) => { change: string; at: number } | undefined
  /** Returns the newest restore proof of a backup of this guest. `level`: how far the restore came, 1 to 6. `at`: Unix ms. */
  proofOf?: (vmid: number) => { level: number; at: number } | undefined
  /** JARVIS's own files and folders, absolute paths. No root of the workbench may contain them. */
  ownPaths?: readonly string[]
  /** The session of the call; empty: the call is in no session. Absent: the objects of all sessions may be seen. */
  sessionId?: string
  /** Unix ms. */
  now: number
}

/** One call in the form that rules get. The input fits the tool's schema. */
export type Call = {
  toolName: string
  baseTier: Tier
  input: Record<string, unknown>
  /** Returns the texts from which the call's words may come; absent if a person typed the call. Called only for yellow and red calls. */
  sources?: (() => Sources) | undefined
  /** Values that an attached tool's schema lists. They never count as taint. */
  listed?: ReadonlySet<string>
  /**
   * Values that the schema of JARVIS's own tool lists, such as `restart`. A stranger's text may have influenced the choice, so such a word can make
   * a call ask, but never refuse it.
   */
  choices?: ReadonlySet<string>
  /** Returns true if a word in lower case is part of JARVIS's own vocabulary, such as the descriptions of its tools. */
  isCommon?(word: string): boolean
}
/** A call with one of its effects and that effect's target: the facts that a rule judges. */
export type Facts = Call & { effect: Effect; target: Target; world: World }

/** A rule can only raise a call: it does nothing if its tier is below the call's own. */
export type Rule = {
  name: string
  /** The effects to which the rule applies; absent: all effects. */
  effects?: readonly Partial<Touch>[]
  /** In an operator's rule: the tools to which it applies; absent: all tools. */
  tools?: readonly string[]
  when(facts: Facts): boolean
  tier: Tier
  because: string | ((facts: Facts) => string)
  /** The people who must approve calls for which this rule asks; absent: one operator. */
  approve?: Approve
  /** Set if cards of this rule must be signed. */
  proof?: 'passkey'
}

/** A role. A person with the role may ask for a call only if a scope covers each of its effects. A scope lowers no tier. */
export type Role = {
  name: string
  /** The role's scopes, one sentence each. */
  sentences: readonly string[]
  /** True if the role covers all calls, so that no scope needs to be checked. */
  isWhole: boolean
  scopes: readonly RoleScope[]
}
export type RoleScope = {
  /** Returns true if the effect's target and the present time are in the scope. */
  reaches(facts: Facts): boolean
  /** Returns true if the scope allows this kind of call. */
  allows(call: Pick<Call, 'toolName'>, effect: Effect, tier: Tier): boolean
}

/** A folder of this machine that the workbench may read. `path`: absolute. `write`: true if calls may ask to change files in it. */
export type Root = { name: string; path: string; write: boolean }

/** The compiled policy: the shipped rules and the operator's. No part of it is parsed again at a call. */
export type Policy = {
  /** The tier of each tool before any rule; never below the tool's own tier. */
  tiers: ReadonlyMap<string, Tier>
  /** If several rules give the strictest tier, the verdict names the first of them. */
  rules: readonly Rule[]
  /** Rules that raise no tier. If such a rule applies to a call, the operator is told when the call runs. */
  observed: readonly Rule[]
  /**
   * Protected targets, which no call may change: `node/NAME`, `vm/ID`, `ct/ID`, `service/NAME`, `storage/NAME`, `storage/NODE/NAME`, in lower case.
   */
  protectedTargets: ReadonlySet<string>
  /**
   * The operator's permissions, which besides a profile are the only way to a lower tier: a red verdict that is the tool's own base tier becomes
   * yellow for this target.
   */
  allow: readonly Allow[]
  /** Tools that the operator enabled. Without this they are refused. Each of their calls asks. */
  enabled: ReadonlySet<string>
  /** Hosts, in lower case, that a read may contact without asking. */
  hosts: ReadonlySet<string>
  /** All roles by name: the built-in ones and the operator's own. */
  roles: ReadonlyMap<string, Role>
  /** True if an owner may decide alone a card that several people must approve. Everyone is told the owner's reason. */
  mayBreakGlass: boolean
  /** The mode for signed cards. Rules may require further signatures. */
  proof: ProofMode
  profile: ProfileName
  limits: Limits
  topology: Topology
  /** The rules and roles of policy.yaml, by the guests' marks that they use. */
  readers: Readers
  workbench: WorkbenchPolicy
}

/** A part of policy.yaml that uses a mark. `words`: its description for people. `rule`: the name of the compiled rule. */
export type Reader = { words: string; rule?: string }
/** Readers by mark: `tag:NAME` and `node/NAME` in lower case, `pool:NAME`. */
export type Readers = ReadonlyMap<string, readonly Reader[]>

/**
 * The parts of the workbench that are switched on. `files`: the tools for files. `web.fetch`: undefined: on if a search address is set. `docker`:
 * the socket's path. `private`: sites in this network that may be reached. `egress`: sites that a sandbox may reach. Both are `host:port` in lower
 * case.
 */
export type WorkbenchPolicy = {
  files: boolean
  roots: readonly Root[]
  exec: boolean
  /** True if commands may also run when only Landlock confines them. */
  landlock: boolean
  web: { fetch: boolean | undefined; private: ReadonlySet<string> }
  browser: boolean
  git: boolean
  docker: string | undefined
  egress: ReadonlySet<string>
}

/** The operator's permission for a tool on one target. `target`: `vm/105` or `ct/104`. */
export type Allow = { tool: string; target: string; because: string }

/** A rate: at most `calls` in any period of `perMs`. */
export type Rate = { calls: number; perMs: number }

export type Limits = {
  /** The rates by tool. Each program's token and each session of a person is counted separately. All rates of a tool apply. */
  rates: ReadonlyMap<string, readonly Rate[]>
  /** After `failures` failures in a row within `withinMs`, the tool's calls are refused for `pauseMs`. */
  breaker: { failures: number; withinMs: number; pauseMs: number }
}

/** The operator's facts about the homelab that the cluster does not report. Targets are `vm/110`, `ct/110` or `node/pve`. */
export type Topology = {
  /** The guest or node on which JARVIS itself runs. */
  jarvis?: string
  dns?: readonly string[]
  gateway?: readonly string[]
  storage?: readonly string[]
  /** The purposes of nodes, by node name: `main`, `compute, NAS`. */
  roles?: Readonly<Record<string, string>>
  /** Groups of guests that can replace each other, by the group's name. */
  groups?: Readonly<Record<string, readonly string[]>>
}
