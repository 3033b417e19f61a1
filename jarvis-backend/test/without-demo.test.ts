import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { bundle, scenery } from '../../scripts/build.js'

const backend = fileURLToPath(new URL('../', import.meta.url))
const cluster = {
  PVE_URL: 'https://127.0.0.1:1',
  PVE_TOKEN_ID: 'jarvis@pve!jarvis',
  PVE_TOKEN_SECRET: '00000000-1111-2222-3333-444444444444',
}
let built = ''

beforeAll(async () => {
  built = mkdtempSync(join(backend, '.staged-'))
  await bundle({ main: join(backend, 'src/main.ts'), cli: join(backend, 'src/cli/main.ts') }, built, scenery)
  // Bundling takes three seconds of CPU time.
}, 60_000)
afterAll(() => rmSync(built, { recursive: true, force: true }))

/** Starts the server of that build. Its output is kept in `said`. */
function start(env: Record<string, string>) {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-without-demo-'))
  const child = spawn(process.execPath, [join(built, 'main.js')], {
    cwd: dataDir,
    env: { PATH: process.env.PATH, JARVIS_DATA_DIR: join(dataDir, 'data'), PORT: '0', LOG_LEVEL: 'silent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      said.text += String(data)
    })
  onTestFinished(() => {
    child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  })
  return { child, said, closed: once(child, 'close') }
}

test('a build without the demo holds no file of its packages', () => {
  const maps = readdirSync(built).filter((name) => name.endsWith('.map'))
  const sources = maps.flatMap((name) => {
    const { sources } = JSON.parse(readFileSync(join(built, name), 'utf8')) as { sources: string[] }
    return sources.map((path) => /(?:^|\/)packages\/([^/]+)\//.exec(path)?.[1] ?? '')
  })
  expect(sources).toContain('homelab-ports')
  expect(sources.filter((name) => scenery.includes(name))).toEqual([])
})

test('such a build says why it cannot start as a demo', async () => {
  const { closed, said } = start({})
  expect(await closed).toEqual([1, null])
  expect(said.text).toBe(
    'No cluster is connected, and the demo is not part of this build. Set PVE_URL, PVE_TOKEN_ID and PVE_TOKEN_SECRET, or install a build with the demo.\n',
  )
})

test('such a build serves a cluster, here one that does not answer', async () => {
  const { child, closed, said } = start(cluster)
  await expect.poll(() => said.text).toMatch(/Cluster: https:\/\/127\.0\.0\.1:1\./)
  child.kill('SIGTERM')
  expect(await closed).toEqual([0, null])
})
