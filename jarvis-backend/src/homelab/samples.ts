import { cpuOf, fillOf, netOf, ramOf, shareOf, storageSeries } from '../protocol/facts.ts'
import { type ClusterState, type SampleField, type SampleKind, sampleFields } from '../protocol/index.ts'

/** One thing at one moment. `values`: in the order of its kind's fields, undefined where it is not known. */
export type Sample = { name: string; values: readonly (number | undefined)[] }

/** What was so at each of `minutes` (Unix ms, whole ones): a cluster remembers means of more than one, too. */
export type Past = { minutes: readonly number[]; samples: readonly Sample[] }

/** Keeps samples in a ring: each minute for a day, each quarter of an hour for a week. */
export interface SampleStore {
  /**
   * Forgets what was kept of another cluster: guest 100 of the demo is not yours.
   * @param addresses one in common with the last start's makes it the same cluster
   */
  keepOf(addresses: readonly string[]): void
  /** @param at Unix ms, a whole minute */
  keep(at: number, samples: readonly Sample[]): void
  /** Puts in what the cluster remembers of the last day where nothing is known; what was kept stays. */
  fill(past: readonly Past[]): void
  /**
   * Of each series that is known: its values at `from`, `from + stepMs`, … Neighbours are read together: the first of
   * them costs `count` rows, each other a few `count` numbers, 4 ms and 1 for a day. So one may stop between two.
   * @param stepMs `minuteMs` or `quarterMs` @param from a multiple of it
   */
  read(
    names: readonly string[],
    stepMs: number,
    from: number,
    count: number,
  ): Iterable<[name: string, values: (readonly (number | undefined)[])[]]>
}

export const minuteMs = 60_000
export const quarterMs = 15 * minuteMs
export const dayMs = 24 * 60 * minuteMs
export const weekMs = 7 * dayMs
/** Of what a cluster is asked for of its own past. */
export const minutesIn = { hour: 60, day: dayMs / minuteMs } as const

const kindOf = (name: string) => (name === 'cluster' ? name : name.slice(0, name.indexOf('/'))) as SampleKind
export const fieldsOf = (name: string): readonly SampleField[] => sampleFields[kindOf(name)]

type Values = Partial<Record<SampleField, number | undefined>>

/** What is worth keeping of this moment. What is away says nothing: its line gets a gap. */
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
        ramRatio: shareOf(node.ramBytes, node.ramTotalBytes),
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
        }),
      ),
    ...storages
      .filter(({ isActive }) => isActive)
      .map(({ name, node, usedBytes, totalBytes }) =>
        sample(storageSeries({ name, node }), { usedRatio: shareOf(usedBytes, totalBytes) }),
      ),
  ]
}
