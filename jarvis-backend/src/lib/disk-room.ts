import { type StatsFs, statfsSync } from 'node:fs'

/** What is kept free for JARVIS itself: the database has to store decisions, also while others fill the disk. */
const reserve = { bytes: 512 * 1024 ** 2, files: 10_000 }
/** The same on a small disk. */
const share = 0.05

/** Whether the file system of a folder has room beyond what is kept free for the database: 512 MB and 10,000 files, or 5 % where that is less. */
export const hasRoom = (folder: string): boolean => leavesReserve(statfsSync(folder))

export function leavesReserve({ bavail, blocks, bsize, ffree, files }: Omit<StatsFs, 'type' | 'bfree'>): boolean {
  const isFree = bavail * bsize > Math.min(reserve.bytes, blocks * bsize * share)
  // Some file systems count no files.
  return isFree && (files === 0 || ffree > Math.min(reserve.files, files * share))
}

export const noRoomWords =
  'The disk of JARVIS’s data dir is almost full: what is left is kept for the database. Free some space, then ask again.'
