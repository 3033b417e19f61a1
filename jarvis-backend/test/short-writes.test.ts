import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from 'node-kit/whole-file'
import { expect, test } from 'vitest'
import { writeEnvFile } from '../src/config/env-file.ts'
import { addFile } from '../src/workbench/files/add-file.ts'
import { createContentStore } from '../src/workbench/files/content-store.ts'
import { createWorkspace } from '../src/workspace/files.ts'
import { folder } from './support/data-dir.ts'
import { withLargestFile } from './support/largest-file.ts'

const most = 8_192
const tooMuch = 'x'.repeat(2 * most)
const box = { seal: (_: string, text: string) => text, open: (_: string, text: string) => text }

/** Each writer: what it writes into, and what stands there before. */
const writers: [what: string, write: (dir: string) => void, before: Record<string, string>][] = [
  [
    'a new file of a root',
    (dir) =>
      addFile({ name: 'r', path: dir, write: true, own: [] }, { folder: 'in', names: ['a'] }, Buffer.from(tooMuch)),
    {},
  ],
  ['bytes that are kept', (dir) => createContentStore(dir, box).keep(Buffer.from(tooMuch)), {}],
  ['the settings file', (dir) => writeEnvFile(join(dir, '.env'), { A: tooMuch }), { '.env': 'A=1\n' }],
  ['a file that is replaced whole', (dir) => writeWhole(join(dir, 'key'), tooMuch), { key: 'old' }],
  ['a note of the workspace', (dir) => createWorkspace(dir).append('a.md', tooMuch), { 'a.md': 'first\n' }],
  ['a text of the workspace', (dir) => createWorkspace(dir).write('b.md', tooMuch, undefined), {}],
]
test.each(writers)('a disk that fills leaves nothing half written of %s, and says so', (_what, write, before) => {
  const dir = folder()
  for (const [name, text] of Object.entries(before)) writeFileSync(join(dir, name), text)
  expect(() => withLargestFile(most, () => write(dir))).toThrow()
  const left = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.new'))
    .map(({ name }) => [name, readFileSync(join(dir, name), 'utf8')])
  expect(Object.fromEntries(left)).toEqual(before)
})
