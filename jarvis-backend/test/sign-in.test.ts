import { createHmac, scryptSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import jwt from 'jsonwebtoken'
import { io } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { failingRows } from './support/failing-rows.ts'
import { household } from './support/persons.ts'
import { jwtSecret, password, startJarvis, tokenFor } from './support/start-jarvis.ts'

const namespaces = ['/chat', '/cluster', '/events']
const claims = { sub: 'operator', role: 'operator', iss: 'jarvis' }
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const hourAway = Math.floor(Date.now() / 1000) + 3600
const byHand = (header: object, payload: object, secret = jwtSecret) => {
  const text = `${encoded(header)}.${encoded(payload)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

const forged: [string, string, string][] = [
  ['nothing', '', 'unauthorized'],
  ['noise', 'abc.def.ghi', 'unauthorized'],
  ['alg none', `${encoded({ alg: 'none' })}.${encoded({ ...claims, exp: hourAway, iat: 0 })}.`, 'unauthorized'],
  ['another secret', jwt.sign(claims, 'x'.repeat(40), { expiresIn: 60 }), 'unauthorized'],
  ['another algorithm', jwt.sign(claims, jwtSecret, { expiresIn: 60, algorithm: 'HS512' }), 'unauthorized'],
  ['no expiry', jwt.sign(claims, jwtSecret), 'unauthorized'],
  ['another issuer', jwt.sign({ ...claims, iss: 'someone' }, jwtSecret, { expiresIn: 60 }), 'unauthorized'],
  ['an audience', jwt.sign({ ...claims, aud: 'another' }, jwtSecret, { expiresIn: 60 }), 'unauthorized'],
  ['no role', jwt.sign({ sub: 'operator', iss: 'jarvis' }, jwtSecret, { expiresIn: 60 }), 'unauthorized'],
  ['an unknown role', jwt.sign({ ...claims, role: 'root' }, jwtSecret, { expiresIn: 60 }), 'unauthorized'],
  [
    'a kid that names a file',
    byHand({ alg: 'HS256', kid: '/dev/null' }, { ...claims, exp: hourAway, iat: 0 }, ''),
    'unauthorized',
  ],
  ['expired', jwt.sign({ ...claims, exp: 1000, iat: 0 }, jwtSecret), 'token_expired'],
]

test('a forged token opens nothing', async () => {
  const jarvis = await startJarvis()
  const judge = async ([, token, code]: (typeof forged)[number]) => {
    for (const namespace of namespaces) {
      const error = await new Promise<Error & { data?: unknown }>((resolve) => {
        const socket = io(jarvis.url + namespace, {
          auth: { token },
          forceNew: true,
          transports: ['websocket'],
          reconnection: false,
        })
        socket.on('connect_error', (reason) => {
          socket.disconnect()
          resolve(reason)
        })
      })
      expect(error.data, namespace).toMatchObject({ code })
    }
    const response = await jarvis.rest('/api/tools', { headers: { authorization: `Bearer ${token}` } })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: { code } })
  }
  expect(await failingRows(forged, judge)).toEqual([])
})

test('the password gives a token that opens REST and sockets', async () => {
  const jarvis = await startJarvis()
  const login = (given: string) =>
    fetch(`${jarvis.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: given }),
    })
  const wrong = await login('not-the-password')
  expect(wrong.status).toBe(401)
  expect(await wrong.json()).toMatchObject({ error: { code: 'invalid_credentials' } })
  const { token, expiresIn } = (await (await login(password)).json()) as { token: string; expiresIn: number }
  expect(jwt.decode(token)).toMatchObject({ sub: 'operator', role: 'operator', iss: 'jarvis' })
  expect(expiresIn).toBeGreaterThan(0)
  expect((await fetch(`${jarvis.url}/api/tools`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
  expect((await fetch(`${jarvis.url}/api/tools?token=${token}`)).status).toBe(401)

  for (let tries = 0; tries < 5; tries += 1) await login('wrong-again')
  const refused = await login(password)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('signing out drops the sockets of that token alone, and the token is dead', async () => {
  const jarvis = await startJarvis()
  const operator = await jarvis.connect()
  const token = (operator.socket.auth as { token: string }).token
  const viewer = await jarvis.connect('/chat', 'viewer')
  const dropped = new Promise((resolve) => operator.socket.on('disconnect', resolve))
  const response = await jarvis.rest('/api/auth/logout', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  expect(response.status).toBe(200)
  await dropped
  expect(viewer.socket.connected).toBe(true)
  expect((await jarvis.rest('/api/tools', { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
})

test('a viewer reads, and nothing else', async () => {
  const jarvis = await startJarvis()
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: '/get_cluster_status' })
  await operator.next('chat:done')
  const viewer = await jarvis.connect('/chat', 'viewer')
  expect((await viewer.ask('chat:attach', { sessionId })).snapshot.entries.length).toBeGreaterThan(0)
  for (const [event, payload] of [
    ['chat:send', { message: 'Stop it all.' }],
    ['chat:confirm', { sessionId, toolUseId: 'tu_x', confirmed: true }],
    ['chat:abort', { sessionId }],
  ] as const) {
    expect(await viewer.request(event, payload)).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  }
  for (const [method, path] of [
    ['POST', '/api/sessions'],
    ['PATCH', `/api/sessions/${sessionId}`],
    ['DELETE', `/api/sessions/${sessionId}`],
  ] as const) {
    expect((await jarvis.rest(path, { method, role: 'viewer', json: {} })).status).toBe(403)
  }
})

test.each([
  ['a foreign page', { origin: 'http://evil.example' }],
  ['a page on another port', { origin: 'http://127.0.0.1:1' }],
])('%s is refused on REST, MCP and the socket handshake', async (_what, headers) => {
  const jarvis = await startJarvis()
  for (const path of ['/api/tools', '/mcp', '/health', '/']) {
    const { status, headers: answered } = await jarvis.rest(path, { headers })
    expect(status).toBe(403)
    expect(answered.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(answered.get('x-content-type-options')).toBe('nosniff')
  }
  const error = await new Promise((resolve) => {
    const socket = io(`${jarvis.url}/chat`, {
      auth: { token: tokenFor('operator') },
      extraHeaders: headers,
      forceNew: true,
      transports: ['websocket'],
      reconnection: false,
    })
    socket.on('connect', () => resolve(undefined))
    socket.on('connect_error', (reason) => {
      socket.disconnect()
      resolve(reason)
    })
  })
  expect(error).toBeInstanceOf(Error)
})

test('changing the password drops every socket, kills every token, and the new one opens', async () => {
  const jarvis = await startJarvis({ env: { JARVIS_PASSWORD: '' } })
  const made = jarvis.newPassword ?? ''
  const login = async (given: string) => {
    const response = await fetch(`${jarvis.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: given }),
    })
    return { status: response.status, ...((await response.json()) as { token?: string }) }
  }
  const { token } = await login(made)
  const operator = await jarvis.connect()
  const dropped = new Promise((resolve) => operator.socket.on('disconnect', resolve))
  const change = (current: string, next: string) =>
    jarvis.rest('/api/auth/password', {
      method: 'POST',
      json: { current, next },
      headers: { authorization: `Bearer ${token}` },
    })
  expect((await change('not-it', 'a-better-password')).status).toBe(401)
  expect((await change(made, 'short')).status).toBe(400)
  const changed = await change(made, 'a-better-password')
  expect(changed.status).toBe(200)
  await dropped
  const fresh = (await changed.json()) as { token: string }
  const tools = (bearer = '') => jarvis.rest('/api/tools', { headers: { authorization: `Bearer ${bearer}` } })
  expect((await tools(token)).status).toBe(401)
  expect((await tools(fresh.token)).status).toBe(200)
  expect((await login(made)).status).toBe(401)
  expect((await login('a-better-password')).status).toBe(200)
})

test.each(['the-operator', 'operator'])(
  'a password that is changed while it is checked signs nobody in, and is changed once (%s)',
  async (name) => {
    const { jarvis } = await household({ hashesAsInProduction: true, env: { JARVIS_PASSWORD: '' } })
    const old = name === 'operator' ? (jarvis.newPassword ?? '') : password
    const post = async (path: string, json: object, token = '') => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
      const response = await fetch(`${jarvis.url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(json) })
      const { token: given = '' } = (await response.json()) as { token?: string }
      return { status: response.status, token: given }
    }
    const signIn = () => post('/auth/login', { name, password: old })
    const token = (await signIn()).token
    const nexts = ['plum-orchard-seven', 'pear-meadow-eleven']
    let isOver = false
    const changes = Promise.all(nexts.map((next) => post('/auth/password', { current: old, next }, token)))
    const ended = changes.finally(() => {
      isOver = true
    })
    const given: string[] = []
    const more = async () => {
      while (!isOver) given.push((await signIn()).token)
    }
    await Promise.all([ended, more(), more(), more()])
    const changed = (await changes).filter(({ status }) => status === 200)
    const alive: string[] = []
    for (const one of given.filter((each) => each !== '')) {
      const headers = { authorization: `Bearer ${one}` }
      if ((await fetch(`${jarvis.url}/api/people`, { headers })).status !== 401) alive.push(one)
    }
    expect({ changed: changed.length, alive: alive.length }).toEqual({ changed: 1, alive: 0 })
  },
  60_000,
)

test('another JARVIS_PASSWORD at the next start ends the sessions of the last', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-password-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const first = await startJarvis({ dataDir })
  const old = jwt.sign({ ...claims, iat: Math.floor(Date.now() / 1000) - 60 }, jwtSecret, { expiresIn: 600 })
  const tools = (url: string) => fetch(`${url}/api/tools`, { headers: { authorization: `Bearer ${old}` } })
  expect((await tools(first.url)).status).toBe(200)
  await first.stop()
  const same = await startJarvis({ dataDir })
  expect((await tools(same.url)).status).toBe(200)
  await same.stop()
  const other = await startJarvis({ dataDir, env: { JARVIS_PASSWORD: 'quite-another-one' } })
  expect((await tools(other.url)).status).toBe(401)
})

test('wrong passwords are counted by who sent them, by the account, and never against one who signed in', async () => {
  const jarvis = await startJarvis({ env: { JARVIS_TRUSTED_PROXIES: '127.0.0.1' } })
  const login = (given: string, headers: Record<string, string>) =>
    fetch(`${jarvis.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ password: given }),
    })
  const from = (address: string) => ({ 'x-forwarded-for': `127.0.0.1, ${address}` })
  const first = await login(password, from('203.0.113.50'))
  expect(first.status).toBe(200)
  const [cookie = ''] = first.headers.getSetCookie()
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/)
  const { token } = (await first.json()) as { token: string }

  const tries = await Promise.all(
    Array.from({ length: 40 }, (_, turn) => login('wrong-password', from(`203.0.113.${turn % 10}`))),
  )
  expect(tries.filter(({ status }) => status === 401)).toHaveLength(10)
  expect(tries.filter(({ status }) => status === 429)).toHaveLength(30)

  expect((await login(password, from('203.0.113.51'))).status).toBe(429)
  const device = cookie.split(';')[0] ?? ''
  expect((await login(password, { ...from('203.0.113.51'), cookie: `${device}x` })).status).toBe(429)
  expect((await login(password, { ...from('203.0.113.51'), cookie: `other=1; ${device}` })).status).toBe(200)
  const stepUp = await jarvis.rest('/api/auth/step-up', {
    method: 'POST',
    json: { password },
    headers: { authorization: `Bearer ${token}`, ...from('203.0.113.0') },
  })
  expect(stepUp.status).toBe(200)
  const { items } = (await (await jarvis.rest('/api/journal?kind=sign_in&limit=1')).json()) as { items: object[] }
  expect(items).toMatchObject([{ body: { what: 'stepped_up', address: '203.0.113.0' } }])
})

test('a forwarded address is believed only from a configured proxy', async () => {
  const jarvis = await startJarvis()
  const tries = await Promise.all(
    Array.from({ length: 20 }, (_, turn) =>
      fetch(`${jarvis.url}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${turn}` },
        body: JSON.stringify({ password: 'wrong-password' }),
      }),
    ),
  )
  expect(tries.filter(({ status }) => status === 401)).toHaveLength(5)
})

test('the hash of an older release signs in, and the first right password replaces it, at the strength of production', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-hash-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const file = join(dataDir, 'password-hash')
  const key = scryptSync('an-older-password', Buffer.alloc(16, 3), 32)
  const old = `scrypt$${Buffer.alloc(16, 3).toString('base64url')}$${key.toString('base64url')}\n`
  writeFileSync(file, old, { mode: 0o600 })
  const jarvis = await startJarvis({ dataDir, env: { JARVIS_PASSWORD: '' }, hashesAsInProduction: true })
  expect(jarvis.newPassword).toBeUndefined()
  const login = async (given: string) =>
    (
      await fetch(`${jarvis.url}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ password: given }),
      })
    ).status
  expect(await login('not-the-password')).toBe(401)
  expect(readFileSync(file, 'utf8')).toBe(old)
  expect(await login('an-older-password')).toBe(200)
  expect(readFileSync(file, 'utf8')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await login('an-older-password')).toBe(200)
  expect(await login('not-the-password')).toBe(401)
})
