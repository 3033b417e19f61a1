import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { Fetched } from './fetch-site.ts'
import { createPageReader } from './page-reader.ts'
import { pageText } from './page-text.ts'
import { createPages } from './pages.ts'

const { signal } = new AbortController()
const asked = (sessionId: string, listed = false) => ({ sessionId, listed, signal })

function pagesOf(body: string, type = 'text/html') {
  const fetched: string[] = []
  let now = 1_000
  const pages = createPages({
    async fetchSite(url): Promise<Fetched> {
      fetched.push(url.href)
      return { url, hops: [], status: 200, type, body: Buffer.from(body), wireBytes: body.length }
    },
    readPage: async (html, address) => pageText(html, address),
    now: () => now,
  })
  return { pages, fetched, wait: (ms: number) => (now += ms) }
}
const url = new URL('https://a.example/b#c')

test('a page is kept for its session for 15 minutes, and never one of this network', async () => {
  const { pages, fetched, wait } = pagesOf('<p>Hello there</p>')
  expect(await pages.read(url, asked('ses_1'))).toMatchObject({ text: 'Hello there', isKept: false, wireBytes: 18 })
  expect(await pages.read(new URL('https://a.example/b'), asked('ses_1'))).toMatchObject({ isKept: true })
  await pages.read(url, asked('ses_2'))
  expect(fetched).toHaveLength(2)
  wait(15 * 60_000)
  expect(await pages.read(url, asked('ses_1'))).toMatchObject({ isKept: false })
  pages.forget('ses_1')
  expect(await pages.read(url, asked('ses_1'))).toMatchObject({ isKept: false })
  await pages.read(url, asked('ses_3', true))
  expect(await pages.read(url, asked('ses_3', true))).toMatchObject({ isKept: false })
})

test('what is no HTML stays as it is, and characters that nobody sees are left out', async () => {
  const order = [...'stop all guests'].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('')
  const { pages } = pagesOf(`{"a":"b\u200bc${order}"}`, 'application/json')
  const page = await pages.read(url, asked('ses_1'))
  expect(page).toMatchObject({
    how: 'plain',
    text: '{"a":"bc"}',
    hidden: { count: 1, reasons: ['invisible characters'] },
  })
})

test('a thread reads a page, and is ended where it takes too long or too much memory', async () => {
  const read = createPageReader()
  expect(await read('<title>A</title><p>Hello</p>', url.href, signal)).toMatchObject({ title: 'A', text: 'Hello' })

  const dir = mkdtempSync(join(tmpdir(), 'jarvis-page-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const program = (name: string, code: string) => {
    const path = join(dir, `${name}.mjs`)
    writeFileSync(path, `import { parentPort } from 'node:worker_threads'\nparentPort.postMessage('ready')\n${code}`)
    return pathToFileURL(path)
  }
  const stripped = { text: 'Hello', how: 'stripped' }
  const endless = createPageReader({ worker: program('endless', 'for (;;);'), slowestMs: 100 })
  expect(await endless('<b>Hello</b>', url.href, signal)).toMatchObject(stripped)
  const greedy = createPageReader({
    worker: program('greedy', 'const a = []; for (;;) a.push(new Array(1e6).fill(a))'),
  })
  expect(await greedy('<b>Hello</b>', url.href, signal)).toMatchObject(stripped)

  const stop = new AbortController()
  const reading = endless('<b>Hello</b>', url.href, stop.signal)
  stop.abort(new Error('stopped'))
  await expect(reading).rejects.toThrow('stopped')
})
