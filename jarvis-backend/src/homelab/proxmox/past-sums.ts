import type { Past, Sample } from 'homelab-ports/samples'
import type { ClusterState } from 'protocol'
import { storageSeries } from 'protocol/facts'
import { ratioOf } from '../format.ts'
import type { RrdRow } from './rrd.ts'

type Minute = {
  cpu: number
  cores: number
  ram: number
  ramTotal: number
  used: number
  total: number
  storages: number
  net: number
  /** `net` of each node's guests, by node, for nodes that were up. */
  netOf: Map<string, number>
}

/**
 * Adds up the past of the whole cluster, and of each node's guests, per minute. The present sizes and places of guests are used. A sum with a
 * missing part is unknown.
 */
export function createPastSums({ nodes, guests, storages }: Pick<ClusterState, 'nodes' | 'guests' | 'storages'>) {
  const minutes = new Map<number, Minute>()
  const told = new Set<string>()
  const nodeOf = new Map(nodes.map((node) => [`node/${node.name}`, node]))
  const guestOf = new Map(guests.map((guest) => [`guest/${guest.vmid}`, guest]))
  const storageOf = new Map(storages.map((storage) => [storageSeries(storage), storage]))
  const running = guests.filter(({ status }) => status === 'running')
  const sized = storages.filter(({ totalBytes }) => totalBytes !== 0).length

  function minute(at: number): Minute {
    const known = minutes.get(at)
    if (known !== undefined) return known
    const none = { cpu: 0, cores: 0, ram: 0, ramTotal: 0, used: 0, total: 0, storages: 0, net: 0, netOf: new Map() }
    minutes.set(at, none)
    return none
  }

  function addTo(sum: Minute, name: string, [first = 0, ram, , net = 0]: Sample['values']) {
    const [node, guest, storage] = [nodeOf.get(name), guestOf.get(name), storageOf.get(name)]
    if (node !== undefined) {
      const { cpuCount = 1, ramTotalBytes } = node
      sum.cpu += first * cpuCount
      sum.cores += cpuCount
      sum.netOf.set(node.name, sum.netOf.get(node.name) ?? 0)
      if (ram === undefined || ramTotalBytes === undefined) return
      sum.ram += ram * ramTotalBytes
      sum.ramTotal += ramTotalBytes
    } else if (guest !== undefined) {
      sum.net += net
      const before = sum.netOf.get(guest.node)
      if (before !== undefined) sum.netOf.set(guest.node, before + net)
    } else if (storage !== undefined && storage.totalBytes !== null) {
      sum.used += first * storage.totalBytes
      sum.total += storage.totalBytes
      sum.storages += 1
    }
  }

  return {
    /** Adds the rows of one node, guest or storage. Nodes must come first. */
    add(name: string, rows: readonly RrdRow[]) {
      told.add(name)
      for (const row of rows) for (const at of row.minutes) addTo(minute(at), name, row.values)
    },

    *pasts(): Generator<Past> {
      const isTold = ({ vmid }: { vmid: number }) => told.has(`guest/${vmid}`)
      const netKnown = running.every(isTold)
      // If a node did not answer, no sums of the cluster are stored, so that the next start requests these minutes again.
      const allTold = nodes.every(({ name, status }) => status !== 'online' || told.has(`node/${name}`))
      const nodesTold = nodes.filter(({ name }) => running.every((guest) => guest.node !== name || isTold(guest)))
      for (const [at, sum] of minutes) {
        if (sum.cores === 0) continue
        const cluster = [
          ratioOf(sum.cpu, sum.cores),
          sum.ramTotal === 0 ? undefined : ratioOf(sum.ram, sum.ramTotal),
          sum.storages < sized ? undefined : ratioOf(sum.used, sum.total),
          netKnown ? sum.net : undefined,
        ]
        const samples: Sample[] = allTold ? [{ name: 'cluster', values: cluster }] : []
        for (const { name } of nodesTold) {
          const net = sum.netOf.get(name)
          if (net !== undefined)
            samples.push({ name: `node/${name}`, values: [undefined, undefined, undefined, undefined, net] })
        }
        if (samples.length > 0) yield { minutes: [at], samples }
      }
    },
  }
}
