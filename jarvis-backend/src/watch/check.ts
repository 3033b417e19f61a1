import type {
  AlertDetail,
  AlertObject,
  ClusterPart,
  ClusterState,
  Limits,
  RestoreProof,
  Severity,
  ToolInput,
} from 'protocol'
import type { Cluster, PbsApi, PveReader, Shell } from '../homelab/ports.ts'

/**
 * One look at one object. `level`: how bad it is. `clear`: measured, and well. `between`: within the hysteresis, so that an alert goes on
 * and none begins. `unseen`: not known, which holds an alert and never ends it.
 */
export type Measure = {
  object: AlertObject
  level: Severity | 'clear' | 'between' | 'unseen'
  /** The value in words: `81 °C`. */
  words: string
  /** The same as a number, where it is one. */
  value?: number
  /** The lower the value, the worse. */
  isLowBad?: true
  /** `pve is at 81 °C.`, with others' names quoted where they could mislead. */
  sentence: string
  /** Why it is so for now, and nobody needs to look: `A backup of it runs.` */
  explainedBy?: string
  chart?: NonNullable<AlertDetail['chart']>
  /** The object's value for the inputs of a runbook: `{ node: 'pve' }`. */
  inputs?: Readonly<Record<string, string | number>>
}

/**
 * What a check saw. An object that is not among `measures` is gone, and its alert ends, unless it is on one of the nodes of `unread`
 * (name, and why it could not be read), or `unread` holds `*`.
 */
export type Looked = { measures: readonly Measure[]; unread: ReadonlyMap<string, string> }

/** A ZFS pool as it was seen. ZFS itself forgets the last scrub with each resilver. Unix ms. */
export type SeenPool = {
  /** When it was first seen. */
  since: number
  /** End of the last finished scrub that was seen. */
  scrubbedAt?: number | undefined
  /** A scrub or a resilver of it was seen, so the words "none requested" mean another pool of that name. */
  isWalked?: true | undefined
}

/** Keeps what was seen of ZFS pools, by object id, over restarts. */
export type SeenPools = { get(id: string): SeenPool | undefined; keep(id: string, pool: SeenPool): void }

/** The reads of a check. */
export type CheckPorts = {
  state: ClusterState
  limits: Limits
  /** Paced; the same path is asked once a sweep. Give it `signal`. */
  api: PveReader
  cluster: Pick<Cluster, 'tasks' | 'backups' | 'nodeDetail'>
  /** Absent if no backup server is configured. */
  pbs?: PbsApi
  /** Runs a reading command on a node. @throws as `Shell.run` */
  shell: Pick<Shell, 'run'>
  /** The newest restore proof of each guest. */
  proofs: ReadonlyMap<number, RestoreProof>
  /** The newest values of a series, a minute apart, oldest first; undefined if there is none. */
  samples(series: string, field: string, minutes: number): readonly (number | undefined)[]
  /** Asks a reading tool, through the gate. `problem`: why there is no answer. */
  ask(toolName: string, toolInput: ToolInput): Promise<{ data?: unknown; problem?: string }>
  /** Snapshots and guests that JARVIS itself made, and until when they stay. */
  own(vmid: number, snapshot: string): { until: number } | undefined
  /** Earlier sights of ZFS pools. */
  pools: SeenPools
  /** The cluster's time, Unix ms. */
  now: number
  signal: AbortSignal
}

/** Thrown if a check cannot run here at all: the missing right, command or sensor, in words. */
export class CannotRun extends Error {}

/** One thing that JARVIS watches. */
export type Check = {
  /** Stable, kebab-case: `node-heat`. */
  id: string
  /** `Heat of a node` */
  title: string
  /** The command or path that it reads, for people. */
  reads: string
  /** Its limit in words, from the limits in force. */
  limit(limits: Limits): string
  /** `state`: each minute, from what the poller has read anyway. `sweep`: with the slow sweep, each hour. */
  pace: 'state' | 'sweep'
  /** Lists of the state that it goes by. While one of them is unread, it does not look, and all its alerts are held. */
  from: readonly ClusterPart[]
  /** How long it must hold before it fires, ms. Sweeps count in looks, so 0 or a multiple of an hour. */
  forMs: number | ((limits: Limits) => number)
  /** Names of runbooks that fit its alerts. */
  runbooks?: readonly string[]
  /** It asks more than the state, so it looks only each minute. */
  asks?: true
  /** Written in `checks.yaml`. */
  isOwn?: true
  /** @throws CannotRun; JarvisError if the cluster cannot be read: all its alerts are held */
  look(ports: CheckPorts): Promise<Looked> | Looked
}
