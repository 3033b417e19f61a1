import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createWorkspace, largestBytes } from './files.ts'

function fresh() {
  const root = mkdtempSync(join(tmpdir(), 'jarvis-workspace-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  return { root, workspace: createWorkspace(root) }
}

test.each([
  '../secret.md',
  '/etc/passwd.md',
  'a/../../b.md',
  '.hidden.md',
  'x\0.md',
  'run.sh',
  'a/b/c/d/e.md',
  '__proto__',
  '',
])('%j is no file of the workspace', (path) => {
  const { workspace } = fresh()
  expect(() => workspace.read(path)).toThrow(/not a text file of the workspace/)
  expect(() => workspace.write(path, 'x', undefined)).toThrow(/not a text file of the workspace/)
})

test('a link is neither listed, read nor written through, be it a file or a folder', () => {
  const { root, workspace } = fresh()
  const outside = mkdtempSync(join(tmpdir(), 'jarvis-outside-'))
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
  writeFileSync(join(outside, 'key.md'), 'secret')
  symlinkSync(join(outside, 'key.md'), join(root, 'key.md'))
  symlinkSync(outside, join(root, 'memory'))
  expect(workspace.list()).toEqual([])
  for (const path of ['key.md', 'memory/key.md']) {
    expect(() => workspace.read(path)).toThrow(/is a link/)
    expect(() => workspace.append(path, 'x')).toThrow(/is a link/)
  }
})

test('what is no text, too large or not clean UTF-8 says so', () => {
  const { root, workspace } = fresh()
  writeFileSync(join(root, 'binary.log'), Buffer.from([1, 0, 2]))
  writeFileSync(join(root, 'large.log'), Buffer.alloc(largestBytes + 1, 'a'))
  writeFileSync(join(root, 'latin.txt'), Buffer.from([0x63, 0x61, 0x66, 0xe9]))
  expect(workspace.read('binary.log')).toMatchObject({ text: '', problem: expect.stringContaining('not text') })
  expect(workspace.read('large.log').text).toHaveLength(largestBytes)
  expect(workspace.read('large.log').problem).toContain('Only its first 2 MB')
  expect(workspace.read('latin.txt')).toMatchObject({ text: 'caf�', problem: expect.stringContaining('UTF-8') })
})

test('a file is written only over what was read', () => {
  const { root, workspace } = fresh()
  const first = workspace.write('MEMORY.md', 'one', undefined)
  expect(() => workspace.write('MEMORY.md', 'two', undefined)).toThrow(/changed meanwhile/)
  writeFileSync(join(root, 'MEMORY.md'), 'edited elsewhere')
  expect(() => workspace.write('MEMORY.md', 'two', first.checksum)).toThrow(/changed meanwhile/)
  const second = workspace.read('MEMORY.md')
  expect(workspace.write('MEMORY.md', 'two', second.checksum).text).toBe('two')
  workspace.remove('MEMORY.md')
  expect(() => workspace.write('MEMORY.md', 'three', second.checksum)).toThrow(/is gone/)
})

test('what is added begins on a line of its own', () => {
  const { root, workspace } = fresh()
  mkdirSync(join(root, 'memory'))
  writeFileSync(join(root, 'memory/2026-01-31.md'), 'no end of line')
  workspace.append('memory/2026-01-31.md', 'next\n')
  expect(workspace.read('memory/2026-01-31.md').text).toBe('no end of line\nnext\n')
  expect(workspace.tail('memory/2026-01-31.md', 5)).toBe('next\n')
  expect(workspace.tail('nowhere.md', 5)).toBeUndefined()
})
