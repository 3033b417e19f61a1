import { dayMs, fieldsOf, minuteMs, quarterMs, type SampleStore, weekMs } from 'homelab-ports/samples'
import { SamplesQuery, SamplesReply } from 'protocol'
import { type Route, route } from './route.ts'

const ranges = {
  '1h': { stepMs: minuteMs, count: 60 },
  '24h': { stepMs: minuteMs, count: dayMs / minuteMs },
  '7d': { stepMs: quarterMs, count: weekMs / quarterMs },
}

/** Number of values that are read before other requests get a turn. */
const valuesAtOnce = 10_000

/**
 * `/api/samples`: values for charts. The largest reply, with 64 series of 1,440 values, has 2.4 MB. Other requests wait for at most one series of
 * it.
 */
export const samplesRoutes = (store: Pick<SampleStore, 'read'>, now: () => number): Route[] => [
  route('/samples').get(
    'Values for charts. `series` is a comma list of up to 64 of `cluster`, `node/NAME`, `guest/VMID`, `storage/…`.',
    { role: 'viewer', token: 'read', query: SamplesQuery, reply: SamplesReply, isPacked: true },
    async ({ query: { series, range } }) => {
      const { stepMs, count } = ranges[range]
      const from = (Math.floor(now() / stepMs) - count + 1) * stepMs
      const names = [...new Set(series)]
      const found = new Map<string, SamplesReply['items'][number]>()
      for (const [name, moments] of store.read(names, { stepMs, from, count })) {
        const values = fieldsOf(name).map((field, at) => [field, moments.map((moment) => short(moment[at]))])
        found.set(name, { name, values: Object.fromEntries(values) })
        // Lets other requests run between the series of a large reply.
        if (names.length * count > valuesAtOnce) await new Promise(setImmediate)
      }
      return { from, stepMs, items: names.flatMap((name) => found.get(name) ?? []) }
    },
  ),
]

/** Rounds to 5 significant digits; null for undefined. */
const short = (value: number | undefined) => (value === undefined ? null : Number(value.toPrecision(5)))
