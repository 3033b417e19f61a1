import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atOnce } from 'node-kit/steps'
import { expect, onTestFinished, test } from 'vitest'
import { heldTree, withHeldFile } from './held-tree.ts'

function tree() {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-held-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const [root, outside] = [join(dir, 'tree'), join(dir, 'outside')]
  for (const path of [join(root, 'a/b'), outside]) mkdirSync(path, { recursive: true })
  for (const path of [join(root, 'a/b/file'), join(outside, 'file'), join(outside, 'secret')]) writeFileSync(path, 'x')
  return { root, outside }
}

test('a tree is visited with what is closed in it, and its links are not followed', () => {
  const { root, outside } = tree()
  symlinkSync(outside, join(root, 'link'))
  chmodSync(join(root, 'a/b/file'), 0)
  chmodSync(join(root, 'a'), 0)
  const seen: string[] = []
  const left: string[] = []
  atOnce(heldTree(root, ({ path }) => void seen.push(path), { leave: (path) => void left.push(path) }))
  expect([seen.sort(), left]).toEqual([
    ['a', 'a/b', 'a/b/file', 'link'],
    ['a/b', 'a', ''],
  ])
})

test.each(['a', 'a/b', 'a/b/file'])(
  'where %s is swapped for a link while it is read, nothing outside is reached',
  (swapped) => {
    const { root, outside } = tree()
    const read: unknown[] = []
    const visit = (spot: Parameters<Parameters<typeof heldTree>[1]>[0]) => {
      if (spot.path === swapped) {
        renameSync(join(root, swapped), join(root, 'gone'))
        symlinkSync(swapped.endsWith('file') ? join(outside, 'file') : outside, join(root, swapped))
      }
      if (spot.stat.isFile()) read.push(withHeldFile(spot, () => spot.path))
    }
    const walk = () => atOnce(heldTree(root, visit))
    if (swapped.endsWith('file')) walk()
    else expect(walk).toThrow('It was changed while it was read.')
    expect(read.filter((path) => path !== undefined)).toEqual([])
  },
)
