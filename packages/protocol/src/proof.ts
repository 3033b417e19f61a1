import { z } from 'zod'
import { GuestIdentity } from './cluster.ts'

/** The Proxmox pool of the copies that restore drills make. */
export const drillPool = 'jarvis-drill'

/**
 * The result of a restore drill of a guest's backup. `level`: 1 the backup is fresh, 2 verified, 3 its configuration can be read, 4 restored, 5
 * booted, 6 an app answers. Times are Unix ms.
 */
export const RestoreProof = z.object({
  /** Id of the drill. */
  id: z.string(),
  vmid: z.int(),
  type: z.enum(['vm', 'ct']),
  name: z.string(),
  level: z.int().min(1).max(6),
  /** `failed`: a restore of the backup was tried, and the guest did not start or did not answer. */
  verdict: z.enum(['proven', 'failed']),
  at: z.int(),
  archive: z.string(),
  archiveAt: z.int(),
  restoreMs: z.int().optional(),
  /** Time from the start until the guest answered, ms. */
  bootMs: z.int().optional(),
  /** The operating system that answered. */
  system: z.string().optional(),
  notProven: z.array(z.string()),
  problem: z.string().optional(),
  /** The guest whose backup was restored; absent in proofs of older releases. */
  identity: GuestIdentity.pick({ id: true }).optional(),
  /** Why the backup may be of another guest than the one that has the VMID now. */
  doubt: z.string().optional(),
})
export type RestoreProof = z.infer<typeof RestoreProof>

/** A drill that has not ended. Its copy may exist. */
export const OpenDrill = z.object({
  id: z.string(),
  vmid: z.int(),
  copy: z.int(),
  node: z.string(),
  step: z.string(),
  at: z.int(),
  problem: z.string().optional(),
})
export type OpenDrill = z.infer<typeof OpenDrill>

/** Reply of `GET /api/proofs`: each guest's newest proof, newest first. */
export const ProofsReply = z.object({ items: z.array(RestoreProof), open: OpenDrill.nullable() })
export type ProofsReply = z.infer<typeof ProofsReply>
