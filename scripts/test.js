import { spawnSync } from 'node:child_process'
import { buildMissing } from './build.js'

await buildMissing()
const { status } = spawnSync('npx', ['vitest', 'run', ...process.argv.slice(2)], { stdio: 'inherit' })
process.exit(status ?? 1)
