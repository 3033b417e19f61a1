import { type ClusterState, type SampleField, type SampleKind, sampleFields } from 'protocol'
import { cpuOf, fillOf, heldRam, netOf, ramOf, shareOf, storageSeries } from 'protocol/facts'

/** The values of one object at one moment. `values`: in the order of the fields of its kind; undefined if unknown. */
export type Sample = { name: string; values: readonly (number | undefined)[] }

/** Values that held during `minutes` (Unix ms, whole minutes); a cluster may record means of several. */
export type Past = { minutes: readonly number[]; samples: readonly Sample[] }

/** Moments of stored values: `from`, `from + stepMs`, … `stepMs`: `minuteMs` or `quarterMs`. `from`: Unix ms, a multiple of `stepMs`. */
export type SampleSpan = { stepMs: number; from: number; count: number }

/** Stores samples: one a minute for a day, one for each quarter of an hour for a week. */
export interface SampleStore {
  /**
   * Deletes the samples if they belong to another cluster, because guest 100 there is another guest.
   * @param addresses the cluster is the same if one of these addresses was there at the last start
   */
  keepOf(addresses: readonly string[]): void
  /** Stores samples. @param at Unix ms, a whole minute */
  keep(at: number, samples: readonly Sample[]): void
  /** Adds the cluster's own records of the last day at times without stored values. Stored values stay. */
  fill(past: readonly Past[]): void
  /**
   * Reads series by name. Neighbouring series are read together. For a day the first series costs about 4 ms and each other one 1 ms, so callers may
   * pause between two.
   */
  read(
    names: readonly string[],
    span: SampleSpan,
  ): Iterable<[name: string, values: (readonly (number | undefined)[])[]]>
}

export const minuteMs = 60_000
export const quarterMs = 15 * minuteMs
export const dayMs = 24 * 60 * minuteMs
export const weekMs = 7 * dayMs
/** Number of minutes in each span of a cluster's records. */
export const minutesIn = { hour: 60, day: dayMs / minuteMs } as const

const kindOf = (name: string) => (name === 'cluster' ? name : name.slice(0, name.indexOf('/'))) as SampleKind
export const fieldsOf = (name: string): readonly SampleField[] => sampleFields[kindOf(name)]

type Values = Partial<Record<SampleField, number | undefined>>

/** Returns the samples of a state. Objects that are not reachable have none, which leaves a gap in their charts. */
export function samplesOf(state: Pick<ClusterState, 'nodes' | 'guests' | 'storages'>): Sample[] {
  const { nodes, guests, storages } = state
  const sample = (name: string, values: Values): Sample => ({
    name,
    values: fieldsOf(name).map((field) => values[field]),
  })
  const online = nodes.filter(({ status }) => status === 'online')
  const onNode = new Map<string, typeof guests>()
  for (const guest of guests) {
    const others = onNode.get(guest.node)
    if (others === undefined) onNode.set(guest.node, [guest])
    else others.push(guest)
  }
  return [
    sample('cluster', {
      cpuRatio: cpuOf(nodes),
      ramRatio: ramOf(nodes),
      storageRatio: fillOf(storages),
      netBps: netOf(guests),
    }),
    ...online.map((node) =>
      sample(`node/${node.name}`, {
        cpuRatio: node.cpuRatio,
        ramRatio: shareOf(heldRam(node), node.ramTotalBytes),
        load1: node.load1,
        temperatureC: node.temperatureC ?? undefined,
        netBps: netOf(onNode.get(node.name) ?? []),
      }),
    ),
    ...guests
      .filter(({ status }) => status === 'running')
      .map((guest) =>
        sample(`guest/${guest.vmid}`, {
          cpuRatio: guest.cpuRatio ?? undefined,
          ramRatio: shareOf(guest.ramBytes, guest.ramTotalBytes),
          diskRatio: shareOf(guest.diskBytes, guest.diskTotalBytes) || undefined,
          netBps: guest.netInBps === undefined && guest.netOutBps === undefined ? undefined : netOf([guest]),
          diskBps: guest.diskBps,
        }),
      ),
    ...storages
      .filter(({ isActive }) => isActive)
      .map(({ name, node, usedBytes, totalBytes }) =>
        sample(storageSeries({ name, node }), { usedRatio: shareOf(usedBytes, totalBytes) }),
      ),
  ]
}
