import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SkipsReporter } from '../../scripts/skips-reporter.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))

test('without a browser its tests are skipped by name and counted, and in CI the run fails', () => {
  const run = spawnSync(process.execPath, [vitest, 'run', 'jarvis-frontend/test/trusted.test.ts'], {
    cwd: root,
    env: { ...process.env, CI: 'true', CHROMIUM_PATH: '/nonexistent', NO_COLOR: '1' },
    encoding: 'utf8',
  })
  expect(run.stdout).toContain(
    'skipped: diagrams look under Trusted Types as they do without, and no other text becomes markup or a script [needs Chromium]',
  )
  expect(run.stdout).toMatch(/^ 1 skipped without Chromium. To run them: apt-get install chromium/m)
  expect(run.status).toBe(1)
})

test('outside of CI the run does not fail for them', () => {
  const { CI: ci } = process.env
  const code = process.exitCode
  const said = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => {
    said.mockRestore()
    process.exitCode = code
    if (ci !== undefined) process.env.CI = ci
  })
  delete process.env.CI
  const tests = [{ name: 'a page [needs Chromium]' }]
  new SkipsReporter().onTestRunEnd([{ children: { allTests: () => tests.values() } }])
  expect(said.mock.calls.flat().join()).toContain('1 skipped without Chromium')
  expect(process.exitCode).toBe(code)
})
