import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { password, startJarvis } from './support/start-jarvis.ts'

const publicUrl = 'https://jarvis.home:8443'
const env = { JARVIS_PUBLIC_URL: publicUrl, JARVIS_TRUSTED_PROXIES: '127.0.0.1' }

/** Asks as a proxy does. */
function ask(url: string, method: string, path: string, headers: Record<string, string>, json?: unknown) {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      const asked = request(new URL(path, url), { method, headers: { ...headers, 'content-type': 'application/json' } })
      asked.on('error', reject)
      asked.on('response', async (answer) =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: await text(answer) }),
      )
      asked.end(json === undefined ? undefined : JSON.stringify(json))
    },
  )
}

test('a sign-in through a proxy that drops the port holds, and one that hides the host is told which line to change', async () => {
  const jarvis = await startJarvis({ env })
  const page = { host: 'jarvis.home', 'sec-fetch-site': 'same-origin' }
  const signedIn = await ask(jarvis.url, 'POST', '/api/auth/login', { ...page, origin: publicUrl }, { password })
  expect(signedIn.status).toBe(200)
  const cookie = (signedIn.headers['set-cookie'] as string[]).map((one) => one.split(';')[0]).join('; ')
  expect(cookie).toContain('__Host-jarvis=')
  expect((await ask(jarvis.url, 'GET', '/api/auth/me', { ...page, cookie })).status).toBe(200)
  const forwarded = { ...page, host: '127.0.0.1:4000', 'x-forwarded-host': 'jarvis.home:8443', cookie }
  expect((await ask(jarvis.url, 'GET', '/api/auth/me', forwarded)).status).toBe(200)

  const named = { ...page, host: '127.0.0.1:4000', forwarded: 'for=192.0.2.1;host="jarvis.home:8443"', cookie }
  expect((await ask(jarvis.url, 'GET', '/api/auth/me', named)).status).toBe(200)

  const hidden = { host: 'jarvis.home:4000', origin: 'https://jarvis.home:9443' }
  for (const path of ['/api/auth/login', '/v1/chat/completions', '/mcp']) {
    const refused = await ask(jarvis.url, 'POST', path, hidden, { password })
    expect([path, refused.status]).toEqual([path, 403])
    expect(refused.body).toContain('proxy_set_header Host $http_host;')
  }

  // Over HTTP/3 nginx's $http_host is empty, and nginx then sends no Host at all.
  for (const line of ['', 'Host:\r\n']) {
    const socket = connect(Number(new URL(jarvis.url).port), '127.0.0.1')
    socket.write(`GET / HTTP/1.1\r\n${line}Connection: close\r\n\r\n`)
    const answer = await text(socket)
    expect(answer).toMatch(/^HTTP\/1\.1 403 /)
    expect(answer).toContain('The request names no host')
  }
})

test('a page that is refused for its host is one that a person can read, and a program gets JSON', async () => {
  const jarvis = await startJarvis()
  const host = 'jarvis<b>.lan'
  const browser = { host: 'jarvis.lan', accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  for (const path of ['/', '/waiting', '/assets/x.js']) {
    const page = await ask(jarvis.url, 'GET', path, browser)
    expect([path, page.status, page.headers['content-type']]).toEqual([path, 403, 'text/html; charset=utf-8'])
    expect(page.body).toContain('<h1>JARVIS cannot be opened here</h1>')
    expect(page.body).toContain('JARVIS_ALLOWED_HOSTS=jarvis.lan')
  }
  const odd = await ask(jarvis.url, 'GET', '/', { ...browser, host: '127.0.0.1:4000', origin: `https://${host}` })
  expect(odd.body).not.toContain('<b>')
  for (const [path, accept] of [
    ['/', '*/*'],
    ['/api/status', browser.accept],
  ] as const) {
    const answer = await ask(jarvis.url, 'GET', path, { host: 'jarvis.lan', accept })
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'forbidden' } })
  }
})
