import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { leadsOut } from 'node-kit/leads-out'
import { atOnce } from 'node-kit/steps'
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../store/sqlite/database.ts'
import { SqliteApplyJournal } from '../../store/sqlite/file-changes.ts'
import { addFile } from './add-file.ts'
import { createApplier } from './applier.ts'
import { type ApplyParts, applyChanges, entryAt } from './apply.ts'
import { type ContentStore, createContentStore } from './content-store.ts'
import { type Entry, type FileChange, none, reversed } from './entry.ts'
import { hashOf, type RootAt } from './walk.ts'

const home = mkdtempSync(join(tmpdir(), 'apply-'))
afterAll(() => rmSync(home, { recursive: true }))
const going = new AbortController().signal
const open = { seal: (_: string, text: string) => text, open: (_: string, text: string) => text }

/** A root with a file, a folder, a link and a script, and the changes of each kind. */
type Lab = {
  dir: string
  root: RootAt
  store: ContentStore
  file(text: string, mode?: number): Entry
  changes: FileChange[]
  parts: ApplyParts
}
function lab(): Lab {
  const dir = mkdtempSync(join(home, 'root-'))
  const store = createContentStore(mkdtempSync(join(home, 'kept-')), open)
  writeFileSync(join(dir, 'a.yml'), 'image: one\r\n', { mode: 0o640 })
  writeFileSync(join(dir, 'gone.txt'), 'gone')
  mkdirSync(join(dir, 'old/deep'), { recursive: true, mode: 0o755 })
  writeFileSync(join(dir, 'old/deep/x'), 'x')
  symlinkSync('a.yml', join(dir, 'link'))
  writeFileSync(join(dir, 'run.sh'), '#!/bin/sh\n', { mode: 0o644 })
  const root: RootAt = { name: 'r', path: dir, write: true, own: [] }
  const file = (text: string, mode = 0o644): Entry => {
    const bytes = Buffer.from(text)
    return { kind: 'file', hash: store.keep(bytes) ?? '', mode }
  }
  const change = (path: string, made: Entry): FileChange => {
    const old = entryAt(root, path)
    if (old.kind === 'file') store.keep(readFileSync(join(dir, path)))
    return { root: 'r', path, old, new: made }
  }
  const changes = [
    change('a.yml', file('image: two\r\n', 0o640)),
    change('gone.txt', none),
    change('old', none),
    change('old/deep', none),
    change('old/deep/x', none),
    change('new', { kind: 'folder', mode: 0o750 }),
    change('new/b.bin', file('\u0000\u0001')),
    change('link', { kind: 'link', to: 'run.sh' }),
    change('run.sh', file('#!/bin/sh\n', 0o755)),
  ]
  const parts: ApplyParts = { rootOf: () => root, read: store.read }
  return { dir, root, store, file, changes, parts }
}

const state = (dir: string): string =>
  execFileSync('find', ['.', '-mindepth', '1', '-printf', '%p %y %m %l\n'], { cwd: dir, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')
    .sort()
    .map((line) =>
      line.includes(' f ') ? `${line}${hashOf(readFileSync(join(dir, line.split(' ')[0] ?? '')))}` : line,
    )
    .join('\n')

test('a list of changes is made, made again without effect, and taken back to the byte', () => {
  const { dir, changes, parts } = lab()
  const before = state(dir)
  expect(atOnce(applyChanges(changes, parts))).toEqual({ done: 9, already: 0 })
  const after = state(dir)
  expect(readFileSync(join(dir, 'a.yml'), 'utf8')).toBe('image: two\r\n')
  expect(statSync(join(dir, 'a.yml')).mode & 0o777).toBe(0o640)
  expect(readlinkSync(join(dir, 'link'))).toBe('run.sh')
  expect(readdirSync(dir).sort()).toEqual(['a.yml', 'link', 'new', 'run.sh'])
  expect(atOnce(applyChanges(changes, parts))).toEqual({ done: 0, already: 9 })
  expect(state(dir)).toBe(after)
  atOnce(applyChanges(reversed(changes), parts))
  expect(state(dir)).toBe(before)
})

test.each<[string, (made: Lab) => void, RegExp]>([
  ['a file that moved', ({ dir }) => writeFileSync(join(dir, 'a.yml'), 'mine'), /r\/a.yml was changed meanwhile/],
  ['a mode that moved', ({ dir }) => chmodSync(join(dir, 'a.yml'), 0o600), /r\/a.yml was changed meanwhile/],
  ['a file that came', ({ dir }) => writeFileSync(join(dir, 'new'), 'mine'), /r\/new was changed meanwhile/],
  ['a folder that holds more', ({ dir }) => writeFileSync(join(dir, 'old/keep'), ''), /r\/old holds something/],
  ['a file with two names', ({ dir }) => linkSync(join(dir, 'a.yml'), join(dir, 'other')), /has other names/],
  ['a root that is only read', ({ root }) => Object.assign(root, { write: false }), /is only read/],
  ['JARVIS’s own file', ({ root, dir }) => Object.assign(root, { own: [join(dir, 'run.sh')] }), /JARVIS’s own/],
  ['bytes that are gone', ({ parts }) => Object.assign(parts, { read: () => undefined }), /is not kept any more/],
])('%s stops the changes before the first', (_, harm, message) => {
  const made = lab()
  harm(made)
  const before = state(made.dir)
  expect(() => atOnce(applyChanges(made.changes, made.parts))).toThrow(message)
  expect(state(made.dir)).toBe(before)
})

test('no link on the way is followed, and what a link hides is not read', () => {
  const { dir, root, file, parts } = lab()
  const outside = mkdtempSync(join(home, 'outside-'))
  writeFileSync(join(outside, 'secret'), 'secret')
  symlinkSync(outside, join(dir, 'way'))
  symlinkSync(join(outside, 'secret'), join(dir, 'leaf'))
  expect(() => entryAt(root, 'way/secret')).toThrow(/is a link or no folder/)
  expect(entryAt(root, 'leaf')).toEqual({ kind: 'link', to: join(outside, 'secret') })
  const into: FileChange = { root: 'r', path: 'way/new', old: none, new: file('x') }
  expect(() => atOnce(applyChanges([into], parts))).toThrow(/is a link or no folder/)
  const over: FileChange = {
    root: 'r',
    path: 'leaf',
    old: { kind: 'link', to: join(outside, 'secret') },
    new: file('x'),
  }
  atOnce(applyChanges([over], parts))
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret')
  expect(() => entryAt(root, '../x')).toThrow(/goes up/)
})

const elsewhere = ['/etc', '..', '../..', '.././../x', 'sub/../../x', 'a/..', './a/./../b', '../b/../../c']
test.each(elsewhere)('a link to %s is not made, because it may lead out of the root', (to) => {
  const { dir, parts } = lab()
  const before = state(dir)
  const change: FileChange = { root: 'r', path: 'out', old: none, new: { kind: 'link', to } }
  expect(() => atOnce(applyChanges([change], parts))).toThrow(/r\/out would be a link that may lead out/)
  expect(state(dir)).toBe(before)
})

test.each([
  ['a', 'b', false],
  ['a', './b/c', false],
  ['d/a', '../b', false],
  ['d/e/a', '../..', false],
  ['d/e/a', '../../..', true],
  ['d/e/a', '../../up/..', true],
  ['a', '.', false],
])('from %s a link to %s leads out: %s', (path, to, isOut) => {
  expect(leadsOut(path, to)).toBe(isOut)
})

test('a link out that is taken away is not made again', () => {
  const { dir, root, parts } = lab()
  symlinkSync('../..', join(dir, 'out'))
  const gone: FileChange = { root: 'r', path: 'out', old: entryAt(root, 'out'), new: none }
  expect(atOnce(applyChanges([gone], parts)).done).toBe(1)
  expect(() => atOnce(applyChanges(reversed([gone]), parts))).toThrow(/may lead out/)
})

test('a new file goes under the first free name, over no link and through none', () => {
  const { dir, root } = lab()
  const outside = mkdtempSync(join(home, 'outside-'))
  const bytes = Buffer.from('x')
  expect(addFile(root, { folder: 'in/deep', names: ['a', 'a-2'] }, bytes)).toBe('a')
  symlinkSync(join(outside, 'made'), join(dir, 'in/deep/b'))
  expect(addFile(root, { folder: 'in/deep', names: ['b', 'a', 'a-2'] }, bytes)).toBe('a-2')
  expect(() => addFile(root, { folder: 'in/deep', names: ['a', 'b'] }, bytes)).toThrow(/no free name/)
  symlinkSync(outside, join(dir, 'way'))
  expect(() => addFile(root, { folder: 'way', names: ['a'] }, bytes)).toThrow(/is a link or no folder/)
  expect(() => addFile(root, { folder: 'way/deep', names: ['a'] }, bytes)).toThrow(/is a link or no folder/)
  expect(readdirSync(outside)).toEqual([])
})

test('a file that came while its bytes were written is kept, and the list is taken back', async () => {
  const { dir, changes, parts, store } = lab()
  const before = state(dir)
  const journal = new SqliteApplyJournal(openDatabase(':memory:'), () => 0)
  const reached = (step: string) => {
    if (step === 'wrote new/b.bin') writeFileSync(join(dir, 'new/b.bin'), 'theirs')
  }
  const applier = createApplier({
    journal,
    partsOf: () => ({ ...parts, read: store.read, reached }),
    report: () => {},
    hasRoom: () => true,
  })
  await expect(applier.apply('tu_1', changes, going)).rejects.toThrow(/Some of the files were changed/)
  expect(readFileSync(join(dir, 'new/b.bin'), 'utf8')).toBe('theirs')
  expect(applier.outcomeOf('tu_1')?.outcome).toBe('unknown')
  expect(state(dir)).not.toBe(before)
})

test('a process that ends at any step leaves each file old or new, and the next one finishes', () => {
  const steps: string[] = []
  const first = lab()
  atOnce(applyChanges(first.changes, { ...first.parts, reached: (step) => void steps.push(step) }))
  expect(steps.length).toBe(12)
  for (const dies of steps) {
    const { dir, changes, parts } = lab()
    const journal = new SqliteApplyJournal(openDatabase(':memory:'), () => 0)
    const ends = {
      ...parts,
      reached: (step: string) => {
        if (step === dies) throw new Error('killed')
      },
    }
    const olds = new Map(changes.map(({ path, old }) => [path, old]))
    journal.begin('tu_1', changes)
    expect(() => atOnce(applyChanges(changes, ends)), dies).toThrow('killed')
    for (const { path, old, new: made } of changes) {
      const now = entryAt(parts.rootOf('r'), path)
      expect([olds.get(path), made, ...(old.kind === made.kind ? [] : [none])], `${dies}: ${path}`).toContainEqual(now)
    }
    const next = createApplier({ journal, partsOf: () => parts, report: () => {}, hasRoom: () => true })
    next.finish()
    expect(next.outcomeOf('tu_1'), dies).toEqual({ outcome: 'done', text: '9 files were changed.' })
    expect(atOnce(applyChanges(changes, parts)).done).toBe(0)
    expect(readdirSync(dir).filter((name) => name.includes('jarvis-new'))).toEqual([])
  }
})

test('the store forgets what was kept longest ago, and nothing that is needed', () => {
  const dir = mkdtempSync(join(home, 'small-'))
  const small = createContentStore(dir, open, { bytes: 100, inAll: 200 })
  expect(small.keep(Buffer.alloc(101))).toBeUndefined()
  const hashes = ['a', 'b', 'c', 'd'].map((letter) => small.keep(Buffer.from(letter.repeat(60))) ?? '')
  small.prune(new Set([hashes[0] ?? '']))
  expect(hashes.filter((hash) => small.read(hash) !== undefined)).toHaveLength(2)
  expect(small.read(hashes[0] ?? '')?.toString()).toBe('a'.repeat(60))
  writeFileSync(join(dir, hashes[0] ?? ''), Buffer.from('other').toString('base64'))
  expect(small.read(hashes[0] ?? '')).toBeUndefined()
  expect(small.read('../x')).toBeUndefined()
})

test('other work goes on while a list is applied, and a second list waits for the first', async () => {
  const { dir, changes, parts } = lab()
  const before = state(dir)
  let turns = 0
  let isDone = false
  const turning = () => {
    turns += 1
    if (!isDone) setImmediate(turning)
  }
  const applier = createApplier({
    journal: new SqliteApplyJournal(openDatabase(':memory:'), () => 0),
    partsOf: () => parts,
    report: () => {},
    hasRoom: () => true,
  })
  turning()
  // The second change can only be made after the first, which creates the file that the second replaces.
  const both = [applier.apply('tu_1', changes, going), applier.apply('tu_2', reversed(changes), going)]
  expect(await Promise.all(both)).toEqual([
    { done: 9, already: 0 },
    { done: 9, already: 0 },
  ])
  isDone = true
  // Stopped while it waits, a list is not begun.
  const stopped = new AbortController()
  const third = applier.apply('tu_3', changes, stopped.signal)
  stopped.abort()
  await expect(third).rejects.toThrow()
  await applier.idle()
  expect(applier.outcomeOf('tu_3')).toBeUndefined()
  expect(state(dir)).toBe(before)
  expect(turns).toBeGreaterThan(2 * changes.length)
})

test('where the disk is almost full nothing is begun', async () => {
  const journal = new SqliteApplyJournal(openDatabase(':memory:'), () => 0)
  const applier = createApplier({
    journal,
    partsOf: () => {
      throw new Error('nothing is applied')
    },
    report: () => {},
    hasRoom: () => false,
  })
  await expect(applier.apply('tu_1', [], going)).rejects.toThrow(/almost full/)
  expect(applier.outcomeOf('tu_1')).toBeUndefined()
})

test('a disk that fills in the middle of a list takes all of it back, and its words say what to do', async () => {
  const { dir, changes, parts } = lab()
  const before = state(dir)
  const applier = createApplier({
    journal: new SqliteApplyJournal(openDatabase(':memory:'), () => 0),
    partsOf: () => ({
      ...parts,
      reached(step) {
        if (step === 'wrote new/b.bin')
          throw Object.assign(new Error("ENOSPC: no space left on device, write '/proc/self/fd/9/x'"), {
            code: 'ENOSPC',
          })
      },
    }),
    report: () => {},
    hasRoom: () => true,
  })
  await expect(applier.apply('tu_1', changes, going)).rejects.toMatchObject({
    code: 'storage_failed',
    message: 'Nothing was changed. The disk that holds the files is full. Free some space, then ask again.',
  })
  expect(state(dir)).toEqual(before)
  expect(readFileSync(join(dir, 'a.yml'), 'utf8')).toBe('image: one\r\n')
  expect(applier.outcomeOf('tu_1')?.outcome).toBe('failed')
})
