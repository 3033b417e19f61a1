import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasRoom } from './disk-room.ts'

const reserveBytes = 4 * 1024 ** 2

/** A file that keeps room for decisions, their journal and their results on a disk that others fill. */
export function createDiskReserve(dataDir: string, hasRoomFor: (folder: string) => boolean = hasRoom) {
  const path = join(dataDir, 'disk-reserve')
  return {
    /** Makes the file where there is none and the disk has room. Never throws. */
    hold(): void {
      try {
        // A file system that compresses would keep no room for zeros.
        if (!existsSync(path) && hasRoomFor(dataDir)) writeFileSync(path, randomBytes(reserveBytes), { mode: 0o600 })
      } catch {
        rmSync(path, { force: true })
      }
    },
    /** Frees its room for the database. Never throws. @returns whether there was some */
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
