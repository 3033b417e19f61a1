import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { startJarvis } from './support/start-jarvis.ts'

const code = 'export const answer = () => 42\n'.repeat(100)
const page = `<!doctype html><title>JARVIS</title>${'<p>Hello</p>'.repeat(100)}`

/** A built dashboard in small: one page, one asset, one picture, and what the build compressed. */
async function startWithDashboard() {
  const dashboardDir = mkdtempSync(join(tmpdir(), 'jarvis-dashboard-'))
  onTestFinished(() => rmSync(dashboardDir, { recursive: true, force: true }))
  mkdirSync(join(dashboardDir, 'assets'))
  for (const [name, text] of [
    ['index.html', page],
    ['assets/index-1a2b.js', code],
  ] as const) {
    writeFileSync(join(dashboardDir, name), text)
    writeFileSync(join(dashboardDir, `${name}.br`), brotliCompressSync(text))
    writeFileSync(join(dashboardDir, `${name}.gz`), gzipSync(text))
  }
  writeFileSync(join(dashboardDir, 'icon.png'), 'a picture')
  return startJarvis({ dashboardDir })
}

/** Reads the bytes on the wire, which `fetch` would decode and negotiate by itself. */
function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const sent = request(url, { headers, method }, async (response) => {
      const pieces: Buffer[] = []
      for await (const piece of response) pieces.push(piece as Buffer)
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) })
    })
    sent.once('error', reject)
    sent.end()
  })
}

test('a file of the dashboard is served in the smallest form that the client takes', async () => {
  const jarvis = await startWithDashboard()
  const plain = (body: Buffer) => body
  const tags = new Set<unknown>()
  for (const [accept, encoding, decode] of [
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['*', 'br', brotliDecompressSync],
    ['gzip, br;q=0', 'gzip', gunzipSync],
    ['gzip;q=0.5, *;q=0', 'gzip', gunzipSync],
    ['deflate', undefined, plain],
    ['br;q=0, gzip;q=0', undefined, plain],
    ['*;q=0', undefined, plain],
    ['', undefined, plain],
    [undefined, undefined, plain],
  ] as const) {
    const asked: Record<string, string> = accept === undefined ? {} : { 'accept-encoding': accept }
    for (const [path, text, type, kept] of [
      ['/assets/index-1a2b.js', code, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
      ['/chat/ses_1.2', page, 'text/html; charset=utf-8', 'no-cache'],
    ] as const) {
      const { status, headers, body } = await get(jarvis.url + path, asked)
      expect([status, headers['content-encoding']], `${path} ${accept}`).toEqual([200, encoding])
      expect(decode(body).toString()).toBe(text)
      expect(headers).toMatchObject({ 'content-type': type, 'cache-control': kept, vary: 'Accept-Encoding' })
      expect(headers['content-length']).toBe(String(body.length))
      tags.add(`${path} ${headers.etag}`)

      const head = await get(jarvis.url + path, asked, 'HEAD')
      expect({ ...head.headers, date: '' }).toEqual({ ...headers, date: '' })
      expect(head.body).toHaveLength(0)
      const again = await get(jarvis.url + path, { ...asked, 'if-none-match': String(headers.etag) })
      expect([again.status, again.headers.vary, again.body.length]).toEqual([304, 'Accept-Encoding', 0])
      const part = await get(jarvis.url + path, { ...asked, range: 'bytes=2-5' })
      expect([part.status, part.headers['content-encoding']]).toEqual([206, encoding])
      expect(part.body).toEqual(body.subarray(2, 6))
    }
  }
  // Each form of a file has an ETag of its own.
  expect(tags.size).toBe(6)
})

test('what is compressed already and answers that may hold a secret go out as they are', async () => {
  const jarvis = await startWithDashboard()
  const authorization = `Bearer ${jarvis.token('operator')}`
  const headers = { 'accept-encoding': 'br, gzip', authorization }
  const tools = await get(`${jarvis.url}/api/tools`, headers)
  expect(tools.headers).toMatchObject({ 'content-encoding': 'gzip', vary: expect.stringContaining('Accept-Encoding') })
  const plain = await get(`${jarvis.url}/api/tools`, { authorization })
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(gunzipSync(tools.body)).toEqual(plain.body)
  expect(tools.body.length).toBeLessThan(plain.body.length / 3)
  for (const path of ['/icon.png', '/api/settings', '/api/tokens', '/metrics', '/health']) {
    const answer = await get(jarvis.url + path, headers)
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined])
  }
  for (const path of [
    '/..%2f..%2fetc/passwd',
    '/assets/..%2findex.html',
    '/assets/nothing-1.js',
    '/.vite/manifest.json',
  ]) {
    expect((await get(jarvis.url + path, headers)).body.toString()).not.toContain('answer')
  }
})

test('a path that is not the page answers 404 in JSON, and a page of it is the page', async () => {
  const jarvis = await startWithDashboard()
  for (const path of [
    '/V1/Models',
    '/api/nothing',
    '/jarvis/nothing',
    '/mcp/sse',
    '/oauth/nothing',
    '/.well-known/nothing',
    '/health/live',
    '/metrics/all',
    '/socket.io',
    '/assets/nothing-1.js',
    '/favicon.ico',
  ]) {
    for (const method of ['GET', 'POST']) {
      const response = await jarvis.rest(path, { method })
      expect(response.status, `${method} ${path}`).toBe(404)
      expect(await response.json()).toEqual({ error: { code: 'not_found', message: expect.any(String) } })
    }
  }
  const asJson = await jarvis.rest('/not-a-page', { headers: { accept: 'application/json' } })
  expect([asJson.status, await asJson.json()]).toEqual([
    404,
    { error: { code: 'not_found', message: expect.any(String) } },
  ])
  for (const path of [
    '/',
    '/chat/ses_mcp_claude.desktop',
    '/settings',
    '/oauth/authorize?client_id=x',
    '/not-a-page',
  ]) {
    const response = await jarvis.rest(path)
    expect([response.status, await response.text()]).toEqual([200, page])
  }
})
