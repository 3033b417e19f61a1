import { request } from 'node:http'
import { JarvisError } from 'protocol'
import { z } from 'zod'
import { whyUnreachable } from '../../lib/unreachable.ts'
import { createLogReader } from './log-frames.ts'

/** A container's name or id in Docker's form. It is one part of a path and cannot hold a slash. */
export const ContainerName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/, 'must be the name or the id of a container')

const mostJsonBytes = 4 * 1024 ** 2
const patienceMs = 20_000

const Listed = z.object({
  Id: z.string(),
  Names: z.array(z.string()).default([]),
  Image: z.string().default(''),
  State: z.string().default('unknown'),
  Status: z.string().default(''),
  Created: z.number().default(0),
  Labels: z.record(z.string(), z.string()).nullish(),
  Ports: z
    .array(
      z.object({
        IP: z.string().optional(),
        PrivatePort: z.number(),
        PublicPort: z.number().optional(),
        Type: z.string(),
      }),
    )
    .nullish(),
})
export type ListedContainer = z.output<typeof Listed>

// `Env` and the labels are not read, because people keep passwords in them.
const Inspected = z.object({
  Id: z.string(),
  Name: z.string().default(''),
  Created: z.string().default(''),
  RestartCount: z.number().default(0),
  State: z.object({
    Status: z.string().default('unknown'),
    StartedAt: z.string().default(''),
    FinishedAt: z.string().default(''),
    ExitCode: z.number().default(0),
    OOMKilled: z.boolean().default(false),
    Error: z.string().default(''),
    Health: z.object({ Status: z.string() }).nullish(),
  }),
  Config: z.object({
    Image: z.string().default(''),
    Hostname: z.string().default(''),
    Tty: z.boolean().default(false),
  }),
  HostConfig: z.object({
    Privileged: z.boolean().default(false),
    NetworkMode: z.string().default(''),
    RestartPolicy: z.object({ Name: z.string().default('') }).nullish(),
  }),
  Mounts: z
    .array(z.object({ Source: z.string().default(''), Destination: z.string(), RW: z.boolean().default(true) }))
    .default([]),
})
export type InspectedContainer = z.output<typeof Inspected>

const Cpu = z.object({
  cpu_usage: z.object({ total_usage: z.number().default(0) }).default({ total_usage: 0 }),
  system_cpu_usage: z.number().optional(),
  online_cpus: z.number().optional(),
})
const Stats = z.object({
  cpu_stats: Cpu,
  precpu_stats: Cpu,
  memory_stats: z.object({
    usage: z.number().optional(),
    limit: z.number().optional(),
    stats: z.record(z.string(), z.unknown()).optional(),
  }),
  pids_stats: z.object({ current: z.number().optional() }).optional(),
})

/**
 * A container's present use of resources. A value is absent if Docker does not report it, for example for a stopped container. `cpuRatio`: 1 is one
 * core.
 */
export type ContainerUse = { cpuRatio?: number; ramBytes?: number; ramLimitBytes?: number; processes?: number }

export const containerActs = ['start', 'stop', 'restart'] as const
export type ContainerAct = (typeof containerActs)[number]

export type Ended = { exitCode: number | null; text: string; isCut: boolean }

/**
 * Docker's API over its socket, limited to five paths that read and five that change. Write access to the socket gives root on the host, so no other
 * path is built here, and a container's name is the only part of a path that a caller gives.
 * Every method throws JarvisError: `not_found` (no such container), `conflict` (Docker refuses, with its message), `cluster_unreachable`, and for a
 * change `outcome_unknown` (it may have been made).
 */
export type Engine = {
  list(signal: AbortSignal): Promise<ListedContainer[]>
  inspect(container: string, signal: AbortSignal): Promise<InspectedContainer>
  use(container: string, signal: AbortSignal): Promise<ContainerUse>
  /** The newest log lines, oldest first. @param of `isTty`: the container was made with a terminal, so its output has only one stream */
  logs(
    container: string,
    of: { tail: number; sinceS?: number; isTty: boolean },
    signal: AbortSignal,
  ): Promise<{ text: string; isCut: boolean }>
  /** Starts, stops or restarts a container. @returns false if the container was in this state already */
  act(container: string, act: ContainerAct, signal: AbortSignal): Promise<boolean>
  /** Runs a program in a running container, without a shell. `exitCode`: null if Docker does not report it. */
  run(container: string, command: readonly string[], signal: AbortSignal): Promise<Ended>
}

/** One request to Docker. `body`: sent as JSON. */
type Asking = { method: 'GET' | 'POST'; path: string; body?: unknown }

/** @param socket path of Docker's UNIX socket */
export function createEngine(socket: string): Engine {
  const of = (container: string) => `/containers/${ContainerName.parse(container)}`

  async function json<S extends z.ZodType>(shape: S, asked: Asking, signal: AbortSignal): Promise<z.output<S>> {
    const { status, bytes, isCut } = await exchange(socket, { ...asked, most: mostJsonBytes }, signal)
    if (isCut)
      throw new JarvisError('cluster_unreachable', `Docker answered with more than ${mostJsonBytes / 1024 ** 2} MiB.`)
    refuse(status, bytes)
    let value: unknown
    try {
      value = JSON.parse(bytes.toString('utf8'))
    } catch {
      throw new JarvisError('cluster_unreachable', `What answers at ${socket} is not Docker: its answer is no JSON.`)
    }
    const read = shape.safeParse(value)
    if (!read.success)
      throw new JarvisError('cluster_unreachable', `What answers at ${socket} does not answer as Docker does.`)
    return read.data
  }

  return {
    list: (signal) => json(z.array(Listed), { method: 'GET', path: '/containers/json?all=1' }, signal),
    inspect: async (container, signal) => json(Inspected, { method: 'GET', path: `${of(container)}/json` }, signal),
    async use(container, signal) {
      return useOf(await json(Stats, { method: 'GET', path: `${of(container)}/stats?stream=false` }, signal))
    },
    async logs(container, { tail, sinceS, isTty }, signal) {
      const since = sinceS === undefined ? '' : `&since=${Math.floor(sinceS)}`
      const path = `${of(container)}/logs?stdout=1&stderr=1&timestamps=1&tail=${Math.floor(tail)}${since}`
      return output({ method: 'GET', path }, isTty, signal)
    },
    async act(container, act, signal) {
      const { status, bytes } = await exchange(
        socket,
        { method: 'POST', path: `${of(container)}/${act}`, most: mostJsonBytes, patienceMs: 90_000 },
        signal,
      )
      if (status === 304) return false
      refuse(status, bytes)
      return true
    },
    async run(container, command, signal) {
      const asked = {
        AttachStdin: false,
        AttachStdout: true,
        AttachStderr: true,
        Tty: false,
        Privileged: false,
        Cmd: command,
      }
      const { Id } = await json(
        z.object({ Id: z.string().regex(/^[0-9a-f]{1,128}$/) }),
        { method: 'POST', path: `${of(container)}/exec`, body: asked },
        signal,
      )
      const said = await output(
        { method: 'POST', path: `/exec/${Id}/start`, body: { Detach: false, Tty: false } },
        false,
        signal,
      )
      const { ExitCode, Running } = await json(
        z.object({ ExitCode: z.number().nullish(), Running: z.boolean().default(false) }),
        { method: 'GET', path: `/exec/${Id}/json` },
        signal,
      )
      return { exitCode: Running ? null : (ExitCode ?? null), ...said }
    },
  }

  async function output(asked: Asking, isTty: boolean, signal: AbortSignal) {
    const reader = createLogReader(isTty)
    const { status, bytes } = await exchange(
      socket,
      { ...asked, most: mostJsonBytes, patienceMs: 300_000, take: reader.add },
      signal,
    )
    refuse(status, bytes)
    return reader.text()
  }
}

function refuse(status: number, bytes: Buffer): void {
  if (status < 400) return
  const words = saidIn(bytes)
  if (status === 404) throw new JarvisError('not_found', `Docker knows no such container: ${words}`)
  throw new JarvisError('conflict', `Docker refused: ${words}`)
}

function saidIn(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  try {
    const read = z.object({ message: z.string() }).safeParse(JSON.parse(text))
    return (read.success ? read.data.message : text).slice(0, 500)
  } catch {
    return text.slice(0, 500)
  }
}

function useOf({
  cpu_stats: now,
  precpu_stats: before,
  memory_stats: memory,
  pids_stats: pids,
}: z.output<typeof Stats>): ContainerUse {
  const spent = now.cpu_usage.total_usage - before.cpu_usage.total_usage
  const passed = (now.system_cpu_usage ?? 0) - (before.system_cpu_usage ?? 0)
  // The first sample has no earlier one to compare with.
  const isKnown = before.system_cpu_usage !== undefined && now.system_cpu_usage !== undefined && passed > 0
  // Cached file pages count as used memory, but the kernel frees them when memory is short.
  const idle = Number(memory.stats?.inactive_file ?? memory.stats?.total_inactive_file ?? 0)
  return {
    ...(isKnown && { cpuRatio: (spent / passed) * (now.online_cpus ?? 1) }),
    ...(memory.usage !== undefined && { ramBytes: Math.max(0, memory.usage - idle) }),
    ramLimitBytes: memory.limit,
    ...(pids?.current !== undefined && { processes: pids.current }),
  }
}

type Asked = {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
  /** The most bytes of the answer that are kept. */
  most: number
  patienceMs?: number
  /** Receives the bytes of a successful answer instead of keeping them. @returns false if no more bytes are wanted */
  take?: (chunk: Buffer) => boolean
}

/** Sends one request. @throws JarvisError `cluster_unreachable`, with a message that says what to do */
function exchange(
  socket: string,
  asked: Asked,
  signal: AbortSignal,
): Promise<{ status: number; bytes: Buffer; isCut: boolean }> {
  const { method, path, body, most, take, patienceMs: patience = patienceMs } = asked
  const text = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    let isTaken = false
    const fail = (error: unknown) =>
      reject(
        signal.aborted && !isTaken
          ? signal.reason
          : method === 'POST' && isTaken
            ? new JarvisError('outcome_unknown', 'Docker took the request, and its answer was lost.', { cause: error })
            : new JarvisError('cluster_unreachable', unreachable(socket, error), { cause: error }),
      )
    const ask = request(
      {
        socketPath: socket,
        agent: false,
        method,
        path,
        signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
        headers: {
          host: 'docker',
          ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      (answer) => {
        const status = answer.statusCode ?? 0
        const chunks: Buffer[] = []
        let size = 0
        const finish = (isCut: boolean) => resolve({ status, bytes: Buffer.concat(chunks), isCut })
        answer.on('data', (chunk: Buffer) => {
          if (take !== undefined && status < 400) {
            if (!take(chunk)) answer.destroy()
            return
          }
          size += chunk.length
          if (size <= most) chunks.push(chunk)
          else answer.destroy()
        })
        answer.on('close', () =>
          answer.complete || size > most || take !== undefined
            ? finish(size > most)
            : fail(new Error('it closed the connection')),
        )
        answer.on('error', fail)
      },
    )
    ask.on('error', fail)
    ask.on('socket', (wire) => wire.once('connect', () => (isTaken = true)))
    ask.end(text)
  })
}

function unreachable(socket: string, error: unknown): string {
  const { code } = error as { code?: string }
  if (code === 'ENOENT')
    return `There is no ${socket}: Docker does not run on this machine, or its socket is elsewhere. policy.yaml names it under workbench, docker.`
  if (code === 'EACCES')
    return `JARVIS may not open ${socket}. Whoever may is root on this machine: add JARVIS’s user to the group docker only if you want that.`
  return `Docker at ${socket} does not answer: ${whyUnreachable(error)}.`
}
