import type { Backup, ClusterState, Guest, Task, UnitState } from 'protocol'
import type { GuestMarks } from './guest-identity.ts'
import type { Past } from './samples.ts'

export type PowerAction = 'start' | 'stop' | 'restart'

/** Result of a power action: the finished task and the guest's observed state. */
export type PowerOutcome = {
  /** Absent if the cluster refused before a task began. */
  upid?: string
  /** `OK`, or Proxmox's message verbatim. */
  exitStatus: string
  ok: boolean
  /** The guest's state after the task. */
  observed: Guest['status']
  durationMs: number
}

/** Details of a node; fields that it does not report are absent. */
export type NodeDetail = {
  name: string
  version?: string
  kernel?: string
  cpuModel?: string
  cpuCount?: number
  cpuRatio?: number
  load?: [number, number, number]
  ramBytes?: number
  ramTotalBytes?: number
  rootBytes?: number
  rootTotalBytes?: number
  uptimeS?: number
}

export type Temperature = { celsius: number; sensor: string; all: { sensor: string; celsius: number }[] }

export type HistorySpan = 'hour' | 'day'

/**
 * A list, and what could not be read for it, in words (`agent is offline`): partial data is not an error. `isUnread`: no source could be
 * read, so an empty list means nothing.
 */
export type Partial<T> = { items: T[]; missing: string[]; isUnread?: boolean }

export type CallOptions = {
  signal: AbortSignal
  /** Receives progress in one line for a person. */
  onProgress?: (message: string) => void
  /** Receives the task's UPID as soon as it is known. */
  onTask?: (upid: string) => void
}

/** The guest that a call was judged for. The same vmid on another node, under another name or with another identity is another guest. */
export type ExpectedGuest = { node: string; type: Guest['type']; name: string } & Pick<Guest, 'identity'>

/** The cluster's port. Every method ends when its signal aborts. */
export interface Cluster {
  /** The present state from memory; never waits for a node. */
  state(): ClusterState
  /**
   * Refreshes a state that is older than a few seconds, and with `vmid` also that guest. Waits at most 1.5 s and never rejects. Absent
   * if `state()` is always current.
   */
  catchUp?(vmid?: number): Promise<void>
  /**
   * Converts a time of JARVIS's clock into the cluster's, to about a second, Unix ms; undefined until an answer told the cluster's time. Absent if
   * both are one clock.
   */
  timeThere?(at: number): number | undefined
  /**
   * Reads the cluster, and guest `vmid` at its node, in a read that begins now, so that a decision can rely on `state()`. Absent if
   * `state()` is always current. @throws JarvisError `cluster_unreachable` if it could not be read, within ten seconds
   */
  readAfresh?(vmid?: number): Promise<void>
  /**
   * Calls `listener` after each change of `state()`. @param pace `idle`: nobody watches, so changes may be found later. @returns a
   * function that stops it
   */
  watch(listener: () => void, pace?: 'live' | 'idle'): () => void
  /** @throws JarvisError `not_found` (no such node), `cluster_unreachable` (node offline) */
  nodeDetail(node: string, options: CallOptions): Promise<NodeDetail>
  /** @throws JarvisError `not_found`, `cluster_unreachable` */
  temperature(node: string, options: CallOptions): Promise<Temperature>
  /** Newest first, with all that run. @param query `limit`: 1..200. `type`: Proxmox's own, `vzdump` */
  tasks(query: { node?: string; type?: string; limit: number }, options: CallOptions): Promise<Partial<Task>>
  /**
   * The marks that tell guest `vmid` from others with its number, as last read; the same object until they are read anew. Undefined: they were not
   * read yet, or the number may have another guest since.
   */
  marks?(vmid: number): GuestMarks | undefined
  /** The backups as last read for `Guest.backupAt`. Absent: `backupAt` is left as it is. */
  knownBackups?(): { items: readonly Backup[]; isWhole: boolean }
  /** The owner, on the backup server, of backups that this cluster writes to a storage; undefined: not known. */
  writerOf?(storage: string): string | undefined
  /** Newest first. */
  backups(query: { node?: string; storage?: string; vmid?: number }, options: CallOptions): Promise<Partial<Backup>>
  /**
   * The cluster's own records of the last hour or day. A minute may occur several times with different series. Times when a thing was
   * away have no values. Absent if the cluster keeps no records.
   * @param options.missed called with the reason for each thing whose records could not be read; not for those the token may not read
   */
  history?(span: HistorySpan, options: Pick<CallOptions, 'signal'> & { missed(why: string): void }): AsyncIterable<Past>
  /**
   * Finds the guest by vmid, starts the task, follows it to its end and observes the guest. A refusal or a failed task is an outcome
   * (`ok: false`), not an exception.
   * @param force for stop and restart: cut the power instead of a clean shutdown
   * @param options.expected what the guest must be; the request goes only to that node
   * @throws JarvisError `not_found` (no such guest), `cluster_unreachable`, `conflict` (not as expected)
   */
  power(
    vmid: number,
    action: PowerAction,
    force: boolean,
    options: CallOptions & { expected?: ExpectedGuest | undefined },
  ): Promise<PowerOutcome>
  /**
   * Reads a service's unit on a node by any of its names; changes nothing. An unknown unit has `loadState: not-found`.
   * @throws JarvisError `not_found` (no such node), `cluster_unreachable`, `cluster_refused`
   */
  unit(node: string, service: string, options: CallOptions): Promise<UnitState>
  /** @throws JarvisError `not_found`, `cluster_unreachable` */
  restartService(node: string, service: string, options: CallOptions): Promise<{ ok: boolean; message: string }>
  close(): void
}

export type CommandOutput = {
  stdout: string
  stderr: string
  /** 128 plus the signal's number if a signal ended the program. */
  exitCode: number
  /** `SIGKILL`, … */
  signal?: string
  /** The middle of a stream was dropped; a line in its place gives the bytes. */
  truncated: boolean
  /** Dropped bytes of both streams; absent if none were dropped. */
  leftOutBytes?: number
  /** Bytes of the first program's output that were too many for the next one to read. */
  unreadBytes?: number
}

export type CommandOptions = CallOptions & {
  /** Standard input of the first program. Default: empty. */
  input?: string
  /** How many bytes of each stream's start are kept, and as many of its end. */
  keepBytes?: number
}

/** Runs programs on a node without TTY: they get exactly these arguments and `input`. */
export interface Shell {
  /**
   * @param stages programs with their arguments; each reads the output of the one before. The exit code is the last one's, `stderr` is
   * all programs'.
   * @throws JarvisError `not_found` (no such node), `cluster_unreachable`, `cluster_refused`, `outcome_unknown` (it began and its end is
   * unknown). A non-zero exit code is an outcome
   */
  run(node: string, stages: readonly (readonly string[])[], options: CommandOptions): Promise<CommandOutput>
  /** The targets of those `paths` that exist, with every link resolved on the node now. Absent: the node has no links. @throws as `run` */
  leadTo?(node: string, paths: readonly string[], options: CallOptions): Promise<string[]>
}

/** Wakes a sleeping node and waits until it is online. */
export interface Waker {
  /** @throws JarvisError `not_found`. `cameOnline: false`: the packet was sent, but the node was not seen in time. */
  wake(node: string, options: CallOptions): Promise<{ cameOnline: boolean; wasOnline: boolean; afterMs: number }>
}

export type TerminalSize = { cols: number; rows: number }

/** An interactive shell, or a screen. Output is held back until the first `resume()`. */
export interface TerminalSession<Data = string> {
  /** Sends input. @throws JarvisError `too_many_requests` while the shell does not read its input */
  write(data: Data): void
  resize(size: TerminalSize): void
  /** Holds output back until `resume()`; a full buffer stops the source. */
  pause(): void
  resume(): void
  /** Ends the shell; `onEnd` is called as for any end. */
  close(): void
}

/** Shells for operators. Input is no tool call and passes no gate, so only a person may reach this port. */
export interface Terminals {
  /**
   * @param options.onEnd called once, with the shell's exit code if known.
   * @throws JarvisError `not_found`, `cluster_unreachable`; the signal's reason until the shell is open
   */
  open(
    node: string,
    options: {
      size: TerminalSize
      signal: AbortSignal
      onOutput(data: string): void
      onEnd(code?: number): void
    },
  ): Promise<TerminalSession>
}

/** The guest whose console is opened, as the cluster's state has it. */
export type ConsoleGuest = Pick<Guest, 'vmid' | 'type' | 'node'>

/** A VM's screen, as bytes of the RFB protocol (VNC). `password`: what RFB asks for, for this session alone. */
export interface ScreenSession extends TerminalSession<Uint8Array> {
  password?: string
}

/** Guests' own consoles, for operators; under the terms of `Terminals`. */
export interface Consoles {
  /**
   * Opens a container's terminal.
   * @param options.onEnd called once, with one line for a person if the reason is known
   * @throws JarvisError `not_found`, `cluster_unreachable`, `cluster_refused`; the signal's reason until it is open
   */
  terminal(
    guest: ConsoleGuest,
    options: { size: TerminalSize; signal: AbortSignal; onOutput(data: string): void; onEnd(reason?: string): void },
  ): Promise<TerminalSession>
  /** Opens a VM's screen. The size is the VM's own: `resize` does nothing. @throws as `terminal` */
  screen(
    guest: ConsoleGuest,
    options: { signal: AbortSignal; onOutput(data: Uint8Array): void; onEnd(reason?: string): void },
  ): Promise<ScreenSession>
}

export type PveMethod = 'POST' | 'PUT' | 'DELETE'
/** The segments of a path under `/api2/json`, not encoded. A segment `nodes` is followed by the node that is asked. */
export type PvePath = readonly (string | number)[]
/** A list is sent as its name once for each. */
export type PveValues = Record<string, string | readonly string[]>
/** `answerMs`: for the whole answer; default some seconds. `isWhole`: a read returns the whole answer, with the fields beside `data`. */
export type PveAsk = { signal: AbortSignal; answerMs?: number; isWhole?: boolean }

/** Proxmox's own API, in its own words, for everything without a method of `Cluster`. The demo answers as a cluster does. */
export interface PveApi {
  /** @returns the answer's `data`, or the whole answer. @throws ApiError `cluster_unreachable`, `cluster_refused`; the signal's reason. */
  get(path: PvePath, query: PveValues, ask: PveAsk): Promise<unknown>
  /**
   * Never sent twice. @param form of a DELETE it is the query.
   * @throws as `get` does, and ApiError `outcome_unknown` if the request was sent and no answer came.
   */
  change(method: PveMethod, path: PvePath, form: PveValues, ask: PveAsk): Promise<unknown>
  /** The present time of the cluster, Unix ms. */
  now(): number
  /** Waits `ms` of the cluster's time, which may run faster in the demo. @throws the signal's reason */
  wait(ms: number, signal: AbortSignal): Promise<void>
  /** Shows a task that JARVIS began, until the cluster's own list has it. Absent if the list has it at once. */
  noteTask?(task: Task): void
  /**
   * Takes the result of JARVIS's own request for its guests into the cluster's state, whose list is some seconds behind. Called when the
   * request or its task has ended, successfully or not. Never rejects. Absent if the state is always current.
   */
  noteResult?(request: { method: PveMethod; path: PvePath; form: PveValues }, signal: AbortSignal): Promise<void>
}

/** The part of it that reads. */
export type PveReader = Pick<PveApi, 'get'>

/** A Proxmox Backup Server's own API, for reads. Paths and errors as in `PveApi`. */
export type PbsApi = PveReader

/**
 * `disarmed`: it was there, and never goes off now. `gone_off`: it went off before. `missing`: there is none, as after a
 * restart of the node.
 */
export type TimerEnd = 'disarmed' | 'gone_off' | 'missing'

/**
 * Timers on the nodes themselves, each of which puts its node's network configuration back though nobody reaches the
 * node. `id`: of the change; letters, digits, `_` and `-`.
 */
export interface NetworkTimers {
  /** @returns why no timer can be armed on that node, in one sentence; undefined if one can be armed. @throws the signal's reason */
  obstacle(node: string, options: Pick<CallOptions, 'signal'>): Promise<string | undefined>
  /**
   * Keeps the configuration in force, and arms a timer that puts it back in place of the one that is staged now. It
   * leaves a configuration alone that is neither.
   * @throws JarvisError: whatever is left of the timer does nothing to a configuration that was not applied
   */
  arm(node: string, timer: { id: string; afterMs: number }, options: Pick<CallOptions, 'signal'>): Promise<void>
  /** Disarms a timer. Either this or the timer's going off wins, never both. @throws JarvisError if the node cannot be asked */
  disarm(node: string, id: string, options: Pick<CallOptions, 'signal'>): Promise<TimerEnd>
}

/** `terminals`, `consoles`: absent if the cluster offers none. `pbs`: absent if no backup server is configured. */
export type Homelab = {
  cluster: Cluster
  shell: Shell
  waker: Waker
  api: PveApi
  /** The same for the restore drill, by its own token. Absent: it has none. */
  drillApi?: PveApi
  pbs?: PbsApi
  networkTimers?: NetworkTimers
  terminals?: Terminals
  consoles?: Consoles
}
