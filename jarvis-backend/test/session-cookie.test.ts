import { request } from 'node:http'
import jwt from 'jsonwebtoken'
import type { SignInInfo } from 'protocol'
import { io } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { createSessionCookie } from '../src/auth/session-cookie.ts'
import { createSkippingClock } from './support/fake-clock.ts'
import { password, startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const publicUrl = 'https://jarvis.example.org'
const day = 86_400_000

type Sent = Record<string, string>
/** Headers that a browser sends with a request of our own page. */
const ownRead: Sent = { host: 'jarvis.example.org', 'sec-fetch-site': 'same-origin' }
const ownWrite: Sent = { ...ownRead, origin: publicUrl }

const start = (env: Record<string, string> = {}, options: Parameters<typeof startJarvis>[0] = {}) =>
  startJarvis({ ...options, env: { JARVIS_PUBLIC_URL: publicUrl, ...env } })

/** Sends these headers and no others: `fetch` writes a Host of its own. */
const send = (
  jarvis: TestJarvis,
  method: string,
  path: string,
  headers: Sent,
  json?: unknown,
  type = 'application/json',
) =>
  new Promise<Response>((resolve, reject) => {
    const given = { ...headers, ...(json !== undefined && { 'content-type': type }) }
    const asked = request(jarvis.url + path, { method, headers: given }, async (answer) => {
      const found = new Headers()
      for (let at = 0; at < answer.rawHeaders.length; at += 2)
        found.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '')
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk as Buffer)
      const status = answer.statusCode ?? 0
      resolve(new Response(status === 204 ? null : Buffer.concat(chunks), { status, headers: found }))
    })
    asked.on('error', reject)
    asked.end(json === undefined ? undefined : JSON.stringify(json))
  })

/** Signs in. @param headers what the browser sends */
async function signIn(jarvis: TestJarvis, headers = ownWrite) {
  const response = await send(jarvis, 'POST', '/api/auth/login', headers, { password })
  const set = response.headers.getSetCookie().find((line) => line.startsWith('__Host-'))
  return {
    body: (await response.json()) as { token?: string; expiresIn: number },
    set,
    cookie: set?.split(';')[0] ?? '',
  }
}

/** The code that a handshake is refused with; undefined: it connected. */
const connect = (jarvis: TestJarvis, headers: Sent, auth: object = {}) =>
  new Promise<string | undefined>((resolve) => {
    const socket = io(`${jarvis.url}/chat`, {
      auth,
      extraHeaders: headers,
      forceNew: true,
      transports: ['websocket'],
      reconnection: false,
    })
    const end = (code?: string) => {
      socket.disconnect()
      resolve(code)
    }
    socket.on('connect', () => end())
    socket.on('connect_error', (error: Error & { data?: { code: string } }) => end(error.data?.code ?? error.message))
  })

test('at an https name of its own a sign-in is a cookie that no script reads, and opens REST and sockets', async () => {
  const jarvis = await start()
  const { body, set, cookie } = await signIn(jarvis)
  expect(body.token).toBeUndefined()
  expect(body.expiresIn).toBe(30 * 24 * 60 * 60)
  const [value, ...facts] = (set ?? '').split('; ')
  expect(value).toMatch(/^__Host-jarvis=./)
  expect(facts.sort()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Strict', 'Secure'])

  expect((await send(jarvis, 'GET', '/api/auth/me', { ...ownRead, cookie })).status).toBe(200)
  const made = await send(jarvis, 'POST', '/api/sessions', { ...ownWrite, cookie }, { title: 'By cookie' })
  expect(made.status).toBe(201)
  expect(await connect(jarvis, { ...ownWrite, cookie })).toBeUndefined()

  const out = await send(jarvis, 'POST', '/api/auth/logout', { ...ownWrite, cookie })
  expect(out.headers.getSetCookie()).toEqual(['__Host-jarvis=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Strict'])
  expect((await send(jarvis, 'GET', '/api/auth/me', { ...ownRead, cookie })).status).toBe(401)
  expect(await connect(jarvis, { ...ownWrite, cookie })).toBe('unauthorized')
})

test("signing out ends the open socket of the browser's cookie, and not that of another browser", async () => {
  const jarvis = await start()
  const [mine, other] = [await signIn(jarvis), await signIn(jarvis)]
  const open = async ({ cookie }: { cookie: string }) => {
    const socket = io(`${jarvis.url}/chat`, {
      extraHeaders: { ...ownWrite, cookie },
      forceNew: true,
      transports: ['websocket'],
      reconnection: false,
    })
    onTestFinished(() => void socket.disconnect())
    await new Promise<void>((resolve, reject) => {
      socket.on('connect', () => resolve())
      socket.on('connect_error', reject)
    })
    return { socket, ended: new Promise<string>((resolve) => socket.on('disconnect', resolve)) }
  }
  const [own, foreign] = [await open(mine), await open(other)]

  expect((await send(jarvis, 'POST', '/api/auth/logout', { ...ownWrite, cookie: mine.cookie })).status).toBe(200)
  expect(await own.ended).toBe('io server disconnect')
  expect((await send(jarvis, 'GET', '/api/auth/me', { ...ownRead, cookie: other.cookie })).status).toBe(200)
  expect(foreign.socket.connected).toBe(true)
})

test('elsewhere, and without an Origin, the sign-in is a bearer as ever', async () => {
  const jarvis = await start()
  const own = new URL(jarvis.url).host
  const rows: [string, Sent][] = [
    ['by address', { host: own, origin: jarvis.url, 'sec-fetch-site': 'same-origin' }],
    ['at localhost', { host: 'localhost:4000', origin: 'http://localhost:4000', 'sec-fetch-site': 'same-origin' }],
    ['at another port of the name', { host: 'jarvis.example.org:8443', origin: `${publicUrl}:8443` }],
    ['at the name without TLS', { ...ownRead, origin: 'http://jarvis.example.org' }],
    ['by a program', { host: 'jarvis.example.org' }],
    ['by a browser that tells no Sec-Fetch-Site', { host: 'jarvis.example.org', origin: publicUrl }],
  ]
  for (const [where, headers] of rows) {
    const { body, set } = await signIn(jarvis, headers)
    expect([where, set, typeof body.token, body.expiresIn]).toEqual([where, undefined, 'string', 7 * 24 * 60 * 60])
    const authorization = `Bearer ${body.token}`
    const program = { host: headers.host ?? '', authorization }
    expect((await send(jarvis, 'POST', '/api/sessions', program, { title: where })).status).toBe(201)
  }
})

/** Requests of other pages and programs with the cookie of a signed-in person. */
const foreign: [string, Sent][] = [
  ['a page at another port', { ...ownRead, origin: `${publicUrl}:8443`, 'sec-fetch-site': 'same-site' }],
  ['a picture on a page at another port', { ...ownRead, 'sec-fetch-site': 'same-site' }],
  ['a page of another name in the domain', { ...ownWrite, origin: 'https://nas.example.org' }],
  ['a foreign page', { ...ownWrite, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['a foreign page that a proxy lends our Origin', { ...ownWrite, 'sec-fetch-site': 'cross-site' }],
  ['a form of a page that tells no referrer', { ...ownWrite, origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['our page without TLS', { ...ownWrite, origin: 'http://jarvis.example.org' }],
  ['our page at another port', { host: 'jarvis.example.org:8443', origin: `${publicUrl}:8443` }],
  ['our page by address', { host: '127.0.0.1', origin: 'http://127.0.0.1' }],
  ['an address that was typed in', { ...ownRead, 'sec-fetch-site': 'none' }],
  ['a program', { host: 'jarvis.example.org' }],
  [
    'a program that says it is proxied',
    {
      host: '127.0.0.1',
      'x-forwarded-host': 'jarvis.example.org',
      'x-forwarded-proto': 'https',
      forwarded: 'host=jarvis.example.org;proto=https',
    },
  ],
]

test('the cookie does nothing in a request of another page, of another address or of a program', async () => {
  const jarvis = await start()
  const { cookie } = await signIn(jarvis)
  for (const [who, headers] of foreign) {
    const statuses = [
      (await send(jarvis, 'GET', '/api/sessions', { ...headers, cookie })).status,
      (await send(jarvis, 'POST', '/api/sessions', { ...headers, cookie }, { title: who })).status,
      (await send(jarvis, 'POST', '/api/auth/logout', { ...headers, cookie })).status,
    ]
    expect([who, ...statuses.map((status) => status === 401 || status === 403)]).toEqual([who, true, true, true])
    expect([who, typeof (await connect(jarvis, { ...headers, cookie }))]).toEqual([who, 'string'])
  }
  const { items } = (await (await send(jarvis, 'GET', '/api/sessions', { ...ownRead, cookie })).json()) as {
    items: unknown[]
  }
  expect(items).toEqual([])
})

test('a form of another page changes nothing, whatever it calls its body', async () => {
  const jarvis = await start()
  const { cookie } = await signIn(jarvis)
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    for (const origin of ['null', 'https://evil.example', undefined]) {
      const headers = { ...ownRead, 'sec-fetch-site': 'cross-site', cookie, ...(origin && { origin }) }
      const response = await send(jarvis, 'POST', '/api/sessions', headers, { title: 'Forged' }, type)
      expect([401, 403]).toContain(response.status)
    }
  }
  // The same without an Origin, as a program sends it.
  expect((await send(jarvis, 'POST', '/api/sessions', { ...ownRead, cookie }, { title: 'Forged' })).status).toBe(401)
})

test('a bearer counts before the cookie, and a program’s token is none', async () => {
  const jarvis = await start()
  const { cookie } = await signIn(jarvis)
  const withBoth = { ...ownRead, cookie, authorization: 'Bearer a.b.c' }
  expect((await send(jarvis, 'GET', '/api/auth/me', withBoth)).status).toBe(401)
  const made = await jarvis.rest('/api/tokens', {
    method: 'POST',
    json: { name: 'reader', doors: ['api'], scope: 'read' },
  })
  const { token } = (await made.json()) as { token: string }
  const asCookie = { ...ownRead, cookie: `__Host-jarvis=${token}` }
  expect((await send(jarvis, 'GET', '/api/sessions', asCookie)).status).toBe(401)
  expect(await connect(jarvis, { ...ownWrite, cookie }, { token: 'a.b.c' })).toBe('unauthorized')
})

test('each sign-in has a new id and ends the one that the browser had, so a planted one is worth nothing', async () => {
  const jarvis = await start()
  const planted = await signIn(jarvis)
  const after = await signIn(jarvis, { ...ownWrite, cookie: planted.cookie })
  expect(after.cookie).not.toBe(planted.cookie)
  const status = async (cookie: string) => (await send(jarvis, 'GET', '/api/auth/me', { ...ownRead, cookie })).status
  expect([await status(planted.cookie), await status(after.cookie)]).toEqual([401, 200])
})

test('a sign-in ends without use, and at last whatever happens; both times are told', async () => {
  const clock = createSkippingClock()
  const jarvis = await start({ JARVIS_SIGN_IN_IDLE_DAYS: '3' }, { clock })
  const { cookie } = await signIn(jarvis)
  const other = await signIn(jarvis)
  const ask = (given = cookie) => send(jarvis, 'GET', '/api/auth/sign-ins', { ...ownRead, cookie: given })
  const items = async () => ((await (await ask()).json()) as { items: SignInInfo[] }).items
  const [mine] = (await items()).filter(({ isThis }) => isThis)
  expect(mine).toMatchObject({
    idleEndsAt: (mine?.lastSeenAt ?? 0) + 3 * day,
    endsAt: (mine?.createdAt ?? 0) + 30 * day,
  })
  clock.skip(2 * day)
  expect(await items()).toHaveLength(2)
  clock.skip(2 * day)
  // The other one was not used for four days.
  expect(await items()).toHaveLength(1)
  const late = await ask(other.cookie)
  expect([late.status, await late.json()]).toEqual([
    401,
    { error: { code: 'token_expired', message: expect.any(String) } },
  ])
  for (let days = 4; days < 30; days += 2) {
    expect((await ask()).status).toBe(200)
    clock.skip(2 * day)
  }
  expect((await ask()).status).toBe(401)
})

test('a change of the password moves this browser to a new cookie and ends the person’s others, sockets too', async () => {
  const jarvis = await startJarvis({ env: { JARVIS_PUBLIC_URL: publicUrl, JARVIS_PASSWORD: '' } })
  const first = jarvis.newPassword ?? ''
  const login = async () => {
    const response = await send(jarvis, 'POST', '/api/auth/login', ownWrite, { password: first })
    return (
      response.headers
        .getSetCookie()
        .find((line) => line.startsWith('__Host-'))
        ?.split(';')[0] ?? ''
    )
  }
  const [here, elsewhere] = [await login(), await login()]
  const socket = io(`${jarvis.url}/chat`, {
    extraHeaders: { ...ownWrite, cookie: elsewhere },
    forceNew: true,
    transports: ['websocket'],
    reconnection: false,
  })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('connect_error', reject))
  const dropped = new Promise((resolve) => socket.once('disconnect', resolve))
  const changed = await send(
    jarvis,
    'POST',
    '/api/auth/password',
    { ...ownWrite, cookie: here },
    { current: first, next: 'plum-orchard-seven' },
  )
  expect(changed.status).toBe(200)
  await dropped
  const next = changed.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const status = async (cookie: string) => (await send(jarvis, 'GET', '/api/auth/me', { ...ownRead, cookie })).status
  expect([await status(elsewhere), await status(here), await status(next)]).toEqual([401, 401, 200])
})

test.each([
  [undefined, false],
  ['http://jarvis.example.org', false],
  ['https://192.0.2.7', false],
  ['https://[2001:db8::7]', false],
  ['https://localhost:4000', false],
  ['https://jarvis.localhost', false],
  ['https://jarvis.example.org', true],
  ['https://jarvis.lan:8443', true],
])('with the public URL %s sign-ins are kept in a cookie: %s', (url, is) => {
  const host = new URL(url ?? 'http://localhost').host
  const headers = { host, origin: url ?? 'http://localhost', 'sec-fetch-site': 'same-origin' }
  expect(createSessionCookie(url).suits({ method: 'POST', headers })).toBe(is)
  const token = jwt.sign({}, 'secret')
  const read = createSessionCookie(url).read({
    method: 'POST',
    headers: { ...headers, cookie: `__Host-jarvis=${token}` },
  })
  expect(read).toBe(is ? token : undefined)
})
