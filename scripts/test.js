import { spawnSync } from 'node:child_process'
import { buildMissing } from './build.js'
import { findChromium } from './chromium.js'
import { findSshd } from './sshd.js'

// The browser tests drive the built dashboard in a real browser; without one they would say nothing.
if (findChromium() === undefined) {
  console.error('No Chromium found. Install it (Debian: apt-get install chromium), or set CHROMIUM_PATH.')
  process.exit(1)
}
// Commands are judged by what a real SSH server makes of them.
if (findSshd() === undefined) {
  console.error('No SSH server found. Install it (Debian: apt-get install openssh-server), or set SSHD_PATH.')
  process.exit(1)
}
await buildMissing()
const { status } = spawnSync('npx', ['vitest', 'run', ...process.argv.slice(2)], { stdio: 'inherit' })
process.exit(status ?? 1)
