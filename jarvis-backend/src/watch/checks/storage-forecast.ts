import { percent } from 'node-kit/words'
import { isUnlooked } from 'protocol/facts'
import { z } from 'zod'
import { plainName } from '../../homelab/format.ts'
import { figure, rowsOf } from '../../homelab/pve/answers.ts'
import type { Check, Measure } from '../check.ts'
import { fromNodes, storageObject, under } from '../measure.ts'

const dayMs = 86_400_000
const days = { look: 14, failed: 3, clear: 21 }
/** Minimum number of points for a line. */
const leastPoints = 7

const Row = z.object({ time: figure, used: figure, total: figure })

/**
 * Days until a line through the points reaches `total`; undefined if there are too few points, null if the line does not rise. @param points `at` in
 * days
 */
export function fullIn(points: readonly { at: number; used: number }[], total: number): number | null | undefined {
  if (points.length < leastPoints || total <= 0) return undefined
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [meanAt, meanUsed] = [mean(points.map(({ at }) => at)), mean(points.map(({ used }) => used))]
  const spread = points.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0)
  const slope = points.reduce((sum, { at, used }) => sum + (at - meanAt) * (used - meanUsed), 0) / spread
  // A rise of less than a thousandth of the total in a month is noise.
  if (!(slope > total / 30_000)) return null
  const last = points.at(-1)
  return last === undefined ? undefined : Math.max(0, (total - last.used) / slope)
}

/** A storage that will soon be full, according to a line through its use in the last month. */
export const storageForecast: Check = {
  id: 'storage-forecast',
  title: 'Storage full soon',
  reads: 'GET /nodes/{node}/storage/{storage}/rrddata, timeframe month',
  limit: () => `Full in ${days.look} d by its last month, failed at ${days.failed} d.`,
  pace: 'sweep',
  from: ['nodes', 'storages'],
  forMs: 0,
  async look(ports) {
    const { state, api, limits, now, signal } = ports
    const storages = state.storages.filter((storage) => storage.isActive === true && !isUnlooked(storage, limits))
    const shared = storages.filter(({ node }) => node === undefined)
    const isFirst = new Set<string>()
    const { items, unread } = await fromNodes(ports, async ({ name: node }) => {
      const own = storages.filter((storage) => storage.node === node)
      // The values of one node are enough for a shared storage.
      const first = shared.filter(({ name }) => !isFirst.has(name) && isFirst.add(name))
      const found = []
      for (const storage of [...own, ...first]) {
        const path = ['nodes', node, 'storage', storage.name, 'rrddata']
        const { rows } = rowsOf(Row, await api.get(path, { timeframe: 'month', cf: 'AVERAGE' }, { signal }))
        found.push({ storage, rows })
      }
      return found
    })
    const measures = items.flatMap(({ storage, rows }): Measure[] => {
      const points = rows.flatMap(({ time, used }) =>
        time === undefined || used === undefined ? [] : [{ at: (time * 1000 - now) / dayMs, used }],
      )
      const { usedBytes, totalBytes } = storage
      const left = fullIn(points, totalBytes ?? rows.at(-1)?.total ?? 0)
      const object = storageObject(storage)
      const who = `Storage ${plainName(storage.name)}`
      if (left === undefined)
        return [
          { object, level: 'unseen', words: 'unknown', sentence: `${who}: too few figures to say when it is full.` },
        ]
      const fill =
        typeof usedBytes === 'number' && typeof totalBytes === 'number'
          ? `, ${percent(usedBytes / totalBytes)} now`
          : ''
      if (left === null)
        return [{ object, level: 'clear', words: `does not fill${fill}`, sentence: `${who} does not fill.` }]
      const words = `in about ${Math.round(left)} d${fill}`
      return [
        {
          object,
          level: under(left, days),
          words,
          value: left,
          isLowBad: true,
          sentence: `${who} is full ${words}.`,
          inputs: { storage: storage.name },
        },
      ]
    })
    return { measures, unread }
  },
}
