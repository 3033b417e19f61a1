import { z } from 'zod'

export const SampleRange = z.enum(['1h', '24h', '7d'])
export type SampleRange = z.infer<typeof SampleRange>

/** `cluster`, `node/NAME`, `guest/VMID`, `storage/NAME` where it is shared, else `storage/NODE/NAME`. */
export const SampleSeries = z
  .string()
  .regex(/^(cluster|node\/[^/,]{1,100}|guest\/\d{1,9}|storage\/([^/,]{1,100}\/)?[^/,]{1,100})$/, 'must name a series')

/** `series`: up to 64 of them, with commas between. */
export const SamplesQuery = z.strictObject({
  series: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(SampleSeries).min(1).max(64)),
  range: SampleRange.default('1h'),
})

/** Ratios 0..1, bytes a second, degrees Celsius. A node's `netBps` is what its guests move. */
export const sampleFields = {
  cluster: ['cpuRatio', 'ramRatio', 'storageRatio', 'netBps'],
  node: ['cpuRatio', 'ramRatio', 'load1', 'temperatureC', 'netBps'],
  guest: ['cpuRatio', 'ramRatio', 'diskRatio', 'netBps'],
  storage: ['usedRatio'],
} as const
export type SampleKind = keyof typeof sampleFields
export type SampleField = (typeof sampleFields)[SampleKind][number]

/**
 * What was seen at `from`, `from + stepMs`, …; null where nothing was. A series never seen is left out.
 * `from`: Unix ms.
 */
export type SamplesReply = {
  from: number
  stepMs: number
  items: { name: string; values: Partial<Record<SampleField, (number | null)[]>> }[]
}
