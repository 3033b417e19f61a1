import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { buildMissing } from './build.js'

await buildMissing()
const inMemory = folderInMemory()
// Vitest hears the interrupt itself; this process waits for it, and cleans up.
process.on('SIGINT', () => {})
const env = inMemory === undefined ? process.env : { ...process.env, TMPDIR: inMemory }
const { status } = spawnSync('npx', ['vitest', 'run', ...process.argv.slice(2)], { stdio: 'inherit', env })
if (inMemory !== undefined) rmSync(inMemory, { recursive: true, force: true })
process.exit(status ?? 1)

/**
 * A folder for temporary files that no disk has to write. Tests commit many thousand times, and two files of tests wait for each other's commits.
 * A file there outlives a killed process as one on a disk does. Undefined where `TMPDIR` is set, or less than 4 GB are free.
 */
function folderInMemory() {
  if (process.env.TMPDIR !== undefined) return undefined
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize < 4e9 ? undefined : mkdtempSync('/dev/shm/jarvis-tests-')
  } catch {
    return undefined
  }
}
