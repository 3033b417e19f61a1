import { z } from 'zod'

const pair = (least: number, most: number) =>
  z
    .tuple([z.number().min(least).max(most), z.number().min(least).max(most)])
    .refine(([warn, bad]) => warn <= bad, 'must name the lower one first')

/** From where on a figure needs a look, and from where on it is bad. Ratios 0..1. */
export const Limits = z.strictObject({
  storageRatio: pair(0.01, 1),
  /** Of a node's memory. */
  ramRatio: pair(0.01, 1),
  temperatureC: pair(1, 150),
  /** Since the newest backup of a guest. */
  backupHours: pair(1, 8_760),
  /** Of a node or guest, for that long without a break. */
  cpuRatio: z.number().min(0.01).max(1),
  cpuMinutes: z.int().min(1).max(1_440),
})
export type Limits = z.infer<typeof Limits>
