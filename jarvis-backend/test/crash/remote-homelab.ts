import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createInterface } from 'node:readline'
import type { CallOptions, Homelab } from 'homelab-ports/ports'
import { sleep, systemClock } from 'node-kit/clock'
import { type ClusterState, type ErrorCode, errorStatus, JarvisError } from 'protocol'
import { newId } from '../../src/lib/ids.ts'
import type { Line } from './fake-cluster.ts'
import { type Reach, tasksPerSecond } from './steps.ts'

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(errorStatus, code)

/** Calls one method of the fake cluster's process. A request carries an id of its own, and is never repeated. */
export async function callFake(
  url: string,
  path: string,
  args: readonly unknown[],
  options: Partial<CallOptions> = {},
  reach: Reach = () => {},
): Promise<unknown> {
  const { signal, ...rest } = options
  const isListener = (value: unknown): value is (...args: unknown[]) => void => typeof value === 'function'
  const all = Object.entries(rest)
  const listeners = new Map(all.flatMap(([name, value]) => (isListener(value) ? [[name, value] as const] : [])))
  const given = Object.fromEntries(all.filter(([, value]) => !isListener(value)))
  reach('request begun')
  const sending = request(`${url}/${path}`, { method: 'POST', agent: false, ...(signal && { signal }) })
  sending.on('finish', () => reach('request sent'))
  sending.end(JSON.stringify({ id: newId('req'), args, given, notify: [...listeners.keys()] }))
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  for await (const text of createInterface({ input: response })) {
    const line = JSON.parse(text) as Line
    if ('received' in line) reach('request received')
    else if ('notify' in line) listeners.get(line.notify)?.(...line.args)
    else {
      reach('response received')
      if ('result' in line) return line.result
      throw isKnown(line.error.code)
        ? new JarvisError(line.error.code, line.error.message)
        : new Error(line.error.message)
    }
  }
  throw new JarvisError('cluster_unreachable', 'The cluster went away before it answered.')
}

/** The homelab of JARVIS, with the cluster in another process. Tells of each changing request as it goes. */
export async function connectHomelab(url: string, reach: Reach): Promise<Homelab> {
  const listeners = new Set<() => void>()
  const watching = request(`${url}/watch`, { agent: false }).end()
  watching.on('error', () => {})
  const [response] = (await once(watching, 'response')) as [IncomingMessage]
  const lines = createInterface({ input: response })
  // The end of the cluster is no end of JARVIS.
  lines.on('error', () => {})
  const [first] = (await once(lines, 'line')) as [string]
  let state = JSON.parse(first) as ClusterState
  lines.on('line', (line) => {
    state = JSON.parse(line) as ClusterState
    for (const listener of [...listeners]) listener()
  })

  const reads = <Result>(path: string, args: readonly unknown[], options: CallOptions) =>
    callFake(url, path, args, options) as Promise<Result>
  const changes = <Result>(path: string, args: readonly unknown[], options: CallOptions) =>
    callFake(url, path, args, options, reach) as Promise<Result>
  return {
    cluster: {
      state: () => state,
      watch(listener) {
        const own = () => listener()
        listeners.add(own)
        return () => listeners.delete(own)
      },
      nodeDetail: (node, options) => reads('cluster/nodeDetail', [node], options),
      temperature: (node, options) => reads('cluster/temperature', [node], options),
      tasks: (query, options) => reads('cluster/tasks', [query], options),
      backups: (query, options) => reads('cluster/backups', [query], options),
      power: (asked, options) => changes('cluster/power', [asked], options),
      unit: (node, service, options) => reads('cluster/unit', [node, service], options),
      restartService: (node, service, options) => changes('cluster/restartService', [node, service], options),
      close: () => void watching.destroy(),
    },
    api: {
      get: (path, query, ask) => reads('api/get', [path, query], ask),
      change: (asked, ask) => changes('api/change', [asked], ask),
      now: Date.now,
      wait: (ms, signal) => sleep(systemClock, ms / tasksPerSecond, signal),
    },
    shell: { run: (node, argv, options) => changes('shell/run', [node, argv], options) },
    waker: { wake: (node, options) => changes('waker/wake', [node], options) },
  }
}
