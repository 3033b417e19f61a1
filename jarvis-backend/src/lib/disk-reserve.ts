import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasRoom } from './disk-room.ts'

const reserveBytes = 4 * 1024 ** 2

export type DiskReserve = {
  /** Makes the file if there is none and the disk has room. Never throws. */
  hold(): void
  /** Frees the room of the file for the database. Never throws. @returns whether there was some */
  release(): boolean
}

/** A file that keeps room for decisions, their journal and their results on a disk that others fill. */
export function createDiskReserve(dataDir: string, hasRoomFor: (folder: string) => boolean = hasRoom): DiskReserve {
  const path = join(dataDir, 'disk-reserve')
  return {
    hold(): void {
      try {
        // A file system that compresses would keep no room for zeros.
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
