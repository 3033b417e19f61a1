import { z } from 'zod'
import { Backup, Guest } from './cluster.ts'
import { RestoreProof } from './proof.ts'

/** Facts of one guest beside its live state. A part that could not be read is null, and `missing` says why. */
export const GuestReply = z.object({
  vmid: z.int(),
  /** Keys as Proxmox names them, without secrets. `pending`: from its next stop on; null: the key goes. */
  config: z
    .object({
      digest: z.string(),
      lock: z.string().optional(),
      values: z.record(z.string(), z.string()),
      pending: z.record(z.string(), z.string().nullable()),
    })
    .nullable(),
  /** Oldest first. `parent`: the one that the guest goes on from. */
  snapshots: z
    .object({
      items: z.array(
        z.object({
          name: z.string(),
          takenAt: z.int().optional(),
          hasRam: z.boolean(),
          description: z.string(),
        }),
      ),
      parent: z.string().optional(),
    })
    .nullable(),
  /** Newest first, at most 500; `total` counts all. */
  /** `isPartial`: some storage could not be read, so there may be more. */
  backups: z.object({ items: z.array(Backup), total: z.int(), isPartial: z.boolean() }).nullable(),
  /** Backups under its number that are not its own, or may not be, a line for each reason: how many, whose, until when. */
  otherBackups: z.array(z.string()),
  /** Null: none was ever tried. Absent: not known. */
  proof: RestoreProof.nullable().optional(),
  /** Things that others lose while the guest is away, in words. */
  leansOn: z.array(z.string()),
  /** Groups whose members stand in for it. */
  groups: z.array(
    z.object({ name: z.string(), others: z.array(Guest.pick({ vmid: true, name: true, status: true })) }),
  ),
  /** JARVIS itself runs on it. */
  isOwn: z.boolean(),
  /** Parts that could not be read, each with the reason and the name of the right that is missing. */
  missing: z.array(z.string()),
})
export type GuestReply = z.infer<typeof GuestReply>

/** The configuration that a snapshot would bring back. Keys as Proxmox names them; without secrets. */
export const SnapshotConfigReply = z.object({ name: z.string(), values: z.record(z.string(), z.string()) })
export type SnapshotConfigReply = z.infer<typeof SnapshotConfigReply>
