import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { ClassifyReply, WorkbenchReply } from 'protocol'
import { expect, onTestFinished } from 'vitest'
import { testWith } from '../../scripts/test-with.js'
import { folder, rootFolder } from './support/data-dir.ts'
import { program } from './support/program.ts'
import { jwtSecret, password, tokenFor } from './support/start-jarvis.ts'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Where Chromium may stand outside of /usr/bin. */
const chromiumHomes = ['/usr/lib/chromium', '/usr/lib/chromium-browser', '/usr/lib64/chromium-browser', '/opt/google']

/** The real server on this machine, where of the programs in /usr/bin and of Chromium only Node is left. */
async function onBareMachine(dataDir: string) {
  const port = await freePort()
  const bare = ['--dev-bind', '/', '/', '--tmpfs', '/usr/bin', '--ro-bind', process.execPath, process.execPath]
  const hidden = chromiumHomes.filter((path) => existsSync(path)).flatMap((path) => ['--tmpfs', path])
  const server = [process.execPath, ...program('main')]
  const child = spawn('/usr/bin/bwrap', [...bare, ...hidden, '--die-with-parent', '--', ...server], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      JARVIS_DATA_DIR: dataDir,
      JARVIS_PASSWORD: password,
      JWT_SECRET: jwtSecret,
      LOG_LEVEL: 'silent',
      JARVIS_EMBEDDINGS: 'none',
      HOST: '127.0.0.1',
      PORT: String(port),
    },
  })
  const ended = once(child, 'exit')
  let said = ''
  child.stderr.on('data', (piece: Buffer) => {
    said += piece.toString()
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const headers = { authorization: `Bearer ${tokenFor('operator')}`, 'content-type': 'application/json' }
  const ask = async <T>(path: string, body?: object) =>
    (await (
      await fetch(`http://127.0.0.1:${port}/api/${path}`, {
        headers,
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
    ).json()) as T
  const isUp = () =>
    child.exitCode !== null
      ? expect.fail(`It ended, saying: ${said}`)
      : ask('workbench').then(
          () => true,
          () => false,
        )
  await expect.poll(isUp, { timeout: 30_000 }).toBe(true)
  return ask
}

const calls: [tool: string, input: object, remedy: RegExp][] = [
  ['run_command', { command: 'ls' }, /apt install bubblewrap/],
  ['open_page', { url: 'https://example.org/' }, /apt install chromium/],
  ['read_git', { repo: 'lab/repo', what: 'status' }, /apt install git/],
  ['web_search', { query: 'jellyfin' }, /JARVIS_SEARCH_URL/],
  ['list_docker_containers', {}, /Install Docker/],
]

testWith('bubblewrap')(
  'without bubblewrap, Chromium, Git, Docker and a search the server starts, and says what to install',
  async () => {
    const [dataDir, root] = [folder(), rootFolder()]
    mkdirSync(join(root, 'repo/.git'), { recursive: true })
    writeFileSync(
      join(dataDir, 'policy.yaml'),
      `workbench: {exec: true, browser: true, git: true, docker: /run/nowhere.sock, web: {fetch: true}, roots: [{name: lab, path: ${root}}]}\n`,
    )
    const ask = await onBareMachine(dataDir)
    for (const [tool, input, remedy] of calls) {
      const verdict = await ask<ClassifyReply>(`tools/${tool}/classify`, { input })
      expect(verdict, tool).toMatchObject({ tier: 'black', reason: expect.stringMatching(remedy) as string })
    }
    const { areas } = await ask<WorkbenchReply>('workbench')
    const said = Object.fromEntries(
      areas.map(({ name, missing }) => [name, missing.map(({ remedy }) => remedy).join(' ')]),
    )
    expect(said).toMatchObject({
      files: '',
      exec: expect.stringMatching(/apt install bubblewrap/),
      browser: expect.stringMatching(/chromium/),
      git: expect.stringMatching(/apt install git/),
      web: expect.stringMatching(/JARVIS_SEARCH_URL/),
      docker: expect.stringMatching(/Install Docker/),
    })
    expect(await ask<ClassifyReply>('tools/read_file/classify', { input: { path: 'lab' } })).toMatchObject({
      tier: 'green',
    })
  },
)
