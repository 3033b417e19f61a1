import type { Backup, ClusterState, Guest, Task, UnitState } from 'protocol'
import type { GuestMarks } from './guest-identity.ts'
import type { Past } from './samples.ts'

export type PowerAction = 'start' | 'stop' | 'restart'

/** A power action on a guest. */
export type PowerRequest = {
  vmid: number
  action: PowerAction
  /** For stop and restart: cuts the power instead of a clean shutdown. Absent: false. */
  isForced?: boolean | undefined
  /** The guest that the caller expects; the request goes only to its node. Absent: any guest with this vmid. */
  expected?: ExpectedGuest | undefined
}

/** Result of a power action: the finished task and the guest's observed state. */
export type PowerOutcome = {
  /** Undefined if the cluster refused before a task began. */
  upid?: string
  /** `OK`, or Proxmox's message, unchanged. */
  exitStatus: string
  ok: boolean
  /** The guest's state after the task. */
  observed: Guest['status']
  durationMs: number
}

/** Details of a node. Fields that the node does not report are undefined. */
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
 * A list, and the reads that failed for it, in words (`agent is offline`): partial data is not an error. `isUnread`: no source could be read, so an
 * empty list has no meaning.
 */
export type Partial<T> = { items: T[]; missing: string[]; isUnread?: boolean }

export type CallOptions = {
  signal: AbortSignal
  /** Called with progress, as one line for a person. */
  onProgress?: (message: string) => void
  /** Called with the task's UPID as soon as it is known. */
  onTask?: (upid: string) => void
}

/** The guest for which the gate judged a call. A guest with the same vmid but another node, name or identity is another guest. */
export type ExpectedGuest = { node: string; type: Guest['type']; name: string } & Pick<Guest, 'identity'>

/** The port to a cluster. Every method ends when its signal aborts. */
export interface Cluster {
  /** Returns the present state from memory. Never waits for a node. */
  state(): ClusterState
  /**
   * Refreshes the state if it is older than a few seconds and, with `vmid`, also this guest. Waits at most 1.5 s and never rejects. Undefined if
   * `state()` is always current.
   */
  catchUp?(vmid?: number): Promise<void>
  /**
   * Converts a time of JARVIS's clock to the cluster's clock, accurate to about a second, Unix ms. Returns undefined until an answer has told the
   * cluster's time. The method is undefined if both use the same clock.
   */
  timeThere?(at: number): number | undefined
  /**
   * Reads the cluster and, with `vmid`, this guest at its node, in a read that begins now, so that a decision can rely on `state()`. Undefined if
   * `state()` is always current. @throws JarvisError `cluster_unreachable` if they could not be read within ten seconds
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
  /** Reads tasks, newest first, including all running tasks. @param query `limit`: 1..200. `type`: Proxmox's name of the type, such as `vzdump` */
  tasks(query: { node?: string; type?: string; limit: number }, options: CallOptions): Promise<Partial<Task>>
  /**
   * Returns the marks that tell guest `vmid` from other guests with this vmid, as last read; the same object until they are read again. Undefined:
   * they were not read yet, or another guest may have the vmid since.
   */
  marks?(vmid: number): GuestMarks | undefined
  /**
   * Returns the backups that were last read for `Guest.backupAt`. `isWhole`: true if every storage with backups could be read. If the method is
   * undefined, `backupAt` is used unchanged.
   */
  knownBackups?(): { items: readonly Backup[]; isWhole: boolean }
  /** The owner, on the backup server, of backups that this cluster writes to a storage; undefined: not known. */
  writerOf?(storage: string): string | undefined
  /** Reads backups, newest first. */
  backups(query: { node?: string; storage?: string; vmid?: number }, options: CallOptions): Promise<Partial<Backup>>
  /**
   * Reads the cluster's own records of the last hour or day. A minute may occur several times with different series. There are no values for times
   * at which an object was not reachable. Undefined if the cluster stores no records.
   * @param options.missed called with the reason for each object whose records could not be read; not for objects that the token may not read
   */
  history?(span: HistorySpan, options: Pick<CallOptions, 'signal'> & { missed(why: string): void }): AsyncIterable<Past>
  /**
   * Finds the guest by vmid, starts the task, follows it to its end and observes the guest. A refusal or a failed task is an outcome (`ok: false`),
   * not an exception.
   * @throws JarvisError `not_found` (no such guest), `cluster_unreachable`, `conflict` (not the expected guest)
   */
  power(request: PowerRequest, options: CallOptions): Promise<PowerOutcome>
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
  /** Name of the signal that ended the program, such as `SIGKILL`. */
  signal?: string
  /** True if the middle of a stream was dropped. A line in its place gives the number of bytes. */
  truncated: boolean
  /** Dropped bytes of both streams; undefined if none were dropped. */
  leftOutBytes?: number
  /** Bytes of the first program's output that the next program did not read, because they were too many. */
  unreadBytes?: number
}

export type CommandOptions = CallOptions & {
  /** Standard input of the first program. Default: empty. */
  input?: string
  /** Number of bytes kept from the start of each stream, and as many from its end. */
  keepBytes?: number
}

/** Runs programs on a node without a TTY. Each program gets exactly these arguments and `input`. */
export interface Shell {
  /**
   * @param stages programs with their arguments; each reads the output of the previous one. The exit code is that of the last program; `stderr` is
   * that of all programs.
   * @throws JarvisError `not_found` (no such node), `cluster_unreachable`, `cluster_refused`, `outcome_unknown` (the command started, and its end is
   * unknown). A non-zero exit code is an outcome, not an exception
   */
  run(node: string, stages: readonly (readonly string[])[], options: CommandOptions): Promise<CommandOutput>
  /**
   * Returns the real paths of those `paths` that exist: the node resolves every symbolic link now. Undefined: the node has no links. @throws as
   * `run`
   */
  leadTo?(node: string, paths: readonly string[], options: CallOptions): Promise<string[]>
}

/** Wakes a sleeping node and waits until it is online. */
export interface Waker {
  /** @returns `cameOnline: false`: the packet was sent, but the node was not seen online in time. @throws JarvisError `not_found` */
  wake(node: string, options: CallOptions): Promise<{ cameOnline: boolean; wasOnline: boolean; afterMs: number }>
}

export type TerminalSize = { cols: number; rows: number }

/** An interactive shell, or a screen. Output is held back until the first `resume()`. */
export interface TerminalSession<Data = string> {
  /** Sends input. @throws JarvisError `too_many_requests` while the shell does not read its input */
  write(data: Data): void
  resize(size: TerminalSize): void
  /** Holds back output until `resume()`. A full buffer stops the source. */
  pause(): void
  resume(): void
  /** Ends the shell. `onEnd` is called, as for every other end. */
  close(): void
}

/** Shells for operators. Input is not a tool call and does not pass the gate, so only a person may use this port. */
export interface Terminals {
  /**
   * Opens a shell on a node.
   * @param options.onEnd called once, with the shell's exit code if it is known.
   * @throws JarvisError `not_found`, `cluster_unreachable`; the signal's reason if it aborts before the shell is open
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

/** The guest whose console is opened, from the cluster's state. */
export type ConsoleGuest = Pick<Guest, 'vmid' | 'type' | 'node'>

/** A VM's screen, as bytes of the RFB protocol (VNC). `password`: RFB password, only for this session. */
export interface ScreenSession extends TerminalSession<Uint8Array> {
  password?: string
}

/** Consoles of guests, for operators. The rules of `Terminals` apply. */
export interface Consoles {
  /**
   * Opens a container's terminal.
   * @param options.onEnd called once, with one line for a person if the reason is known
   * @throws JarvisError `not_found`, `cluster_unreachable`, `cluster_refused`; the signal's reason if it aborts before the terminal is open
   */
  terminal(
    guest: ConsoleGuest,
    options: { size: TerminalSize; signal: AbortSignal; onOutput(data: string): void; onEnd(reason?: string): void },
  ): Promise<TerminalSession>
  /** Opens a VM's screen. The VM decides its size, so `resize` does nothing. @throws as `terminal` */
  screen(
    guest: ConsoleGuest,
    options: { signal: AbortSignal; onOutput(data: Uint8Array): void; onEnd(reason?: string): void },
  ): Promise<ScreenSession>
}

export type PveMethod = 'POST' | 'PUT' | 'DELETE'
/** Segments of a path under `/api2/json`, not encoded. After a segment `nodes` comes the name of the node that answers. */
export type PvePath = readonly (string | number)[]
/** Parameters of a request. A list is sent as one parameter for each item, all with the same name. */
export type PveValues = Record<string, string | readonly string[]>
/** A request that changes something. `form`: its parameters; of a DELETE they are sent as the query. */
export type PveChange = { method: PveMethod; path: PvePath; form: PveValues }
/**
 * Options of a request. `answerMs`: time limit for the whole answer; default: some seconds. `isWhole`: a read returns the whole answer, including
 * fields beside `data`.
 */
export type PveAsk = { signal: AbortSignal; answerMs?: number; isWhole?: boolean }

/** Proxmox's own API with its own names, for everything that `Cluster` has no method for. The demo answers like a real cluster. */
export interface PveApi {
  /** @returns the answer's `data`, or the whole answer. @throws ApiError `cluster_unreachable`, `cluster_refused`; the signal's reason. */
  get(path: PvePath, query: PveValues, ask: PveAsk): Promise<unknown>
  /**
   * Sends a changing request, never twice.
   * @throws as `get` does, and ApiError `outcome_unknown` if the request was sent and no answer came.
   */
  change(request: PveChange, ask: PveAsk): Promise<unknown>
  /** The present time of the cluster, Unix ms. */
  now(): number
  /** Waits `ms` of the cluster's time, which may run faster in the demo. @throws the signal's reason */
  wait(ms: number, signal: AbortSignal): Promise<void>
  /** Shows a task that JARVIS started, until the cluster's own list contains it. Undefined if the list contains it at once. */
  noteTask?(task: Task): void
  /**
   * Updates the cluster's state after a request of JARVIS, for the guests that the request concerns, because the cluster's list is some seconds
   * behind. Called when the request or its task has ended, successfully or not. Never rejects. Undefined if the state is always current.
   */
  noteResult?(request: PveChange, signal: AbortSignal): Promise<void>
}

/** The reading part of `PveApi`. */
export type PveReader = Pick<PveApi, 'get'>

/** The API of a Proxmox Backup Server, only for reads. Paths and errors are as in `PveApi`. */
export type PbsApi = PveReader

/**
 * The result of disarming a timer. `disarmed`: the timer existed and will never fire. `gone_off`: it fired before. `missing`: the node has no such
 * timer, for example after a restart of the node.
 */
export type TimerEnd = 'disarmed' | 'gone_off' | 'missing'

/**
 * Timers that run on the nodes. A timer restores its node's network configuration even if nobody can reach the node. `id`: id of the change;
 * letters, digits, `_` and `-`.
 */
export interface NetworkTimers {
  /** @returns one sentence that says why no timer can be armed on the node; undefined if one can be. @throws the signal's reason */
  obstacle(node: string, options: Pick<CallOptions, 'signal'>): Promise<string | undefined>
  /**
   * Saves the active configuration, and arms a timer that restores it if the configuration that is staged now is active then. The timer changes
   * nothing if any other configuration is active.
   * @throws JarvisError; anything that is left of the timer does nothing unless the staged configuration was applied
   */
  arm(node: string, timer: { id: string; afterMs: number }, options: Pick<CallOptions, 'signal'>): Promise<void>
  /** Disarms a timer. Either the disarming or the firing takes effect, never both. @throws JarvisError if the node does not answer */
  disarm(node: string, id: string, options: Pick<CallOptions, 'signal'>): Promise<TimerEnd>
}

/** Access to a cluster. `terminals`, `consoles`: undefined if the cluster offers none. `pbs`: undefined if no backup server is configured. */
export type Homelab = {
  cluster: Cluster
  shell: Shell
  waker: Waker
  api: PveApi
  /** The same API for the restore drill, with the drill's own token. Undefined: there is no such token. */
  drillApi?: PveApi | undefined
  pbs?: PbsApi
  networkTimers?: NetworkTimers
  terminals?: Terminals
  consoles?: Consoles
}
