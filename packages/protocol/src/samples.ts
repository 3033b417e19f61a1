import { z } from 'zod'

export const SampleRange = z.enum(['1h', '24h', '7d'])
export type SampleRange = z.infer<typeof SampleRange>

/** A series' name: `cluster`, `node/NAME`, `guest/VMID`, `storage/NAME` if shared, else `storage/NODE/NAME`. */
export const SampleSeries = z
  .string()
  .regex(/^(cluster|node\/[^/,]{1,100}|guest\/\d{1,9}|storage\/([^/,]{1,100}\/)?[^/,]{1,100})$/, 'must name a series')

/** `series`: up to 64 names, separated by commas. */
export const SamplesQuery = z.strictObject({
  series: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(SampleSeries).min(1).max(64)),
  range: SampleRange.default('1h'),
})

/** Ratios 0..1, bytes per second, degrees Celsius. A node's `netBps` is the traffic of its guests; a guest's `diskBps` is what it reads and writes. */
export const sampleFields = {
  cluster: ['cpuRatio', 'ramRatio', 'storageRatio', 'netBps'],
  node: ['cpuRatio', 'ramRatio', 'load1', 'temperatureC', 'netBps'],
  guest: ['cpuRatio', 'ramRatio', 'diskRatio', 'netBps', 'diskBps'],
  storage: ['usedRatio'],
} as const
export type SampleKind = keyof typeof sampleFields
export type SampleField = (typeof sampleFields)[SampleKind][number]

/** Values at `from` (Unix ms), `from + stepMs`, …; null where there is none. Unknown series are left out. */
export const SamplesReply = z.object({
  from: z.number(),
  stepMs: z.number(),
  items: z.array(
    z.object({
      name: z.string(),
      values: z.partialRecord(z.enum(Object.values(sampleFields).flat()), z.array(z.number().nullable())),
    }),
  ),
})
export type SamplesReply = z.infer<typeof SamplesReply>
