import { backupsAndRestore } from './backups-and-restore.ts'
import { diskHealth } from './disk-health.ts'
import { networkChange } from './network-change.ts'
import { nodeUpdates } from './node-updates.ts'
import { slowGuest } from './slow-guest.ts'
import { storageFull } from './storage-full.ts'

/** The skills that come with JARVIS: text of each SKILL.md, by name. */
export const shippedSkills: ReadonlyMap<string, string> = new Map([
  ['backups-and-restore', backupsAndRestore],
  ['disk-health', diskHealth],
  ['network-change', networkChange],
  ['node-updates', nodeUpdates],
  ['slow-guest', slowGuest],
  ['storage-full', storageFull],
])
