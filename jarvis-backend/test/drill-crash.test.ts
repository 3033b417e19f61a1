import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FakeProxmox, startFakeProxmox } from 'fake-proxmox/server'
import { scaledClock } from 'fake-proxmox/server/scaled-clock'
import { drillPool } from 'protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProxmox } from '../src/homelab/connect.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { drillsOver, ids } from './drill/drills-over.ts'
import type { Dying } from './drill/dying.ts'
import { dyingDrill } from './drill/dying-drill.ts'
import { killedProgram } from './support/killed-programs.ts'
import { connectionTo } from './support/start-proxmox.ts'

const speed = 50
const anchor = Date.now()
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
let dir: string
let program: string
let fake: FakeProxmox
let cluster: ReturnType<typeof createProxmox>
const clock = scaledClock(anchor, speed)

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'jarvis-drill-'))
  program = await killedProgram('dying')
  fake = await startFakeProxmox({ anchor, speed, denyDelayMs: 10, proxyDelayMs: 10 })
  cluster = createProxmox({
    connection: connectionTo(fake),
    clock,
    protectedTargets: new Set<string>(),
    shell: { run: () => Promise.reject(new Error('no shell')) },
  })
})
afterAll(async () => {
  cluster.close()
  await fake.stop()
  rmSync(dir, { recursive: true, force: true })
})

const calm = () => ({ signal: new AbortController().signal })
const exists = (vmid: number) =>
  cluster.api.get(['cluster', 'nextid'], { vmid: String(vmid) }, calm()).then(
    () => false,
    () => true,
  )
const copies = async () => {
  const all = Array.from({ length: ids.last - ids.first + 1 }, (_, n) => ids.first + n)
  const there = await Promise.all(all.map(exists))
  return all.filter((_, n) => there[n])
}

let lives = 0
const newPath = () => {
  lives += 1
  return join(dir, `${lives}.db`)
}

/** Drills in a process of its own until it is killed. @returns the database that it leaves */
async function killedAt(dieAt: string): Promise<string> {
  const database = newPath()
  const told: Dying = { path: database, connection: connectionTo(fake), anchor, speed, vmid: 100, dieAt }
  const child = spawn(process.execPath, [program, JSON.stringify(told)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    cwd: path('..'),
  })
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  expect(signal, dieAt).toBe('SIGKILL')
  return database
}

/** Drills in this process until a point, after which it does nothing more. @returns a copy of the database as it was there */
async function stoppedAt(dieAt: string): Promise<string> {
  const [whole, left] = [newPath(), newPath()]
  const database = openDatabase(whole)
  let isDead = false
  const died = new Promise<void>((resolve, reject) => {
    const reach = (point: string) => {
      if (!isDead && point !== dieAt) return
      if (!isDead) for (const end of ['', '-wal']) copyFileSync(whole + end, left + end)
      isDead = true
      resolve()
      if (point.endsWith('not committed')) throw new Error('This life is over.')
      return new Promise<void>(() => {})
    }
    const ended = () => {
      if (!isDead) reject(new Error(`The drill never reached "${dieAt}".`))
    }
    dyingDrill({ api: cluster.api, cluster }, { database, clock, vmid: 100 }, reach).then(ended, ended)
  })
  await died
  database.close()
  return left
}

/** The next start on that database. */
function nextLife(database: string) {
  const life = drillsOver({ api: cluster.api, cluster }, openDatabase(database), { clock })
  life.drills.resume()
  return life
}

const points = [
  ...['claimed, not committed', 'before the restore', 'after the restore', 'checking, not committed'],
  ...['starting, not committed', 'before the start', 'after the start', 'asking, not committed', 'before the ping'],
  ...['cleaning, not committed', 'before the stop', 'after the stop', 'before the destroy', 'after the destroy'],
  'ended, not committed',
]

test.each([
  ...points.map((point) => ['stopped', point, stoppedAt] as const),
  ...['claimed, not committed', 'after the restore', 'before the destroy'].map(
    (point) => ['killed with SIGKILL', point, killedAt] as const,
  ),
])('%s %s, the next start leaves no copy and says so', async (_how, point, endedAt) => {
  const { store, said, journal } = nextLife(await endedAt(point))
  await expect.poll(() => store.open()).toBeUndefined()
  expect(await copies()).toEqual([])
  if (point === 'claimed, not committed') return expect(said).toEqual([])
  expect(said[0]).toContain('cut off by a restart')
  expect(journal).toMatchObject([{ change: 'cleaned_up', copyIs: 'removed' }])
})

test.each([
  ['an empty description', {}],
  ['the drill’s pool', { pool: drillPool }],
])('an id that was freed and given to another guest with %s is not touched', async (_of, more) => {
  const database = await stoppedAt('after the restore')
  const file = openDatabase(database)
  const drill = drillsOver({ api: cluster.api, cluster }, file).store.open()
  file.close()
  if (drill === undefined) throw new Error('no drill was left')
  const { node, copy } = drill
  const guest = ['nodes', node, 'qemu', copy]
  const gone = async () => !(await exists(copy))
  // Somebody removes the copy once it is restored, and makes a guest of that id.
  await expect
    .poll(() => cluster.api.change({ method: 'DELETE', path: guest, form: {} }, calm()).then(gone, gone))
    .toBe(true)
  const form = { vmid: String(copy), name: 'precious', memory: '512', ...more }
  await cluster.api.change({ method: 'POST', path: ['nodes', node, 'qemu'], form }, calm())
  const name = async () => ((await cluster.api.get([...guest, 'config'], {}, calm())) as { name?: string }).name
  await expect.poll(name).toBe('precious')

  const { store, said } = nextLife(database)
  await expect.poll(() => store.open()).toBeUndefined()
  expect(await name()).toBe('precious')
  expect(said.join()).toContain('was not touched')
  await cluster.api.change({ method: 'DELETE', path: guest, form: {} }, calm())
  await expect.poll(gone).toBe(true)
})
