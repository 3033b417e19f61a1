import { spawnSync } from 'node:child_process'
import { buildMissing } from './build.js'
import { findChromium } from './chromium.js'

// The browser tests drive the built dashboard in a real browser; without one they would say nothing.
if (findChromium() === undefined) {
  console.error('No Chromium found. Install it (Debian: apt-get install chromium), or set CHROMIUM_PATH.')
  process.exit(1)
}
await buildMissing()
const { status } = spawnSync('npx', ['vitest', 'run', ...process.argv.slice(2)], { stdio: 'inherit' })
process.exit(status ?? 1)
