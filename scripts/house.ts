import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RoomRecord } from 'house'
import { systemClock } from 'node-kit/clock'
import { StepUp } from '../jarvis-backend/src/auth/step-up.ts'
import { readConfig } from '../jarvis-backend/src/config/config.ts'
import { loadDemo } from '../jarvis-backend/src/homelab/demo.ts'
import { createSteadyClock } from '../jarvis-backend/src/lib/steady-clock.ts'
import { createSite } from '../jarvis-backend/src/site.ts'
import { version } from '../jarvis-backend/src/version.ts'

// Opens the demo's site in an empty data dir, prints its rooms in the order of opening, and closes it.
const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-house-'))
const clock = createSteadyClock(systemClock)
const site = createSite(
  readConfig({ JARVIS_DATA_DIR: dataDir, LOG_LEVEL: 'silent' }),
  { version, clock, stepUp: new StepUp(() => clock.now()) },
  { demo: await loadDemo() },
)
try {
  for (const room of site.house.rooms()) process.stdout.write(`${linesOf(room).join('\n')}\n`)
} finally {
  await site.goDown()
  await site.stop()
  await site.close()
  rmSync(dataDir, { recursive: true, force: true })
}

function linesOf({ name, given, tells, hears, contributes }: RoomRecord): string[] {
  const row = (title: string, words: readonly string[]) =>
    words.length === 0 ? [] : [`  ${title.padEnd(9)}${words.join(', ')}`]
  return [
    name,
    ...row(
      'given',
      given.map(({ need, from }) => (from === undefined ? need : `${need} (${from})`)),
    ),
    ...row('tells', tells),
    ...row('hears', hears),
    ...Object.entries(contributes).flatMap(([kind, names]) => row(kind, [String(names.length)])),
  ]
}
