import { request } from 'node:http'
import { Agent, request as requestTls } from 'node:https'
import { connect, type LookupFunction } from 'node:net'
import { text } from 'node:stream/consumers'
import { io } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { password, startJarvis } from './support/start-jarvis.ts'
import { type Rewrite, startTlsProxy } from './support/tls-proxy.ts'

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

const client = ({ socket }: Parameters<Rewrite>[0]) => socket.remoteAddress ?? ''
/** As the widespread proxies do by default. */
const proxies: [name: string, Rewrite][] = [
  [
    'Caddy: Host is passed, X-Forwarded-* are added',
    (asked) => ({
      'x-forwarded-for': client(asked),
      'x-forwarded-proto': 'https',
      'x-forwarded-host': asked.headers.host ?? '',
    }),
  ],
  [
    'nginx: Host is its own, X-Forwarded-Host is added',
    (asked, upstream) => ({
      host: upstream,
      'x-forwarded-host': asked.headers.host ?? '',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': [asked.headers['x-forwarded-for'] ?? [], client(asked)].flat().join(', '),
    }),
  ],
  [
    'Forwarded is added, after what the client sent',
    (asked, upstream) => ({
      host: upstream,
      forwarded: [asked.headers.forwarded ?? [], `for=${client(asked)};proto=https;host="${asked.headers.host}"`]
        .flat()
        .join(', '),
    }),
  ],
]

test('over TLS behind a proxy that adds forwarded headers, the cookie is secure, our page alone uses it, and sockets upgrade', async () => {
  let rewrite: Rewrite = () => ({})
  const proxy = await startTlsProxy(() => rewrite)
  const origin = `https://jarvis.home:${proxy.port}`
  const jarvis = await startJarvis({ env: { JARVIS_PUBLIC_URL: origin, JARVIS_TRUSTED_PROXIES: '127.0.0.1' } })
  proxy.leadTo(jarvis.url)
  const host = `jarvis.home:${proxy.port}`
  const tls = { rejectUnauthorized: false, servername: 'jarvis.home' }

  const lookup: LookupFunction = (_name, { all }, found) =>
    all === true ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4)
  const agent = new Agent({ rejectUnauthorized: false, lookup })
  onTestFinished(() => agent.destroy())
  const asked = (method: string, path: string, headers: Record<string, string>, json?: unknown) =>
    new Promise<{ status: number | undefined; cookies: string[] }>((resolve, reject) => {
      const given = { host, ...headers, 'content-type': 'application/json' }
      const sent = requestTls({ ...tls, host: '127.0.0.1', port: proxy.port, method, path, headers: given })
      sent.on('error', reject)
      sent.on('response', async (answer) => {
        await text(answer)
        resolve({ status: answer.statusCode, cookies: answer.headers['set-cookie'] ?? [] })
      })
      sent.end(json === undefined ? undefined : JSON.stringify(json))
    })
  const handshake = (headers: Record<string, string>, transports: ('polling' | 'websocket')[]) =>
    new Promise<string>((resolve) => {
      const socket = io(`${origin}/chat`, {
        ...tls,
        transports,
        extraHeaders: headers,
        forceNew: true,
        reconnection: false,
        // The type has the browser's alone.
        agent: agent as never,
      })
      const end = (how: string) => {
        resolve(how)
        socket.disconnect()
      }
      const look = () => {
        if (socket.io.engine.transport.name === 'websocket') end('websocket')
        else socket.io.engine.once('upgrade', look)
      }
      socket.on('connect', look)
      socket.on('connect_error', () => end('refused'))
    })

  for (const [name, how] of proxies) {
    rewrite = how
    const page = { origin, 'sec-fetch-site': 'same-origin' }
    const signedIn = await asked('POST', '/api/auth/login', page, { password })
    expect([name, signedIn.status]).toEqual([name, 200])
    const set = signedIn.cookies.find((one) => one.startsWith('__Host-jarvis=')) ?? ''
    expect(set.split('; ').slice(1).sort()).toEqual([
      ...['HttpOnly', expect.stringMatching(/^Max-Age=\d+$/), 'Path=/', 'SameSite=Strict', 'Secure'],
    ])
    const cookie = set.split(';')[0] ?? ''
    expect((await asked('GET', '/api/auth/me', { 'sec-fetch-site': 'same-origin', cookie })).status).toBe(200)
    expect((await asked('POST', '/api/sessions', { ...page, cookie }, { title: name })).status).toBe(201)
    expect(await handshake({ ...page, cookie }, ['websocket'])).toBe('websocket')
    expect(await handshake({ ...page, cookie }, ['polling', 'websocket'])).toBe('websocket')

    // Other pages, also those that say what a proxy says, and our page without TLS.
    const evil = 'https://evil.example'
    const foreign: Record<string, string>[] = [
      { ...page, origin: evil, 'sec-fetch-site': 'cross-site' },
      { ...page, origin: evil, 'x-forwarded-host': 'evil.example', forwarded: 'for=192.0.2.1;host=evil.example' },
      { ...page, origin: `http://${host}` },
      { ...page, origin: 'https://jarvis.home:1' },
      { ...page, origin: 'null', 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of foreign) {
      const { status } = await asked('POST', '/api/sessions', { ...headers, cookie }, { title: 'Planted' })
      expect([name, headers, status === 401 || status === 403]).toEqual([name, headers, true])
      expect([name, headers, await handshake({ ...headers, cookie }, ['websocket'])]).toEqual([
        name,
        headers,
        'refused',
      ])
    }
    expect((await asked('GET', '/api/auth/me', { 'sec-fetch-site': 'cross-site', cookie })).status).toBe(401)
  }
}, 20_000)
