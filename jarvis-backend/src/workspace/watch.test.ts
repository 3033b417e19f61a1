import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { watchFolders } from './watch.ts'

test('a change is heard in a folder made later or anew, and thousands of new files hold nothing up', async () => {
  const root = mkdtempSync(join(tmpdir(), 'jarvis-watch-'))
  symlinkSync(root, join(root, 'loop'))
  let heard = () => {}
  const watcher = watchFolders(
    root,
    () => heard(),
    (error) => expect.unreachable(String(error)),
  )
  onTestFinished(() => {
    watcher.close()
    rmSync(root, { recursive: true })
  })
  const change = (make: () => void) =>
    new Promise<void>((resolve) => {
      heard = resolve
      make()
    })
  await change(() => mkdirSync(join(root, 'memory')))
  watcher.refresh()
  await change(() => writeFileSync(join(root, 'memory', 'a.md'), 'a'))
  await change(() => rmSync(join(root, 'memory'), { recursive: true }))
  mkdirSync(join(root, 'memory'))
  watcher.refresh()
  await change(() => writeFileSync(join(root, 'memory', 'a.md'), 'a'))
  let count = 0
  const begunAt = process.cpuUsage()
  await new Promise<void>((resolve) => {
    heard = () => {
      count += 1
      if (count === 1_500) resolve()
    }
    for (let at = 0; at < 1_500; at += 1) writeFileSync(join(root, 'memory', `${at}.md`), 'a')
  })
  // Node's own way takes more than ten times as long.
  expect(process.cpuUsage(begunAt).user).toBeLessThan(2_000_000)
})
