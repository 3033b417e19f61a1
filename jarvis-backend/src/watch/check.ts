import type { Cluster, PbsApi, PveReader, Shell } from 'homelab-ports/ports'
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

/**
 * The result of one look at one object. `level`: the severity. `clear`: measured, and well. `between`: within the hysteresis, so an alert continues
 * and none begins. `unseen`: not known, so an alert is held and does not end.
 */
export type Measure = {
  object: AlertObject
  level: Severity | 'clear' | 'between' | 'unseen'
  /** The value in words: `81 °C`. */
  words: string
  /** The measured value, if it is a number. */
  value?: number
  /** Lower values are worse. */
  isLowBad?: true
  /** The sentence for people: `pve is at 81 °C.` Names that others chose are quoted if they could mislead. */
  sentence: string
  /** The reason why this is expected for now and nobody needs to look: `A backup of it runs.` */
  explainedBy?: string
  chart?: NonNullable<AlertDetail['chart']>
  /** The values that the object gives for a runbook's inputs: `{ node: 'pve' }`. */
  inputs?: Readonly<Record<string, string | number>>
}

/**
 * The result of a check. An object that is not among `measures` no longer exists, and its alert ends. Exceptions: its node is in `unread` (name, and
 * why it could not be read), or `unread` contains `*`.
 */
export type Looked = { measures: readonly Measure[]; unread: ReadonlyMap<string, string> }

/** A ZFS pool as JARVIS saw it, remembered because ZFS itself forgets the last scrub with each resilver. Times in Unix ms. */
export type SeenPool = {
  /** Unix ms when the pool was first seen. */
  since: number
  /** Unix ms at which the last finished scrub ended that JARVIS saw. */
  scrubbedAt?: number | undefined
  /** A scrub or a resilver of the pool was seen. If the pool later reports "none requested", it is another pool of the same name. */
  isWalked?: true | undefined
}

/** Stores the remembered state of ZFS pools over restarts, by object id. */
export type SeenPools = { get(id: string): SeenPool | undefined; keep(id: string, pool: SeenPool): void }

/** The data and functions that a check may read. */
export type CheckPorts = {
  state: ClusterState
  limits: Limits
  /** Reads with pauses. Requests for the same path are sent once in a sweep. Pass `signal` to it. */
  api: PveReader
  cluster: Pick<Cluster, 'tasks' | 'backups' | 'nodeDetail'>
  /** Absent if no backup server is configured. */
  pbs?: PbsApi
  /** Runs a read-only command on a node. @throws as `Shell.run` */
  shell: Pick<Shell, 'run'>
  /** The newest restore proof of each guest. */
  proofs: ReadonlyMap<number, RestoreProof>
  /** The newest values of a series, a minute apart, oldest first; undefined if there is none. */
  samples(series: string, field: string, minutes: number): readonly (number | undefined)[]
  /** Calls a read-only tool, through the gate. `problem`: the reason why there is no answer. */
  ask(toolName: string, toolInput: ToolInput): Promise<{ data?: unknown; problem?: string }>
  /** Tells if JARVIS itself made a snapshot or a guest, and until when it stays. */
  own(vmid: number, snapshot: string): { until: number } | undefined
  /** The remembered state of ZFS pools. */
  pools: SeenPools
  /** The cluster's time, Unix ms. */
  now: number
  signal: AbortSignal
}

/** Thrown if a check cannot run on this installation. The message names the missing right, command or sensor. */
export class CannotRun extends Error {}

/** One condition that JARVIS watches. */
export type Check = {
  /** Stable, kebab-case: `node-heat`. */
  id: string
  /** The name for people: `Heat of a node` */
  title: string
  /** The command or path that the check reads, for people. */
  reads: string
  /** The check's limit in words, made from the limits that apply now. */
  limit(limits: Limits): string
  /** `state`: the check looks each minute, at data that the poller has read anyway. `sweep`: it looks each hour, in the slow sweep. */
  pace: 'state' | 'sweep'
  /** Lists of the state that the check uses. While one of them is unread, the check does not look, and all its alerts are held. */
  from: readonly ClusterPart[]
  /** Time that the condition must hold before an alert fires, ms. A sweep looks once an hour, so the value is 0 or a multiple of an hour. */
  forMs: number | ((limits: Limits) => number)
  /** Names of runbooks that help with the check's alerts. */
  runbooks?: readonly string[]
  /** The check reads more than the state, so it looks only once a minute. */
  asks?: true
  /** The check is written in `checks.yaml`. */
  isOwn?: true
  /** @throws CannotRun; JarvisError if the cluster cannot be read: all alerts of the check are then held */
  look(ports: CheckPorts): Promise<Looked> | Looked
}
