import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { afterAll, expect, test } from 'vitest'
import type { RootAt } from '../files/walk.ts'
import { createDownloads } from './downloads.ts'
import { fileIn } from './session-file.ts'

const home = mkdtempSync(join(tmpdir(), 'downloads-'))
afterAll(() => rmSync(home, { recursive: true }))

/** A data dir with a session in it, and what Chromium wrote. */
function lab() {
  const data = mkdtempSync(join(home, 'data-'))
  const [session, from] = [join(data, 'workbench/ses_1'), mkdtempSync(join(home, 'chromium-'))]
  mkdirSync(session, { recursive: true })
  const kept: string[] = []
  const root: RootAt = { name: 'session', path: session, write: true, own: [] }
  const keep = createDownloads(from, { root: () => root, kept: (path) => void kept.push(path) }, systemClock)
  const offered = (name: string) =>
    keep({
      suggestedFilename: () => name,
      failure: async () => null,
      path: async () => join(from, 'guid'),
      cancel: async () => undefined,
      delete: async () => undefined,
    })
  return { data, session, from, root, offered, kept }
}

test('a download is kept once for each time that it is handed out', async () => {
  const { session, from, offered, kept } = lab()
  writeFileSync(join(from, 'guid'), 'text')
  expect(await offered('../.a b.txt')).toBe(
    'The page handed out a file: session/downloads/a_b.txt, 4 bytes. It was not opened.',
  )
  expect(await offered('a b.txt')).toContain('session/downloads/a_b-2.txt')
  expect(kept).toEqual(['downloads/a_b.txt', 'downloads/a_b-2.txt'])
  expect(readFileSync(join(session, 'downloads/a_b-2.txt'), 'utf8')).toBe('text')
})

test.each(['../..', 'LINK'])('a folder downloads that is a link to %s takes no file', async (to) => {
  const { data, session, from, offered } = lab()
  writeFileSync(join(from, 'guid'), '{"mcpServers": {}}')
  symlinkSync(to === 'LINK' ? data : to, join(session, 'downloads'))
  await expect(offered('mcp.json')).rejects.toThrow(/session\/downloads is a link or no folder/)
  expect(readdirSync(data)).toEqual(['workbench'])
})

test('a link that Chromium’s folder holds is no download, and is not measured', async () => {
  const { data, session, from, offered } = lab()
  writeFileSync(join(data, 'key'), 'secret')
  symlinkSync(join(data, 'key'), join(from, 'guid'))
  symlinkSync('/', join(from, 'all'))
  await expect(offered('key')).rejects.toThrow(/guid is a link/)
  expect(readdirSync(session)).toEqual([])
})

test('a file for a page is read through no link', () => {
  const { data, session, root } = lab()
  writeFileSync(join(session, 'a'), 'text')
  writeFileSync(join(data, 'key'), 'secret')
  symlinkSync('../..', join(session, 'out'))
  symlinkSync('../../key', join(session, 'key'))
  expect(fileIn(root, 'a')).toMatchObject({ name: 'a', bytes: Buffer.from('text') })
  for (const path of ['out/key', 'key', '../ses_1/a', 'out', '', 'none'])
    expect(() => fileIn(root, path), path).toThrow(/paths: /)
})
