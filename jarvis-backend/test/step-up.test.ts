import type { JournalEntry, Page } from 'protocol'
import { io } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { rowsOf } from '../../scripts/property-runs.ts'
import { rest } from './rights/doors.ts'
import { attachedDir, connected, odd, tool, toolOf } from './support/attached.ts'
import { createSkippingClock } from './support/fake-clock.ts'
import { newVerifier, openRequest, queryFor, registerClient } from './support/oauth-client.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

test('every route asks for the password as it was decided by hand', async () => {
  const jarvis = await startJarvis({ restart() {} })
  const found = jarvis.routes.map(({ method, path, role, password }) => [
    `${method.toUpperCase()} ${path}`,
    role === 'public' || role === 'key' ? role : 'signed in',
    password,
  ])
  const decided = rest.map(({ door, opensBy = 'signed in', password }) => [door, opensBy, password])
  expect(found.toSorted()).toEqual(decided.toSorted())
})

// A sample of the routes by day: `rights.test.ts` holds by day too that each refuses strangers and viewers.
test('no route lets a stranger, a viewer or a stray query in, and each refuses before it looks into a body', async () => {
  const jarvis = await startJarvis({ restart() {} })
  const [operator, viewer] = [jarvis.token('operator'), jarvis.token('viewer')]
  for (const { method, path, role, password, query } of rowsOf(jarvis.routes, 80)) {
    const at = `/api${path.replace(/[:*]\w+/g, 'none')}`
    const codes = async (token: string, search = '') =>
      codeOf(
        await ask(jarvis, token, method.toUpperCase(), at + search, method === 'get' ? undefined : { broken: true }),
      )
    if (role === 'public') continue
    expect([at, await codes('none')]).toEqual([at, 'unauthorized'])
    if (role === 'key') continue
    if (query === undefined) expect([at, await codes(viewer, '?stray=1')]).toEqual([at, 'invalid_request'])
    if (role === 'operator') expect([at, await codes(viewer)]).toEqual([at, 'forbidden'])
    if (password === true) expect([at, await codes(operator)]).toEqual([at, 'step_up_required'])
  }
})

/** With this token and nothing else. */
const ask = (jarvis: TestJarvis, token: string, method: string, path: string, json?: unknown) =>
  fetch(jarvis.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  })
const codeOf = async (response: Response) => ((await response.json()) as { error?: { code: string } }).error?.code
const stepUp = (jarvis: TestJarvis, token: string, password: string) =>
  ask(jarvis, token, 'POST', '/api/auth/step-up', { password })

const guarded: [method: string, path: string, body?: unknown][] = [
  ['POST', '/api/mcp-servers', { name: 'shell', command: 'sh', args: ['-c', 'touch pwned'] }],
  ['PUT', '/api/mcp-servers/shell', { command: 'sh' }],
  ['POST', '/api/mcp-servers/shell/connect'],
  ['POST', '/api/mcp-servers/shell/allow', { program: 'x' }],
  ['POST', '/api/tokens', { name: 'mine', doors: ['metrics'] }],
  ['POST', '/api/mcp-tokens', { name: 'mine', isReadOnly: true }],
  ['PUT', '/api/models/openai', { model: 'm', baseUrl: 'http://127.0.0.1:9/v1' }],
  ['PUT', '/api/models/fallbacks', { fallbacks: [] }],
  ['PUT', '/api/settings', { profile: 'unrestricted' }],
  ['POST', '/api/setup/save', { urls: ['https://127.0.0.1:9'], tokenId: 'a@pam!b', tokenSecret: 'c' }],
  ['DELETE', '/api/setup'],
  ['POST', '/api/restart'],
  ['POST', '/api/push', {}],
  ['POST', '/api/jobs/job_drill/approval'],
  ['POST', '/api/skills/disk-health/approve', { hash: 'a'.repeat(64) }],
  ['PUT', '/api/agents/media', { agent: { ceiling: 'red' } }],
  ['DELETE', '/api/agents/media'],
]

test('a token alone starts no program, makes no key, loosens nothing and reaches no new address', async () => {
  let restarts = 0
  const jarvis = await startJarvis({
    env: { JARVIS_TERMINAL: '1' },
    restart: () => {
      restarts += 1
    },
  })
  const token = jarvis.token('operator')
  for (const [method, path, body] of guarded) {
    const response = await ask(jarvis, token, method, path, body)
    expect([path, response.status, await codeOf(response)]).toEqual([path, 403, 'step_up_required'])
  }
  const socket = io(`${jarvis.url}/terminal`, { auth: { token }, forceNew: true, transports: ['websocket'] })
  onTestFinished(() => void socket.disconnect())
  const open = (): Promise<unknown> => socket.emitWithAck('terminal:open', { node: 'pve', cols: 80, rows: 24 })
  expect(await open()).toMatchObject({ ok: false, error: { code: 'step_up_required' } })

  expect(await (await jarvis.rest('/api/mcp-servers')).json()).toMatchObject({ items: [] })
  expect(await (await jarvis.rest('/api/mcp-tokens')).json()).toEqual({ items: [] })
  expect(await (await jarvis.rest('/api/settings')).json()).toMatchObject({ profile: 'balanced' })
  expect(restarts).toBe(0)

  // A setting that asks for more than before needs no password: it must be quick.
  expect((await ask(jarvis, token, 'PUT', '/api/settings', { profile: 'lockdown' })).status).toBe(200)
  const back = await ask(jarvis, token, 'PUT', '/api/settings', { profile: 'balanced' })
  expect(await codeOf(back)).toBe('step_up_required')
  // The same password serves every door of this token.
  expect((await stepUp(jarvis, token, 'correct-horse-battery')).status).toBe(200)
  expect(await open()).toMatchObject({ ok: true })
})

test('the password elevates one token for five minutes, ends with it, and is journalled', async () => {
  const clock = createSkippingClock()
  const jarvis = await startJarvis({ clock })
  const [token, other, viewer] = [jarvis.token('operator'), jarvis.token('operator'), jarvis.token('viewer')]
  const loosen = (by: string) => ask(jarvis, by, 'PUT', '/api/settings', { profile: 'permissive' })
  const tighten = () => ask(jarvis, token, 'PUT', '/api/settings', { profile: 'balanced' })

  expect(await codeOf(await stepUp(jarvis, token, 'a-wrong-password'))).toBe('invalid_credentials')
  expect(await codeOf(await loosen(token))).toBe('step_up_required')
  // A viewer gives it for a passkey, and may do no more than before.
  expect((await stepUp(jarvis, viewer, 'correct-horse-battery')).status).toBe(200)
  expect(await codeOf(await loosen(viewer))).toBe('forbidden')

  expect(await (await stepUp(jarvis, token, 'correct-horse-battery')).json()).toEqual({ expiresIn: 300 })
  expect((await loosen(token)).status).toBe(200)
  expect((await tighten()).status).toBe(200)
  expect(await codeOf(await loosen(other))).toBe('step_up_required')

  clock.skip(5 * 60_000)
  expect(await codeOf(await loosen(token))).toBe('step_up_required')
  const { items } = (await (await jarvis.rest('/api/journal?kind=sign_in')).json()) as Page<JournalEntry>
  expect(items.map(({ body }) => body)).toMatchObject([
    { what: 'stepped_up', by: 'operator', address: '127.0.0.1' },
    { what: 'stepped_up', by: 'viewer' },
    { what: 'step_up_refused', by: 'operator' },
  ])
})

test('signing in is not yet the password again, and a right password leaves no wrong one counted', async () => {
  const jarvis = await startJarvis()
  const login = await ask(jarvis, 'none', 'POST', '/api/auth/login', { password: 'correct-horse-battery' })
  const { token } = (await login.json()) as { token: string }
  expect(await codeOf(await ask(jarvis, token, 'POST', '/api/restart'))).toBe('step_up_required')
  // Guessing with a stolen token is braked, and brakes nobody else.
  for (let tries = 0; tries < 5; tries += 1) await stepUp(jarvis, token, 'a-wrong-password')
  expect((await stepUp(jarvis, token, 'correct-horse-battery')).status).toBe(429)
  const again = await ask(jarvis, 'none', 'POST', '/api/auth/login', { password: 'correct-horse-battery' })
  expect(again.status).toBe(200)
})

test('a looser tier of an attached tool asks for the password, and a stricter one does not', async () => {
  const { dir } = attachedDir((plan) => ({ odd: odd(plan) }), { tools: [tool('read')] })
  const jarvis = await startJarvis({ dataDir: dir })
  await connected(jarvis, 'odd')
  const { hash } = await toolOf(jarvis, 'odd__read')
  const token = jarvis.token('operator')
  const set = (tier: string) => ask(jarvis, token, 'PUT', '/api/mcp-servers/tools/odd__read/tier', { tier, hash })
  expect((await set('red')).status).toBe(200)
  expect(await codeOf(await set('green'))).toBe('step_up_required')
  expect(await toolOf(jarvis, 'odd__read')).toMatchObject({ tier: 'red' })
  await stepUp(jarvis, token, 'correct-horse-battery')
  expect((await set('green')).status).toBe(200)
})

test('allowing an MCP client asks for the password, and refusing it does not', async () => {
  const jarvis = await startJarvis()
  const { body } = await registerClient(jarvis)
  const token = jarvis.token('operator')
  const decide = async (allow: boolean) => {
    const { id } = await openRequest(jarvis, queryFor(jarvis, body.client_id, newVerifier()))
    return ask(jarvis, token, 'POST', `/api/oauth/requests/${id}`, { allow, isReadOnly: true })
  }
  expect(await codeOf(await decide(true))).toBe('step_up_required')
  expect((await decide(false)).status).toBe(200)
  expect(await (await jarvis.rest('/api/mcp-tokens')).json()).toEqual({ items: [] })
})
