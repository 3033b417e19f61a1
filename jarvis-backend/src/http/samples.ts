import { Router } from 'express'
import { dayMs, fieldsOf, minuteMs, quarterMs, type SampleStore, weekMs } from '../homelab/samples.ts'
import { SamplesQuery, type SamplesReply } from '../protocol/index.ts'
import { read } from './handle.ts'

const ranges = {
  '1h': { stepMs: minuteMs, count: 60 },
  '24h': { stepMs: minuteMs, count: dayMs / minuteMs },
  '7d': { stepMs: quarterMs, count: weekMs / quarterMs },
}

/** Moments of series that are read in one go. */
const valuesAtOnce = 10_000

/** What a reply costs grows with series times moments, most 64 times 1,440: 2.4 MB. Nobody waits for more than a series of it. */
export function samplesRoutes(store: Pick<SampleStore, 'read'>, now: () => number): Router {
  const router = Router()
  router.get('/', async (request, response) => {
    const { series, range } = read(SamplesQuery, request.query)
    const { stepMs, count } = ranges[range]
    const from = (Math.floor(now() / stepMs) - count + 1) * stepMs
    const names = [...new Set(series)]
    const found = new Map<string, SamplesReply['items'][number]>()
    for (const [name, moments] of store.read(names, stepMs, from, count)) {
      const fields = fieldsOf(name)
      const values = Object.fromEntries(fields.map((field, at) => [field, moments.map((moment) => short(moment[at]))]))
      found.set(name, { name, values })
      // A day of many is much to read: others get their turn.
      if (names.length * count > valuesAtOnce) await new Promise(setImmediate)
    }
    const items = names.flatMap((name) => found.get(name) ?? [])
    response.json({ from, stepMs, items } satisfies SamplesReply)
  })
  return router
}

/** No more digits than are known. */
const short = (value: number | undefined) => (value === undefined ? null : Number(value.toPrecision(5)))
