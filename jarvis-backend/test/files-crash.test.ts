import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { atOnce } from 'node-kit/steps'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyChanges } from '../src/workbench/files/apply.ts'
import { createContentStore } from '../src/workbench/files/content-store.ts'
import { type Entry, type FileChange, none, reversed } from '../src/workbench/files/entry.ts'
import { lookAt } from '../src/workbench/files/look.ts'
import type { RootAt } from '../src/workbench/files/walk.ts'
import { applyFiles } from './crash/apply-files.ts'
import { killedProgram } from './support/killed-programs.ts'

let program = ''
const home = mkdtempSync(join(tmpdir(), 'files-crash-'))
beforeAll(async () => {
  program = await killedProgram('file-changer')
})
afterAll(() => rmSync(home, { recursive: true, force: true }))
const plain = { seal: (_: string, text: string) => text, open: (_: string, text: string) => text }

/** A folder with a file that is edited, one that goes and one that comes, and the changes. */
function lab() {
  const dir = mkdtempSync(join(home, 'root-'))
  const data = mkdtempSync(join(home, 'data-'))
  const store = createContentStore(join(data, 'kept'), plain)
  const file = (text: string): Entry => ({ kind: 'file', hash: store.keep(Buffer.from(text)) ?? '', mode: 0o644 })
  writeFileSync(join(dir, 'a'), 'old a'.repeat(10_000), { mode: 0o644 })
  writeFileSync(join(dir, 'b'), 'old b', { mode: 0o644 })
  const changes: FileChange[] = [
    { root: 'r', path: 'a', old: file('old a'.repeat(10_000)), new: file('new a'.repeat(10_000)) },
    { root: 'r', path: 'b', old: file('old b'), new: none },
    { root: 'r', path: 'sub', old: none, new: { kind: 'folder', mode: 0o755 } },
    { root: 'r', path: 'sub/c', old: none, new: file('new c') },
  ]
  return { dir, data, store, changes }
}
const stateOf = (dir: string) =>
  ['a', 'b', 'sub/c']
    .map((path) => (existsSync(join(dir, path)) ? readFileSync(join(dir, path), 'utf8') : ''))
    .map((text) => text.slice(0, 5) + text.length)
const before = ['old a50000', 'old b5', '0']
const after = ['new a50000', '0', 'new c5']
const steps = {
  applied: ['removed b', 'wrote a', 'put a', 'put sub', 'wrote sub/c', 'put sub/c'],
  'taken back': ['removed sub/c', 'removed sub', 'wrote b', 'put b', 'wrote a', 'put a'],
}

type How = keyof typeof steps
/** Changes that are to be applied, or taken back, and the states on both ends. */
function given(how: How) {
  const { dir, data, store, changes } = lab()
  if (how === 'taken back')
    atOnce(applyChanges(changes, { rootOf: () => ({ name: 'r', path: dir, write: true, own: [] }), read: store.read }))
  const [from, to] = how === 'applied' ? [before, after] : [after, before]
  return { from, to, work: { dir, data, changes: how === 'applied' ? changes : reversed(changes) } }
}
type Work = ReturnType<typeof given>['work']

/** After a kill each file is old or new, and the next start makes all new. */
async function finishes(work: Work, from: string[], to: string[], dieAt: string) {
  for (const [at, state] of stateOf(work.dir).entries())
    expect([from[at], to[at]], `${dieAt}: ${state}`).toContain(state)
  expect(await applyFiles({ ...work, finishes: true }, () => {}), dieAt).toMatchObject({ outcome: 'done' })
  expect(stateOf(work.dir), dieAt).toEqual(to)
  expect(
    readdirSync(work.dir).filter((name) => name.includes('jarvis-new')),
    dieAt,
  ).toEqual([])
}

test.each(['applied', 'taken back'] as const)(
  'changes that are %s are old or new after a kill at any step, and the next start finishes',
  async (how) => {
    const { from, to, work } = given(how)
    const left = new Map<string, Work>()
    await applyFiles({ ...work, finishes: false }, (step) => {
      const copy = mkdtempSync(join(home, 'copy-'))
      const [dir, data] = [join(copy, 'root'), join(copy, 'data')]
      cpSync(work.dir, dir, { recursive: true })
      cpSync(work.data, data, { recursive: true, filter: (path) => !path.endsWith('-shm') })
      left.set(step, { ...work, dir, data })
    })
    expect([...left.keys()]).toEqual(expect.arrayContaining(steps[how]))
    for (const [dieAt, copy] of left) await finishes(copy, from, to, dieAt)
  },
)

test.each<[how: How, dieAt: string]>([
  ['applied', 'removed b'],
  ['applied', 'put a'],
  ['taken back', 'wrote b'],
])(
  'changes that are %s and killed with SIGKILL at "%s" are old or new, and the next start finishes',
  async (how, dieAt) => {
    const { from, to, work } = given(how)
    const told = JSON.stringify({ ...work, finishes: false, dieAt })
    const { signal, stderr } = spawnSync(process.execPath, [program, told], { encoding: 'utf8' })
    expect(signal, stderr).toBe('SIGKILL')
    await finishes(work, from, to, dieAt)
  },
)

test('10,000 swaps of a folder for a link lead no read and no write out of the root', async () => {
  const dir = mkdtempSync(join(home, 'swap-'))
  const outside = mkdtempSync(join(home, 'outside-'))
  const store = createContentStore(mkdtempSync(join(home, 'kept-')), plain)
  mkdirSync(join(dir, 'way'))
  writeFileSync(join(dir, 'way/file'), 'inside')
  writeFileSync(join(outside, 'file'), 'SECRET')
  symlinkSync(outside, join(dir, 'link'))
  const swapping = new Worker(
    `const { renameSync } = require('node:fs'); const { parentPort, workerData: dir } = require('node:worker_threads')
     for (let swaps = 0; swaps < 10000; swaps += 1) {
       renameSync(dir + '/way', dir + '/aside'); renameSync(dir + '/link', dir + '/way')
       renameSync(dir + '/way', dir + '/link'); renameSync(dir + '/aside', dir + '/way')
     }
     parentPort.postMessage('done')`,
    { eval: true, workerData: dir },
  )
  let isDone = false
  swapping.once('message', () => {
    isDone = true
  })
  const root: RootAt = { name: 'r', path: dir, write: true, own: [] }
  let [reads, refused, writes] = [0, 0, 0]
  while (!isDone) {
    for (let at = 0; at < 50; at += 1) {
      try {
        const looked = lookAt(root, 'way/file')
        if (looked.kind === 'file') {
          expect(looked.bytes?.toString()).toBe('inside')
          reads += 1
        }
        const hash = store.keep(Buffer.from(`made ${at % 5}`)) ?? ''
        const made: FileChange = {
          root: 'r',
          path: `way/new-${writes}`,
          old: none,
          new: { kind: 'file', hash, mode: 0o644 },
        }
        atOnce(applyChanges([made], { rootOf: () => root, read: store.read }))
        writes += 1
      } catch {
        refused += 1
      }
    }
    await new Promise(setImmediate)
  }
  expect(readdirSync(outside)).toEqual(['file'])
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('SECRET')
  expect(statSync(join(outside, 'file')).size).toBe(6)
  expect(reads + writes).toBeGreaterThan(0)
  expect(refused).toBeGreaterThan(0)
})
