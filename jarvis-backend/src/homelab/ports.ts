import type { Backup, ClusterState, Guest, Task, UnitState } from '../protocol/index.ts'
import type { Past } from './samples.ts'

export type PowerAction = 'start' | 'stop' | 'restart'

/** The finished task and what was observed of the guest afterwards: one without the other is not a result. */
export type PowerOutcome = {
  /** Absent where the cluster refused before a task began. */
  upid?: string
  /** `OK`, or Proxmox's words word for word. */
  exitStatus: string
  ok: boolean
  /** The guest's state seen after the task. */
  observed: Guest['status']
  durationMs: number
}

/** What the node does not say is absent. */
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
 * A list with what could not be read, in plain words (`agent is offline`): partial data is not an error. `isUnread`: not one
 * source could be read, so that an empty list says nothing.
 */
export type Partial<T> = { items: T[]; missing: string[]; isUnread?: boolean }

export type CallOptions = {
  signal: AbortSignal
  /** One line for a person about how far the work is. */
  onProgress?: (message: string) => void
  /** The task's UPID, as soon as the cluster has named it. */
  onTask?: (upid: string) => void
}

/** The guest that a call was judged about: the same number elsewhere, or under another name, is another thing. */
export type ExpectedGuest = { node: string; type: Guest['type']; name: string }

/** The cluster as JARVIS uses it. Every method ends when its signal aborts. */
export interface Cluster {
  /** What is known now, from memory: cheap, never waits for a node. */
  state(): ClusterState
  /**
   * Looks again where what is known is a few seconds old, so that `state()` is as things are; with `vmid` at that guest
   * itself, too. Waits for a second and a half at most, and never rejects. Absent where `state()` is always so.
   */
  catchUp?(vmid?: number): Promise<void>
  /**
   * Reads the cluster, and guest `vmid` at its own node, in a look that begins now, so that a decision may rest on
   * `state()`. Absent where `state()` is always as things are.
   * @throws JarvisError `cluster_unreachable` where it could not be read, after ten seconds at the latest.
   */
  readAfresh?(vmid?: number): Promise<void>
  /**
   * Calls `listener` after each change of `state()`. @returns a function that stops it.
   * @param pace `idle`: nobody looks, so that changes may be found later.
   */
  watch(listener: () => void, pace?: 'live' | 'idle'): () => void
  /** @throws JarvisError `not_found` (no such node), `cluster_unreachable` (node offline). */
  nodeDetail(node: string, options: CallOptions): Promise<NodeDetail>
  /** @throws JarvisError `not_found`, `cluster_unreachable`. */
  temperature(node: string, options: CallOptions): Promise<Temperature>
  /** Newest first. @param limit 1..200 */
  tasks(query: { node?: string; limit: number }, options: CallOptions): Promise<Partial<Task>>
  /** Newest first. */
  backups(query: { node?: string; storage?: string; vmid?: number }, options: CallOptions): Promise<Partial<Backup>>
  /**
   * What the cluster itself remembers of the last hour or day, up to now. A minute may come several times, each time with
   * other things or figures; what was away then is in none. Absent where the cluster remembers nothing.
   * @param options.missed called for each thing whose past could not be read, with why; what may not be read has none
   */
  history?(span: HistorySpan, options: Pick<CallOptions, 'signal'> & { missed(why: string): void }): AsyncIterable<Past>
  /**
   * Resolves the guest by vmid now, starts the task, follows it to its end and observes the guest.
   * A refusal or a failed task is an outcome (`ok: false`), not an exception.
   * @param force stop and restart only: the power plug instead of a clean shutdown.
   * @param options.expected what the guest must be; the request goes to that node and to no other.
   * @throws JarvisError `not_found` (no such guest), `cluster_unreachable`, `conflict` (it is not as expected).
   */
  power(
    vmid: number,
    action: PowerAction,
    force: boolean,
    options: CallOptions & { expected?: ExpectedGuest | undefined },
  ): Promise<PowerOutcome>
  /**
   * Asks the node what a service is there, by any of its names; changes nothing. A unit that the node does not have is
   * `loadState: not-found`. @throws JarvisError `not_found` (no such node), `cluster_unreachable`, `cluster_refused`.
   */
  unit(node: string, service: string, options: CallOptions): Promise<UnitState>
  /** @throws JarvisError `not_found`, `cluster_unreachable`. */
  restartService(node: string, service: string, options: CallOptions): Promise<{ ok: boolean; message: string }>
  close(): void
}

export type CommandOutput = {
  stdout: string
  stderr: string
  /** 128 and its number where a signal ended the program. */
  exitCode: number
  /** `SIGKILL`, … */
  signal?: string
  /** The middle of a stream was left out; a line in its place says how much. */
  truncated: boolean
  /** Of both streams together, where something was. */
  leftOutBytes?: number
  /** Of what the first program of a pipe printed, the bytes that were too many for the next one to read. */
  unreadBytes?: number
}

export type CommandOptions = CallOptions & {
  /** The standard input of the first program. Default: empty. */
  input?: string
  /** Bytes kept of each stream's head, and as many of its tail. */
  keepBytes?: number
}

/** Runs programs on a node, without TTY: what they see is exactly these words, and `input`. */
export interface Shell {
  /**
   * @param stages one program with its arguments, or several, each reading what the one before it prints. The exit
   * code is the last one's, `stderr` everybody's.
   * @throws JarvisError `not_found` (no such node), `cluster_unreachable`, `cluster_refused`, `outcome_unknown` (it
   * began, and how it ended is not known). A non-zero exit code is an outcome.
   */
  run(node: string, stages: readonly (readonly string[])[], options: CommandOptions): Promise<CommandOutput>
  /**
   * Where those of `paths` that are there lead, every link followed, as the node sees it at that moment. Absent: nothing is
   * a link there. @throws as `run` does.
   */
  leadTo?(node: string, paths: readonly string[], options: CallOptions): Promise<string[]>
}

/** Wakes a sleeping node and watches it come online. */
export interface Waker {
  /** @throws JarvisError `not_found`. `cameOnline: false`: the packet was sent and the node was not seen in time. */
  wake(node: string, options: CallOptions): Promise<{ cameOnline: boolean; wasOnline: boolean; afterMs: number }>
}

export type TerminalSize = { cols: number; rows: number }

/** An interactive shell. Its output is held back until the first `resume()`. */
export interface TerminalSession {
  /** What a person types. @throws JarvisError `too_many_requests` while the shell does not read what was typed. */
  write(data: string): void
  resize(size: TerminalSize): void
  /** Output is held back, at its source once some of it has gathered, until `resume()`. */
  pause(): void
  resume(): void
  /** Ends it; its end is told as any other. */
  close(): void
}

/** Shells for operators. What is typed there is no tool call and passes no gate: nothing but a person may reach this. */
export interface Terminals {
  /**
   * @param options.onEnd called once, with the shell's exit code where it has one.
   * @throws JarvisError `not_found`, `cluster_unreachable`; the signal's reason, until it is open.
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

export type PveMethod = 'POST' | 'PUT' | 'DELETE'
/** The segments of a path under `/api2/json`: what stands in one is encoded. A segment `nodes` is followed by the node asked. */
export type PvePath = readonly (string | number)[]
export type PveValues = Record<string, string>
/** `answerMs`: for the whole answer; default some seconds. */
export type PveAsk = { signal: AbortSignal; answerMs?: number }

/** Proxmox's own API, in its own words: what there is no method of `Cluster` for. The demo answers as a cluster does. */
export interface PveApi {
  /** @returns the answer's `data`. @throws ApiError `cluster_unreachable`, `cluster_refused`; the signal's reason. */
  get(path: PvePath, query: PveValues, ask: PveAsk): Promise<unknown>
  /**
   * Never sent twice. @param form of a DELETE it is the query.
   * @throws as `get` does, and ApiError `outcome_unknown` where the request was sent and no answer came.
   */
  change(method: PveMethod, path: PvePath, form: PveValues, ask: PveAsk): Promise<unknown>
  /** The cluster's hour as JARVIS has it, Unix ms. */
  now(): number
  /** Lets so much of the cluster's time pass, which in a demo may run faster. @throws the signal's reason. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  /** Shows a task that JARVIS began, until the cluster's own list has it. Absent where the list has it at once. */
  noteTask?(task: Task): void
}

/** `terminals`: absent where the cluster offers none. */
export type Homelab = { cluster: Cluster; shell: Shell; waker: Waker; api: PveApi; terminals?: Terminals }
