import {
  type AlertObject,
  type ClusterPart,
  type ClusterState,
  SampleSeries,
  type Severity,
  sampleFields,
} from 'protocol'
import { storageSeries } from 'protocol/facts'
import { plainName } from '../homelab/format.ts'
import type { Check, Measure } from './check.ts'
import { guestObject, nodeObject, over, seen, siteObject, storageObject, under } from './measure.ts'

/** A check that looks at a recorded series. `sample`: the series' name and field. Set either `above` or `below`. */
export type OwnSample = {
  sample: string
  above?: number | undefined
  below?: number | undefined
  clears?: number | undefined
}

/** The reason why a series and a field cannot be used; undefined if both exist. */
export function sampleProblem(sample: string): string | undefined {
  const [series = '', field = ''] = sample.split(' ')
  const [kind = ''] = series.split('/')
  const fields = (sampleFields as Record<string, readonly string[]>)[kind]
  if (fields === undefined || (!series.endsWith('/*') && !SampleSeries.safeParse(series).success))
    return `must name one of ${Object.keys(sampleFields).join(', ')}, as in guest/104 or guest/*`
  return fields.includes(field) ? undefined : `has no field ${field}; ${kind} has ${fields.join(', ')}`
}

export function lookAtSample(
  title: string,
  severity: Severity,
  own: OwnSample,
): Pick<Check, 'reads' | 'limit' | 'pace' | 'from' | 'look'> {
  const { above, below, clears = above ?? below ?? 0 } = own
  const [series = '', field = ''] = own.sample.split(' ')
  const limit = above ?? below ?? 0
  return {
    reads: `samples of ${own.sample}`,
    limit: () => `${above === undefined ? 'Below' : 'Above'} ${limit}, clears at ${clears}.`,
    pace: 'state',
    from: partOf[series.split('/')[0] ?? ''] ?? [],
    look({ state, samples }) {
      const measures = objectsOf(series, state).map(({ name, object }): Measure => {
        const value = samples(name, field, 2).findLast((one) => one !== undefined)
        const chart = { series: name, field, limit, clears }
        const who = plainName(object.name ?? 'The cluster')
        if (value === undefined)
          return { object, level: 'unseen', words: 'unknown', sentence: `${title}: ${who} has no value now.`, chart }
        const worse =
          above === undefined
            ? under(value, { look: limit, clear: clears })
            : over(value, { look: limit, clear: clears })
        const words = String(Math.round(value * 1000) / 1000)
        return {
          object,
          level: worse === 'look' ? severity : worse,
          words,
          value,
          sentence: `${title}: ${who} is at ${words}.`,
          chart,
          ...(above === undefined && { isLowBad: true as const }),
        }
      })
      return seen(measures)
    },
  }
}

/** The lists of the state that a kind of series depends on. */
const partOf: Readonly<Record<string, readonly ClusterPart[]>> = {
  node: ['nodes'],
  guest: ['guests'],
  storage: ['storages'],
}

/** The series that a name selects, each with its object. */
function objectsOf(series: string, state: ClusterState): { name: string; object: AlertObject }[] {
  if (series === 'cluster') return [{ name: series, object: siteObject }]
  const all = [
    ...state.nodes.map(({ name }) => ({ name: `node/${name}`, object: nodeObject(name) })),
    ...state.guests.map((guest) => ({ name: `guest/${guest.vmid}`, object: guestObject(guest) })),
    ...state.storages.map((storage) => ({ name: storageSeries(storage), object: storageObject(storage) })),
  ]
  return all.filter(({ name }) => name === series || (series.endsWith('/*') && name.startsWith(series.slice(0, -1))))
}
