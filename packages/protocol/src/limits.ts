import { z } from 'zod'

const pair = (least: number, most: number) =>
  z
    .tuple([z.number().min(least).max(most), z.number().min(least).max(most)])
    .refine(([warn, bad]) => warn <= bad, 'must name the lower one first')

const names = z.array(z.string().trim().min(1).max(200)).max(50)

/** Limits that the checks use. A pair is [needs a look, bad]. Ratios 0..1. */
export const Limits = z.strictObject({
  storageRatio: pair(0.01, 1),
  /** Use of a node's memory. */
  ramRatio: pair(0.01, 1),
  temperatureC: pair(1, 150),
  /** Age of a guest's newest backup. */
  backupHours: pair(1, 8_760),
  /** CPU use of a node or guest that must last for `cpuMinutes` without a break. */
  cpuRatio: z.number().min(0.01).max(1),
  cpuMinutes: z.int().min(1).max(1_440),
  /** Storages, and file systems in guests, whose fill level is not checked, besides those that are full by design. */
  leaveOut: z
    .strictObject({
      /** Names of storages, and mount points: `/mnt/media`, `D:\\`. A name that ends with `*` stands for all names that begin with it. */
      names,
      /** Types as Proxmox and the guest agent name them: `nfs`, `cifs`, `ntfs`. */
      types: names,
      /** Storages and file systems below this size, bytes. */
      belowBytes: z.int().min(0).max(1e15).optional(),
    })
    .optional(),
})
export type Limits = z.infer<typeof Limits>
