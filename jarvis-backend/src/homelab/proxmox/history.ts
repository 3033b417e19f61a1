import { ApiError } from 'homelab-ports/failure'
import type { Cluster, HistorySpan } from 'homelab-ports/ports'
import { minuteMs, minutesIn, type Past, type Sample } from 'homelab-ports/samples'
import type { ClusterState } from 'protocol'
import { storageSeries } from 'protocol/facts'
import { isForbidden } from '../pve/rights.ts'
import { eachOf } from './each.ts'
import { createPastSums } from './past-sums.ts'
import { type RrdKind, readRrd } from './rrd.ts'
import type { Api } from './transport.ts'

/** Parallel requests. */
const width = 2
/** Maximum number of nodes, storages and guests to read. Each takes one request for the hour and one for the day. */
const mostThings = 200
/** Number of things whose records are returned together, so that each minute is written once for all of them. */
const thingsAtOnce = 8
const answerMs = 6_000

export type RrdThing = { name: string; kind: RrdKind; node: string; path: readonly (string | number)[] }

/** Returns the things whose records are read, the most useful first: online nodes, storages, then running guests by load. */
function thingsOf(state: ClusterState, storageNodes: ReadonlyMap<string, readonly string[]>): RrdThing[] {
  const nodes = state.nodes.filter(({ status }) => status === 'online').map(({ name }) => name)
  const guests = state.guests.filter(({ status, node }) => status === 'running' && nodes.includes(node))
  const all: RrdThing[] = [
    ...nodes.map((node) => ({ name: `node/${node}`, kind: 'node' as const, node, path: [] })),
    ...state.storages.flatMap((storage) => {
      const node = storage.node ?? storageNodes.get(storage.name)?.find((name) => nodes.includes(name))
      if (node === undefined || !storage.isActive || !nodes.includes(node)) return []
      return [{ name: storageSeries(storage), kind: 'storage' as const, node, path: ['storage', storage.name] }]
    }),
    ...guests
      .sort((a, b) => (b.cpuRatio ?? 0) - (a.cpuRatio ?? 0))
      .map(({ vmid, type, node }) => ({
        name: `guest/${vmid}`,
        kind: 'guest' as const,
        node,
        path: [type === 'vm' ? 'qemu' : 'lxc', vmid],
      })),
  ]
  return all.slice(0, mostThings)
}

/**
 * Reads Proxmox's records (RRD) of the last hour or day, a few requests at a time. Records that the token may not read are empty. A node that did
 * not answer gets no further requests.
 */
export async function* readHistory(
  source: { api: Api; state: ClusterState; storageNodes: ReadonlyMap<string, readonly string[]>; now: number },
  span: HistorySpan,
  { signal, missed }: Parameters<NonNullable<Cluster['history']>>[1],
): AsyncGenerator<Past> {
  const { api, state, now } = source
  const things = thingsOf(state, source.storageNodes)
  const sums = createPastSums(state)
  const silent = new Set<string>()

  async function ask({ name, kind, node, path }: RrdThing) {
    if (silent.has(node)) return { name, rows: [] }
    try {
      const query = { timeframe: span, cf: 'AVERAGE' }
      const data = await api.get(['nodes', node, ...path, 'rrddata'], query, { signal, answerMs })
      const rows = readRrd(kind, data, { from: now - minutesIn[span] * minuteMs, until: now })
      sums.add(name, rows)
      return { name, rows }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (error instanceof ApiError && error.code === 'cluster_unreachable') silent.add(node)
      if (!isForbidden(error)) missed(error instanceof Error ? error.message : String(error))
      return { name, rows: [] }
    }
  }

  for (let at = 0; at < things.length; at += thingsAtOnce) {
    const byTime = new Map<string, { minutes: number[]; samples: Sample[] }>()
    for (const { name, rows } of await eachOf(things.slice(at, at + thingsAtOnce), width, ask)) {
      for (const { minutes, values } of rows) {
        const key = `${minutes[0]} ${minutes.length}`
        const past = byTime.get(key) ?? { minutes, samples: [] }
        byTime.set(key, past)
        past.samples.push({ name, values })
      }
    }
    yield* byTime.values()
  }
  // The sums come last: a minute with a sum for the whole cluster counts as complete and is not requested again.
  yield* sums.pasts()
}
