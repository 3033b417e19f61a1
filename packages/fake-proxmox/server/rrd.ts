import { Refusal } from '../src/pve-model/refusal.ts'
import type { World } from './world.ts'

/**
 * Returns rows of recorded values: one a minute; for a day before version 9 every half hour, for a month every half day. Each row is the mean of the
 * interval before its time. The last interval is not over, so its row has only a time. One row in the middle was missed.
 */
export function rrdRows(
  world: World,
  timeframe: string | undefined,
  figures: (at: number) => Record<string, unknown>,
): Record<string, unknown>[] {
  if (timeframe !== 'hour' && timeframe !== 'day' && timeframe !== 'month') {
    throw new Refusal(400, 'Parameter verification failed.', {
      timeframe: 'property is missing and it is not optional',
    })
  }
  const stepS = timeframe === 'month' ? 43_200 : timeframe === 'day' && world.options.isOld ? 1_800 : 60
  const count = timeframe !== 'day' ? 60 : stepS === 60 ? 1_440 : 70
  const last = (Math.floor(world.now() / 1000 / stepS) + 1) * stepS
  return Array.from({ length: count }, (_, at) => {
    const time = last - (count - 1 - at) * stepS
    if (at === count - 1 || at === 20) return { time }
    return { time, ...figures(time * 1000) }
  })
}
