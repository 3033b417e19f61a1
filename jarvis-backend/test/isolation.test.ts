import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { SkipsReporter } from '../../scripts/skips-reporter.js'
import project from '../../vitest.config.ts'

const config = fileURLToPath(new URL('leaks/vitest.config.ts', import.meta.url))
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))

let ran: { stdout: string; report: { testResults: { name: string; status: string }[] } }
beforeAll(async () => {
  const env = { ...process.env, CI: 'true', CHROMIUM_PATH: '/nonexistent', PATH: '/nonexistent', NO_COLOR: '1' }
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-leaks-'))
  const report = join(dir, 'report.json')
  const args = [vitest, 'run', '--config', config, `--outputFile=${report}`]
  const stdout = await new Promise<string>((done) =>
    execFile(process.execPath, args, { env }, (_, printed) => done(printed)),
  )
  ran = { stdout, report: JSON.parse(readFileSync(report, 'utf8')) as typeof ran.report }
  rmSync(dir, { recursive: true })
})

test('a file that leaves something behind for the next one fails, and no other', () => {
  const status = ran.report.testResults.map(({ name, status }) => [name.split('/').at(-1), status])
  expect(Object.fromEntries(status)).toEqual({
    'environment.leak.ts': 'failed',
    'listener.leak.ts': 'failed',
    'nothing.leak.ts': 'passed',
    'port.leak.ts': 'failed',
    'skipped.leak.ts': 'passed',
  })
})

test('without a browser its tests are skipped by name and counted, and in CI the run fails', () => {
  expect(ran.stdout).toContain(' skipped: a page [needs Chromium]')
  expect(ran.stdout).toMatch(/^ 1 skipped without Chromium. To run them: apt-get install chromium/m)
  expect(project.test?.reporters).toContainEqual(expect.any(SkipsReporter))
  expect(judged('true')).toBe(1)
})

test('outside of CI the run does not fail for them', () => {
  expect(judged(undefined)).toBe(undefined)
})

/** The exit code that a run with a skipped test ends with. */
function judged(ci: string | undefined) {
  const { CI: before } = process.env
  const code = process.exitCode
  const said = (['log', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}))
  onTestFinished(() => {
    for (const one of said) one.mockRestore()
  })
  if (ci === undefined) delete process.env.CI
  else process.env.CI = ci
  process.exitCode = undefined
  try {
    const tests = [{ name: 'a page [needs Chromium]' }]
    new SkipsReporter().onTestRunEnd([{ children: { allTests: () => tests.values() } }])
    return process.exitCode
  } finally {
    process.exitCode = code
    if (before === undefined) delete process.env.CI
    else process.env.CI = before
  }
}
