import { mkdtempSync, rmSync, statfsSync } from 'node:fs'

/**
 * A folder for temporary files that no disk has to write. Tests commit many thousand times, and two files of tests wait for each other's commits.
 * A file there outlives a killed process as one on a disk does. Undefined where `TMPDIR` is set, or less than 4 GB are free.
 */
export function folderInMemory() {
  if (process.env.TMPDIR !== undefined) return undefined
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize < 4e9) return undefined
    const path = mkdtempSync('/dev/shm/jarvis-tests-')
    return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
  } catch {
    return undefined
  }
}
