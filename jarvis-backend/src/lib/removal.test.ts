import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createRemoval } from './removal.ts'

const dir = mkdtempSync(join(tmpdir(), 'jarvis-removal-'))
const reports: string[] = []
const removal = createRemoval(join(dir, 'removed'), {
  clock: systemClock,
  report: (_error, message) => reports.push(message),
})
const folder = join(dir, 'hostile')
afterAll(() => {
  removal.stop()
  // A deep tree is more than Node's own removal can name.
  execFileSync('rm', ['-rf', dir])
})
beforeEach(() => void reports.splice(0))

/** Fills a folder with a program, as a command would. */
function filled(script: string): void {
  mkdirSync(folder)
  execFileSync('perl', ['-e', script], { cwd: folder })
}
const waiting = () => readdirSync(join(dir, 'removed'))

test('a tree that no path can name is taken away at once, and removed', async () => {
  filled('for (1 .. 400) { mkdir "nested-folder"; chdir "nested-folder" } open F, ">file"')
  removal.discard(folder)
  expect(existsSync(folder)).toBe(false)
  await expect.poll(waiting, { timeout: 20_000 }).toEqual([])
  expect(reports).toEqual([])
})

test('closed folders, names that are no text, pipes and links that lead out are removed, and nothing behind a link', async () => {
  const outside = join(dir, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'kept'), 'kept')
  filled(
    'for my $name ("a", "\\xff\\xfe") { mkdir $name; mkdir "$name/b"; open F, ">$name/b/\\xff"; chmod 0, "$name/b", $name } system "mkfifo p"',
  )
  for (const name of ['file', 'folder'])
    symlinkSync(name === 'file' ? join(outside, 'kept') : outside, join(folder, name))
  expect(await removal.remove(folder)).toBe(true)
  expect([existsSync(folder), readFileSync(join(outside, 'kept'), 'utf8'), reports]).toEqual([false, 'kept', []])
  symlinkSync(outside, folder)
  expect(await removal.remove(folder)).toBe(true)
  expect([existsSync(folder), readdirSync(outside)]).toEqual([false, ['kept']])
})

test('an earlier process’s leftovers go at the start, and what is not there is no error', async () => {
  mkdirSync(join(dir, 'removed', 'left', 'deep'), { recursive: true })
  removal.discard(join(dir, 'nothing'))
  removal.start()
  await expect.poll(waiting, { timeout: 20_000 }).toEqual([])
  expect(reports).toEqual([])
})

test('what cannot be removed is said once, and keeps nothing else from going', async () => {
  removal.discard('/proc/self/task')
  await expect.poll(() => reports, { timeout: 20_000 }).toEqual([expect.stringContaining('/proc/self/task')])
  mkdirSync(folder)
  removal.discard(folder)
  removal.discard('/proc/self/task')
  await expect.poll(waiting, { timeout: 20_000 }).toEqual([])
  expect(reports).toHaveLength(1)
})
