import { type StatsFs, statfsSync } from 'node:fs'

/**
 * Room on the disk that stays free for JARVIS itself, because the database must store decisions when other data fills the disk. `files`: free
 * inodes.
 */
const reserve = { bytes: 512 * 1024 ** 2, files: 10_000 }
/** The reserve on a small disk: a share of its size, 0..1. */
const share = 0.05

/** Tests if the file system of a folder has more room than the reserve of the database: 512 MB and 10,000 files, or 5 % if that is less. */
export const hasRoom = (folder: string): boolean => leavesReserve(statfsSync(folder))

/**
 * Room that a command needs in addition to the reserve, bytes. A command can write more than 100 MB to a fast disk between two measurements, so it
 * is ended before it reaches the reserve.
 */
const ofCommand = { toBegin: 256 * 1024 ** 2, toGoOn: 128 * 1024 ** 2 }
/** True if a folder’s file system has room for a command to begin or to continue, in addition to the database’s reserve. */
export const hasRoomFor = (folder: string, command: keyof typeof ofCommand): boolean =>
  leavesReserve(statfsSync(folder), ofCommand[command])

/** True if the free room is larger than the reserve. @param more bytes that must be free in addition to the reserve */
export function leavesReserve(
  { bavail, blocks, bsize, ffree, files }: Omit<StatsFs, 'type' | 'bfree'>,
  more = 0,
): boolean {
  const isFree = bavail * bsize > more + Math.min(reserve.bytes, blocks * bsize * share)
  // Some file systems do not count files and report 0.
  return isFree && (files === 0 || ffree > Math.min(reserve.files, files * share))
}

export const noRoomWords =
  'The disk of JARVIS’s data dir is almost full: what is left is kept for the database. Free some space, then ask again.'

export const noRoomForCommandWords =
  'The disk of JARVIS’s data dir has too little room for a command: it needs 256 MB beside what is kept for the database. Free some space, or give the data dir a larger disk, then ask again.'
