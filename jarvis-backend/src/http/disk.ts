import { statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from './status-parts.ts'

/** Returns the free and total space of the data dir's file system, and the size of the database, bytes; undefined if they cannot be read. */
export function diskOf(dataDir: string): Disk | undefined {
  try {
    const { bavail, blocks, bsize } = statfsSync(dataDir)
    const database = statSync(join(dataDir, 'jarvis.db'), { throwIfNoEntry: false })
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, databaseBytes: database?.size ?? 0 }
  } catch {
    return undefined
  }
}
