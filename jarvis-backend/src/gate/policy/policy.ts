import type { ProfileName, Tier } from 'protocol'
import type { Root } from '../places/roots.ts'
import type { ProofMode } from '../proof.ts'
import type { Role } from '../roles/role.ts'
import type { Rule } from '../rule.ts'

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
  /** Commands run also where Landlock alone confines them. */
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
