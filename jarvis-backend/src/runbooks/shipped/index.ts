import { backupFailed } from './backup-failed.ts'
import { certificate } from './certificate.ts'
import { diskFailing } from './disk-failing.ts'
import { guestBusy } from './guest-busy.ts'
import { guestUnresponsive } from './guest-unresponsive.ts'
import { nodeHot } from './node-hot.ts'
import { quorum } from './quorum.ts'
import { replication } from './replication.ts'
import { restoreDrill } from './restore-drill.ts'
import { snapshotForgotten } from './snapshot-forgotten.ts'
import { storageFilling } from './storage-filling.ts'
import { updateNode } from './update-node.ts'
import { upsShutdown } from './ups-shutdown.ts'
import { zfsDegraded } from './zfs-degraded.ts'

/** The runbooks that come with JARVIS, by name. */
export const shippedRunbooks: ReadonlyMap<string, string> = new Map([
  ['backup-failed', backupFailed],
  ['certificate', certificate],
  ['disk-failing', diskFailing],
  ['guest-busy', guestBusy],
  ['guest-unresponsive', guestUnresponsive],
  ['node-hot', nodeHot],
  ['quorum', quorum],
  ['replication', replication],
  ['restore-drill', restoreDrill],
  ['snapshot-forgotten', snapshotForgotten],
  ['storage-filling', storageFilling],
  ['update-node', updateNode],
  ['ups-shutdown', upsShutdown],
  ['zfs-degraded', zfsDegraded],
])
