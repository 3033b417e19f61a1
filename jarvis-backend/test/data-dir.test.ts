import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import type { Database } from '../src/store/sqlite/database.ts'
import { lockDataDir } from '../src/store/sqlite/lock.ts'
import { jarvisHere } from './support/command-here.ts'
import { folder, openJournal, run } from './support/data-dir.ts'
import { says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

test('one server at a time uses a data dir, until that server ends in any way', async () => {
  const dir = folder()
  const first = run(dir, 'main')
  await first.says('JARVIS')
  const second = await run(dir, 'main').ended
  expect(second).toEqual({
    code: 1,
    output: `Another JARVIS runs on ${dir}. Stop it first, or set JARVIS_DATA_DIR to another folder.`,
  })
  expect(() => lockDataDir(dir)).toThrow(/Another JARVIS/)
  expect((await jarvisHere(dir, 'mcp-token', 'create', 'beside')).code).toBe(0)

  first.child.kill('SIGKILL')
  await first.ended
  lockDataDir(dir)()
  expect(existsSync(join(dir, 'lock.db-journal'))).toBe(false)
})

test('a lock counts within one process too, and is given back', () => {
  const dir = folder()
  const unlock = lockDataDir(dir)
  expect(() => lockDataDir(dir)).toThrow(/Another JARVIS/)
  lockDataDir(folder())()
  unlock()
  lockDataDir(dir)()
})

test('a lock waits for who only looks whether the data dir is locked', async () => {
  const dir = folder()
  lockDataDir(dir)()
  // As `jarvis secrets status`, caught in the instant of its read and held there for some milliseconds.
  const looking = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
     const sql = new (require(workerData.sqlite))(workerData.path, { readonly: true })
     sql.exec('BEGIN')
     sql.prepare('SELECT 1 FROM sqlite_schema').get()
     parentPort.postMessage('reads')
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30)
     sql.close()`,
    {
      eval: true,
      workerData: { path: join(dir, 'lock.db'), sqlite: createRequire(import.meta.url).resolve('better-sqlite3') },
    },
  )
  const ended = once(looking, 'exit')
  await once(looking, 'message')
  lockDataDir(dir)()
  await ended
})

test('a full disk is reported on sockets and REST, loses nothing, and passes once there is room', async () => {
  let opened: Database | undefined
  const jarvisServer = await startJarvis({
    model: scripted(says('Kept.')),
    database: (database) => {
      opened = database
      return database
    },
  })
  const sql = opened?.sql
  const screen = await jarvisServer.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Before.' })
  await screen.next('chat:done')
  const limit = (pages: number) => sql?.pragma(`max_page_count = ${pages}`)
  const count = () =>
    sql?.prepare('SELECT (SELECT COUNT(*) FROM runs) AS runs, (SELECT COUNT(*) FROM entries) AS entries').get()
  const before = count()

  limit(1)
  const full = {
    code: 'storage_failed',
    message: 'The disk is full: nothing was changed. Free some space and try again.',
  }
  expect(await screen.request('chat:send', { sessionId, message: 'x'.repeat(60_000) })).toEqual({
    ok: false,
    error: full,
  })
  const statuses = new Set<number>()
  let body: unknown
  for (let n = 0; n < 500 && !statuses.has(507); n += 1) {
    const response = await jarvisServer.rest('/api/sessions', { method: 'POST', json: { title: 'x'.repeat(200) } })
    statuses.add(response.status)
    body = await response.json()
  }
  expect(body).toEqual({ error: full })
  expect([...statuses]).toEqual([201, 507])
  expect(count()).toEqual(before)

  limit(1_000_000)
  expect(await screen.request('chat:send', { sessionId, message: '/get_vms' })).toMatchObject({ ok: true })
  await screen.next('chat:done')
  expect(await (await jarvisServer.rest('/api/journal/verify')).json()).toEqual({ ok: true, entries: 1 })
})

test('tokens made and revoked at the command line are in the journal', async () => {
  const dir = folder()
  const here = (...args: string[]) => jarvisHere(dir, ...args)
  expect((await here('mcp-token', 'create', 'laptop', '--read-only')).output).toMatch(/^jarvis_\w{38}$/m)
  expect((await here('mcp-token', 'revoke', 'laptop')).code).toBe(0)
  expect((await here('token', 'revoke', 'laptop')).code).toBe(1)
  expect((await here('token', 'create', 'webui', '--door', 'v1,door')).output).toContain('--door v1,api')
  expect((await here('token', 'create', 'webui', '--door', 'v1', '--scope', 'decide')).code).toBe(2)
  expect((await here('token', 'create', 'webui', '--door', 'api', '--scope', 'read,ask')).code).toBe(2)
  expect((await here('token', 'create', 'webui', '--door', 'v1', '--scope', 'memory:read')).output).toContain(
    'door api',
  )
  const made = await here('token', 'create', 'webui', '--door', 'v1,api', '--scope', 'ask', '--expires', '30d')
  const [secret = ''] = /^jarvis_\w{38}$/m.exec(made.output) ?? []
  const { output } = await here('token', 'list')
  expect(output).toMatch(
    new RegExp(`^webui …${secret.slice(-4)}  doors v1, api  read and ask  calls 0  expires 2`, 'm'),
  )
  expect(output).not.toContain(secret.slice(0, -4))
  const { journal, close } = openJournal(dir)
  expect((await journal.page({ limit: 10 })).items).toMatchObject([
    { body: { change: 'created', name: 'webui', doors: ['v1', 'api'], scope: 'ask', by: 'cli' } },
    { kind: 'token', body: { change: 'revoked', name: 'laptop', by: 'cli' } },
    { kind: 'token', body: { change: 'created', name: 'laptop', doors: ['mcp'], scope: 'read', by: 'cli' } },
  ])
  expect(await journal.verify()).toEqual({ ok: true, entries: 3 })
  await close()
})

const modesIn = (dir: string): Record<string, string> =>
  Object.fromEntries(
    ['.', ...(readdirSync(dir, { recursive: true }) as string[])].map((name) => [
      name,
      (statSync(join(dir, name)).mode & 0o777).toString(8),
    ]),
  )

test('nobody else can read a data dir that was made by hand, nor anything that is put into it', async () => {
  const dir = folder()
  const outside = join(folder(), 'shared.md')
  writeFileSync(outside, 'for all', { mode: 0o644 })
  chmodSync(dir, 0o755)
  mkdirSync(join(dir, 'journal'), { mode: 0o755 })
  for (const name of ['settings.env', 'mcp.json', 'policy.yaml', 'journal/head.json']) {
    writeFileSync(join(dir, name), name === 'mcp.json' ? '{}' : '', { mode: 0o644 })
    chmodSync(join(dir, name), 0o644)
  }
  symlinkSync(outside, join(dir, 'link.md'))
  rmSync(join(dir, 'journal', 'head.json'))

  const server = await startJarvis({ dataDir: dir, model: scripted(says('Hello.')), env: { JARVIS_PASSWORD: '' } })
  const screen = await server.connect()
  await screen.ask('chat:send', { message: 'Hello.' })
  await screen.next('chat:done')
  const { 'link.md': linked, ...modes } = modesIn(dir)
  for (const [name, mode] of Object.entries(modes)) {
    if (!name.startsWith('workspace/'))
      expect([name, mode]).toEqual([name, statSync(join(dir, name)).isDirectory() ? '700' : '600'])
  }
  expect(Object.keys(modes)).toEqual(expect.arrayContaining(['jarvis.db', 'jarvis.db-wal', 'jarvis.db-shm', 'lock.db']))
  expect(linked).toBe('644')
})
