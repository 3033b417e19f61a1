import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const config = fileURLToPath(new URL('leaks/vitest.config.ts', import.meta.url))
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))

test('a file that leaves something behind for the next one fails, and no other', async () => {
  const args = [vitest, 'run', '--config', config, '--reporter=json']
  const printed = await new Promise<string>((done) => execFile(process.execPath, args, (_, stdout) => done(stdout)))
  const { testResults } = JSON.parse(printed) as { testResults: { name: string; status: string }[] }
  const status = testResults.map(({ name, status }) => [name.split('/').at(-1), status])
  expect(Object.fromEntries(status)).toEqual({
    'environment.leak.ts': 'failed',
    'listener.leak.ts': 'failed',
    'nothing.leak.ts': 'passed',
    'port.leak.ts': 'failed',
  })
})
