import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { compressIn } from '../precompress.ts'

test('text is compressed beside itself; pictures, small files and what an older build left are not', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-dist-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  mkdirSync(join(dir, 'assets'))
  const code = 'export const answer = () => 42\n'.repeat(200)
  for (const [name, text] of [
    ['assets/index-1a2b.js', code],
    ['picture.png', code],
    ['theme.js', 'short'],
    ['theme.js.br', 'of an older build'],
  ] as const) {
    writeFileSync(join(dir, name), text)
  }

  await compressIn(dir)

  expect(readdirSync(dir, { recursive: true }).map(String).toSorted()).toEqual([
    'assets',
    'assets/index-1a2b.js',
    'assets/index-1a2b.js.br',
    'assets/index-1a2b.js.gz',
    'picture.png',
    'theme.js',
  ])
  const read = (ending: string) => readFileSync(join(dir, `assets/index-1a2b.js${ending}`))
  expect(brotliDecompressSync(read('.br')).toString()).toBe(code)
  expect(gunzipSync(read('.gz')).toString()).toBe(code)
})
