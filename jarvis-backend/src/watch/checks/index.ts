import type { Check } from '../check.ts'
import { agentSilent } from './agent-silent.ts'
import { backupFailedCheck } from './backup-failed.ts'
import { backupNone } from './backup-none.ts'
import { backupOld } from './backup-old.ts'
import { backupVerify } from './backup-verify.ts'
import { bridgeDown } from './bridge-down.ts'
import { certificate } from './certificate.ts'
import { clusterAway } from './cluster-away.ts'
import { corosyncLink } from './corosync-link.ts'
import { diskSmart } from './disk-smart.ts'
import { diskWear } from './disk-wear.ts'
import { guestCpu } from './guest-cpu.ts'
import { guestDisk } from './guest-disk.ts'
import { guestMemory } from './guest-memory.ts'
import { guestStoppedCheck } from './guest-stopped.ts'
import { guestUncovered } from './guest-uncovered.ts'
import { haStateCheck } from './ha-state.ts'
import { kernelReboot } from './kernel-reboot.ts'
import { memoryPressure } from './memory-pressure.ts'
import { nodeAway } from './node-away.ts'
import { nodeClock } from './node-clock.ts'
import { nodeHeat } from './node-heat.ts'
import { nodeMemory } from './node-memory.ts'
import { nodeRootDisk } from './node-root-disk.ts'
import { outOfMemory } from './out-of-memory.ts'
import { pbsJob } from './pbs-job.ts'
import { qdeviceCheck } from './qdevice.ts'
import { quorum } from './quorum.ts'
import { replication } from './replication.ts'
import { repositories } from './repositories.ts'
import { restoreUnproven } from './restore-unproven.ts'
import { snapshotForgotten } from './snapshot-forgotten.ts'
import { staleLock } from './stale-lock.ts'
import { storageAway } from './storage-away.ts'
import { storageForecast } from './storage-forecast.ts'
import { storageFull } from './storage-full.ts'
import { taskFailed } from './task-failed.ts'
import { thinPool } from './thin-pool.ts'
import { securityUpdates, updates } from './updates.ts'
import { upsCheck } from './ups.ts'
import { vmDisk } from './vm-disk.ts'
import { vmIoError } from './vm-io-error.ts'
import { zfsPool } from './zfs-pool.ts'
import { zfsScrub } from './zfs-scrub.ts'

/** The shipped checks, all on by default. */
export const makeChecks = (): readonly Check[] => [
  clusterAway,
  quorum,
  nodeAway,
  storageAway,
  storageFull,
  vmIoError,
  backupOld,
  backupNone,
  nodeHeat,
  nodeMemory,
  guestCpu,
  guestDisk,
  guestStoppedCheck(),
  staleLock,
  taskFailed,
  upsCheck(),
  zfsPool,
  diskSmart,
  thinPool,
  bridgeDown,
  qdeviceCheck(),
  haStateCheck(),
  replication,
  outOfMemory,
  backupFailedCheck(),
  backupVerify,
  pbsJob,
  guestUncovered,
  storageForecast,
  nodeRootDisk,
  certificate,
  nodeClock,
  corosyncLink,
  agentSilent,
  vmDisk,
  memoryPressure,
  guestMemory,
  diskWear,
  zfsScrub,
  snapshotForgotten,
  restoreUnproven,
  securityUpdates,
  repositories,
  kernelReboot,
  updates,
]
