import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Trees, treeLimits } from './tree.ts'

function folder(files: Record<string, string | Buffer> = {}): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'jarvis-skill-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(dir, path, '..'), { recursive: true })
    writeFileSync(join(dir, path), content)
  }
  return dir
}
const read = (dir: string) => new Trees().read(dir)
const faultsOf = (dir: string) =>
  read(dir).faults.map(({ path, line, message }) => `${path ?? ''}:${line ?? ''} ${message}`)
const code = (...points: number[]) => String.fromCodePoint(...points)

test('the hash covers names and bytes, and nothing else', () => {
  const folders: Record<string, string>[] = [
    { 'SKILL.md': 'a', 'b.md': 'c' },
    { 'b.md': 'c', 'SKILL.md': 'a' },
    { 'SKILL.md': 'a', 'b.md': 'd' },
    { 'SKILL.md': 'a', 'x/b.md': 'c' },
    { 'SKILL.md': 'ab', '.md': 'c' },
    { 'SKILL.md': 'a' },
  ]
  const hashes = folders.map((files) => read(folder(files)).hash)
  expect(hashes[0]).toBe(hashes[1])
  expect(new Set(hashes).size).toBe(5)
})

test('links, pipes and folders that are links are no part of a skill', () => {
  const outside = folder({ secret: 'x' })
  const dir = folder({ 'SKILL.md': 'a' })
  symlinkSync(join(outside, 'secret'), join(dir, 'notes.md'))
  symlinkSync(outside, join(dir, 'references'))
  execFileSync('mkfifo', [join(dir, 'pipe')])
  expect(faultsOf(dir)).toEqual([
    'notes.md: It is a link. A skill holds files of its own alone.',
    'pipe: It is no file.',
    'references: It is a link. A skill holds files of its own alone.',
  ])
  expect(read(dir).files.map(({ path, text }) => [path, text])).toEqual([
    ['SKILL.md', 'a'],
    ['notes.md', undefined],
    ['pipe', undefined],
    ['references', undefined],
  ])
})

test('huge trees, deep folders and large texts are not read to their end', () => {
  const many = Object.fromEntries(Array.from({ length: treeLimits.files + 5 }, (_, at) => [`f${at}.md`, '']))
  expect(faultsOf(folder(many))).toEqual([
    `: There are more than ${treeLimits.files} files. Nobody would read them all.`,
  ])
  const deep = folder({ [`${'d/'.repeat(treeLimits.depth + 30)}x.md`]: '' })
  expect(faultsOf(deep)[0]).toContain(`Folders may be ${treeLimits.depth} levels deep.`)
  expect(read(deep).hash).toBeUndefined()
  expect(faultsOf(folder({ 'a.md': 'x'.repeat(treeLimits.text + 1) }))).toEqual([
    'a.md: It holds more text than 256 kB.',
  ])
  const texts = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`${at}.md`, 'x'.repeat(250_000)]))
  expect(faultsOf(folder(texts))).toEqual([': There is more text than 2 MB. Nobody would read it all.'])
  const bytes = folder({ a: Buffer.alloc(treeLimits.bytes - 10), b: Buffer.alloc(2_000), c: 'x' })
  expect([read(bytes).hash, faultsOf(bytes).at(-1)]).toEqual([undefined, ': The files are over 16 MB.'])
})

test('invisible characters are named with their line, in texts and in names', () => {
  const dir = folder({
    'SKILL.md': `one\ntwo${code(0x200b)}\n`,
    [`a${code(0x202e)}b.md`]: 'x',
    'c.sh': `echo ${code(0xe0041)}`,
  })
  expect(faultsOf(dir)).toEqual([
    'SKILL.md:2 Line 2 has a character you cannot see, U+200B.',
    `a${code(0x202e)}b.md: The file’s name "a⟨U+202E⟩b.md" holds a character that cannot be seen.`,
    'c.sh:1 Line 1 has a character you cannot see, U+E0041.',
  ])
})

test('what is no clean text is binary, and line ends of Windows are read', () => {
  const { files, faults } = read(
    folder({
      'a.md': Buffer.from([0xff, 0xfe, 65]),
      'b.md': Buffer.from([65, 0, 66]),
      'c.md': `${code(0xfeff)}x\r\ny`,
    }),
  )
  expect(faults).toEqual([])
  expect(files.map(({ kind, text }) => [kind, text])).toEqual([
    ['binary', undefined],
    ['binary', undefined],
    ['text', 'x\ny'],
  ])
})

test('a change is seen that keeps size and time', () => {
  const dir = folder({ 'SKILL.md': 'good' })
  const old = new Date(1_700_000_000_000)
  utimesSync(join(dir, 'SKILL.md'), old, old)
  // As if long had passed since.
  const trees = new Trees(() => Date.now() + 60_000)
  const before = trees.read(dir).hash
  expect(trees.read(dir).hash).toBe(before)
  writeFileSync(join(dir, 'new'), 'evil')
  utimesSync(join(dir, 'new'), old, old)
  renameSync(join(dir, 'new'), join(dir, 'SKILL.md'))
  expect(trees.read(dir).hash).not.toBe(before)
})
