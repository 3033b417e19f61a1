import { type StatsFs, statfsSync } from 'node:fs'

/** Room that stays free for JARVIS itself: the database has to store decisions while others fill the disk. */
const reserve = { bytes: 512 * 1024 ** 2, files: 10_000 }
/** The same on a small disk. */
const share = 0.05

/** Tests if the file system of a folder has more room than the reserve of the database: 512 MB and 10,000 files, or 5 % if that is less. */
export const hasRoom = (folder: string): boolean => leavesReserve(statfsSync(folder))

/**
 * Room that a command needs besides the reserve, bytes. A command can write more than 100 MB to a fast disk between two measurements, so it is ended
 * before it reaches the reserve.
 */
const ofCommand = { toBegin: 256 * 1024 ** 2, toGoOn: 128 * 1024 ** 2 }
/** Tests if a folder's file system has room for a command to begin or to go on, besides the reserve of the database. */
export const hasRoomFor = (folder: string, command: keyof typeof ofCommand): boolean =>
  leavesReserve(statfsSync(folder), ofCommand[command])

/** @param more bytes that are to be free besides the reserve */
export function leavesReserve(
  { bavail, blocks, bsize, ffree, files }: Omit<StatsFs, 'type' | 'bfree'>,
  more = 0,
): boolean {
  const isFree = bavail * bsize > more + Math.min(reserve.bytes, blocks * bsize * share)
  // Some file systems count no files.
  return isFree && (files === 0 || ffree > Math.min(reserve.files, files * share))
}

export const noRoomWords =
  'The disk of JARVIS’s data dir is almost full: what is left is kept for the database. Free some space, then ask again.'

export const noRoomForCommandWords =
  'The disk of JARVIS’s data dir has too little room for a command: it needs 256 MB beside what is kept for the database. Free some space, or give the data dir a larger disk, then ask again.'
