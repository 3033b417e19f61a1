import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))

test.each([
  { ci: 'false', status: 0 },
  { ci: 'true', status: 1 },
])(
  'without a browser its tests are skipped by name and counted; with CI=$ci the run ends with $status',
  (row) => {
    const env = { ...process.env, CI: row.ci, CHROMIUM_PATH: '/nonexistent', NO_COLOR: '1' }
    const file = 'jarvis-frontend/test/trusted.test.ts'
    const run = spawnSync(process.execPath, [vitest, 'run', file], {
      cwd: root,
      env,
      encoding: 'utf8',
    })
    expect(run.stdout).toContain(
      'skipped: diagrams of all kinds look under Trusted Types as they do without, and no other text becomes markup or a script [needs Chromium]',
    )
    expect(run.stdout).toMatch(/^ 1 skipped without Chromium. To run them: apt-get install chromium/m)
    expect(run.status).toBe(row.status)
  },
  120_000,
)
