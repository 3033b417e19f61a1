import { statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from './status-parts.ts'

/** Room where the data dir is, and what the database takes of it; undefined where it cannot be read. */
export function diskOf(dataDir: string): Disk | undefined {
  try {
    const { bavail, blocks, bsize } = statfsSync(dataDir)
    const database = statSync(join(dataDir, 'jarvis.db'), { throwIfNoEntry: false })
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, databaseBytes: database?.size ?? 0 }
  } catch {
    return undefined
  }
}
