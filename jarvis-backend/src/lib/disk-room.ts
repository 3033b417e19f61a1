import { type StatsFs, statfsSync } from 'node:fs'

/** What is kept free for JARVIS itself: the database has to store decisions, also while others fill the disk. */
const reserve = { bytes: 512 * 1024 ** 2, files: 10_000 }
/** The same on a small disk. */
const share = 0.05

/** Whether the file system of a folder has room beyond what is kept free for the database: 512 MB and 10,000 files, or 5 % where that is less. */
export const hasRoom = (folder: string): boolean => leavesReserve(statfsSync(folder))

/** What a command needs beside that, bytes. It writes more than 100 MB to a fast disk between two looks at the room, so it is ended before it reaches what is kept. */
const ofCommand = { toBegin: 256 * 1024 ** 2, toGoOn: 128 * 1024 ** 2 }
/** Whether a folder's file system has room for a command that begins or goes on, besides what is kept free for the database. */
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
