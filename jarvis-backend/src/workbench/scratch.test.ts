import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { expect, onTestFinished, test } from 'vitest'
import { createRemoval } from '../lib/removal.ts'
import { createScratches } from './scratch.ts'

const problems: unknown[] = []
const report = (error: unknown) => problems.push(error)
const removal = createRemoval(join(tmpdir(), 'jarvis-scratch-none'), { clock: systemClock, report })
const scratchesOf = (dataDir: string) => createScratches(dataDir, removal, report)
function folder() {
  const made = mkdtempSync(join(tmpdir(), 'jarvis-scratch-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}
/** A folder with a file, as a process leaves it that is killed. */
function leftBy(dataDir: string) {
  const { path, remove } = scratchesOf(dataDir).make('browser')
  onTestFinished(remove)
  writeFileSync(join(path, 'start'), 'text')
  return path
}
const recordsIn = (dataDir: string) => readdirSync(join(dataDir, 'scratch'))

test.each(['empty', 'full'])(
  'a folder is its account’s alone, and goes with its record when it is done with, %s',
  async (left) => {
    const dataDir = folder()
    const { path, remove } = scratchesOf(dataDir).make('egress')
    expect(recordsIn(dataDir)).toEqual([basename(path)])
    if (left === 'full') mkdirSync(join(path, 'downloads/deep'), { recursive: true })
    remove()
    await expect.poll(() => [existsSync(path), recordsIn(dataDir)], { timeout: 10_000 }).toEqual([false, []])
  },
)

test('the next process of a data dir removes what was left there, and nothing of another one or of its own', async () => {
  const [dataDir, other] = [folder(), folder()]
  const [left, others] = [leftBy(dataDir), leftBy(other)]
  const scratches = scratchesOf(dataDir)
  const own = scratches.make('egress')
  onTestFinished(own.remove)
  await scratches.clear()
  expect([left, others, own.path].map(existsSync)).toEqual([false, true, true])
  expect(recordsIn(dataDir)).toEqual([basename(own.path)])
})

test('a copy of a data dir removes nothing of the one that it was made from', async () => {
  const [dataDir, parent] = [folder(), folder()]
  const left = leftBy(dataDir)
  const copy = join(parent, 'copy')
  cpSync(dataDir, copy, { recursive: true })
  await scratchesOf(copy).clear()
  expect([existsSync(left), recordsIn(copy)]).toEqual([true, []])
})

test('a record names nothing but such a folder, and no link', async () => {
  const [dataDir, outside] = [folder(), folder()]
  const left = leftBy(dataDir)
  const record = join(dataDir, 'scratch', basename(left))
  const text = readFileSync(record, 'utf8')
  // The folder's place was taken by a link to another one.
  rmSync(left, { recursive: true })
  symlinkSync(outside, left)
  await scratchesOf(dataDir).clear()
  expect([existsSync(outside), existsSync(record)]).toEqual([true, false])

  const kept = join(outside, 'kept')
  mkdirSync(kept)
  writeFileSync(record, text.replace(left, kept))
  writeFileSync(`${record}.new`, '{')
  await scratchesOf(dataDir).clear()
  expect([existsSync(kept), recordsIn(dataDir), problems]).toEqual([true, [], []])
})
