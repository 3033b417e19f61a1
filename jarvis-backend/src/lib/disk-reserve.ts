import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasRoom } from './disk-room.ts'

const reserveBytes = 4 * 1024 ** 2

export type DiskReserve = {
  /** Creates the file if it does not exist and the disk has room. Never throws. */
  hold(): void
  /** Deletes the file, so that the database can use its room. Never throws. @returns false if there was no file */
  release(): boolean
}

/** Manages a file that reserves room for decisions, their journal and their results, in case other data fills the disk. */
export function createDiskReserve(dataDir: string, hasRoomFor: (folder: string) => boolean = hasRoom): DiskReserve {
  const path = join(dataDir, 'disk-reserve')
  return {
    hold(): void {
      try {
        // Random bytes, because a file system that compresses would reserve no room for zeros.
        if (!existsSync(path) && hasRoomFor(dataDir)) writeFileSync(path, randomBytes(reserveBytes), { mode: 0o600 })
      } catch {
        rmSync(path, { force: true })
      }
    },
    release(): boolean {
      try {
        rmSync(path)
        return true
      } catch {
        return false
      }
    },
  }
}
