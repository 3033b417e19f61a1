import { spawnSync } from 'node:child_process'
import { buildMissing } from './build.js'
import { folderInMemory } from './memory-folder.js'

await buildMissing()
const dir = folderInMemory()
// Vitest hears the interrupt itself; this process waits for it, and cleans up.
process.on('SIGINT', () => {})
const env = dir === undefined ? process.env : { ...process.env, TMPDIR: dir.path }
const { status } = spawnSync('npx', ['vitest', 'run', ...process.argv.slice(2)], { stdio: 'inherit', env })
dir?.remove()
process.exit(status ?? 1)
