import { z } from 'zod'
import { Backup, Guest } from './cluster.ts'
import { RestoreProof } from './proof.ts'

/** Facts of one guest that the live state lacks. A part that could not be read is null, and `missing` says why. */
export const GuestReply = z.object({
  vmid: z.int(),
  /**
   * Configuration with the key names of Proxmox, without secrets. `pending`: values that apply after the guest's next stop; null: the key is
   * removed.
   */
  config: z
    .object({
      digest: z.string(),
      lock: z.string().optional(),
      values: z.record(z.string(), z.string()),
      pending: z.record(z.string(), z.string().nullable()),
    })
    .nullable(),
  /** Snapshots, oldest first. `parent`: the snapshot that the guest's present state is based on. */
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
  /** Newest first, at most 500. `total` counts all. `isPartial`: some storage could not be read, so there may be more. */
  backups: z.object({ items: z.array(Backup), total: z.int(), isPartial: z.boolean() }).nullable(),
  /**
   * Backups under this guest's VMID that are not, or may not be, backups of this guest. One line for each reason: how many, of which guest, until
   * when.
   */
  otherBackups: z.array(z.string()),
  /** The newest restore proof. Null: no restore was ever tried. Absent: not known. */
  proof: RestoreProof.nullable().optional(),
  /** Things that stop working elsewhere while this guest is away, in words. */
  leansOn: z.array(z.string()),
  /** Groups of guests in which the other members can replace this guest. */
  groups: z.array(
    z.object({ name: z.string(), others: z.array(Guest.pick({ vmid: true, name: true, status: true })) }),
  ),
  /** JARVIS itself runs on this guest. */
  isOwn: z.boolean(),
  /** Parts that could not be read, each with the reason and the name of the missing right. */
  missing: z.array(z.string()),
})
export type GuestReply = z.infer<typeof GuestReply>

/** The configuration that a snapshot would bring back. Keys as Proxmox names them; without secrets. */
export const SnapshotConfigReply = z.object({ name: z.string(), values: z.record(z.string(), z.string()) })
export type SnapshotConfigReply = z.infer<typeof SnapshotConfigReply>
