import { Router } from 'express'
import { dayMs, fieldsOf, minuteMs, quarterMs, type SampleStore, weekMs } from '../homelab/samples.ts'
import { SamplesQuery, type SamplesReply } from '../protocol/index.ts'
import { read } from './handle.ts'

const ranges = {
  '1h': { stepMs: minuteMs, count: 60 },
  '24h': { stepMs: minuteMs, count: dayMs / minuteMs },
  '7d': { stepMs: quarterMs, count: weekMs / quarterMs },
}

export function samplesRoutes(store: Pick<SampleStore, 'read'>, now: () => number): Router {
  const router = Router()
  router.get('/', (request, response) => {
    const { series, range } = read(SamplesQuery, request.query)
    const { stepMs, count } = ranges[range]
    const from = (Math.floor(now() / stepMs) - count + 1) * stepMs
    const found = store.read([...new Set(series)], stepMs, from, count)
    const reply: SamplesReply = {
      from,
      stepMs,
      items: [...found].map(([name, values]) => ({
        name,
        values: Object.fromEntries(
          fieldsOf(name).map((field, at) => [field, values.map((moment) => short(moment[at]))]),
        ),
      })),
    }
    response.json(reply)
  })
  return router
}

/** No more digits than are known. */
const short = (value: number | undefined) => (value === undefined ? null : Number(value.toPrecision(5)))
