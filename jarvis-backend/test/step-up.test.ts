import type { JournalEntry, Page } from 'protocol'
import { io } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { attachedDir, connected, odd, tool, toolOf } from './support/attached.ts'
import { createSkippingClock } from './support/fake-clock.ts'
import { newVerifier, openRequest, queryFor, registerClient } from './support/oauth-client.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

/** The proof that each changing route asks of an operator. `sometimes`: only if it allows more than before. `key`: a program asks. */
const routes: Record<string, 'public' | 'token' | 'password' | 'sometimes' | 'key'> = {
  // An agent that may do more, or is gone, leaves its channels and clients with more.
  'PUT /agents/:id': 'password',
  'DELETE /agents/:id': 'password',
  'POST /agents/try': 'token',
  'POST /agents/:id/classify': 'token',
  'PUT /agents/:id/files/*path': 'token',
  'DELETE /agents/:id/files/*path': 'token',
  'DELETE /auth/sign-ins/:id': 'token',
  'PUT /auth/display': 'token',
  'POST /attachments': 'token',
  'POST /transcriptions': 'token',
  'DELETE /attachments/:id': 'token',
  // A silenced alert stays on the screens, and its silence ends by itself.
  'POST /alerts/:id/acknowledge': 'token',
  'POST /alerts/:id/unacknowledge': 'token',
  'POST /alerts/:id/silence': 'token',
  'POST /alerts/:id/unsilence': 'token',
  'POST /auth/login': 'public',
  'POST /auth/step-up': 'token',
  'POST /auth/password': 'token',
  'POST /auth/sign-out-others': 'token',
  'POST /auth/logout': 'token',
  // The holder of the link was given it for this.
  'POST /auth/link': 'public',
  'POST /auth/join': 'public',
  'POST /auth/reset': 'public',
  'POST /auth/oidc': 'public',
  'POST /auth/oidc/finish': 'public',
  // A linked account signs in as the person; unlinking takes that away.
  'POST /auth/accounts': 'password',
  'POST /auth/accounts/finish': 'token',
  'DELETE /auth/accounts/:id': 'token',
  'POST /people/accounts/:id/admit': 'password',
  'DELETE /people/accounts/:id': 'token',
  'POST /auth/passkey': 'public',
  'POST /auth/passkey/options': 'public',
  // A new key would decide in place of the person.
  'POST /passkeys/options': 'password',
  'POST /passkeys': 'password',
  'POST /passkeys/countersign': 'password',
  'PATCH /passkeys/:id': 'token',
  'DELETE /passkeys/:id': 'password',
  // A stolen token alone could put another app in place of the person's.
  'POST /second-factor': 'password',
  'POST /second-factor/confirm': 'password',
  'POST /second-factor/recovery-codes': 'password',
  'DELETE /second-factor': 'password',
  'DELETE /people/:id/second-factor': 'password',
  'DELETE /people/:id/passkeys/:passkey': 'password',
  'DELETE /people/:id/signers/ssh/:key': 'password',
  'POST /push/decide': 'public',
  'POST /channel-taps/:channel': 'public',
  'POST /signers/ssh': 'password',
  'POST /signers/ssh/countersign': 'password',
  'DELETE /signers/ssh/:id': 'password',
  // Keeping and taking back are decisions as those on cards; what an undo does asks by itself.
  'PUT /budgets': 'password',
  'POST /budgets/runs/:runId': 'password',
  'POST /changes/:id/keep': 'token',
  'POST /changes/:id/undo': 'token',
  // A channel is another way to decide; what reaches nobody more, and what ends one, needs no password.
  'PUT /channels/:channel': 'password',
  'DELETE /channels/:channel': 'token',
  'POST /channels/:channel/check': 'token',
  'POST /channels/:channel/test': 'token',
  'POST /channels/:channel/pairings': 'password',
  'POST /channels/:channel/groups': 'password',
  'POST /channel-pairings/:id/confirm': 'password',
  'DELETE /channel-pairings/:id': 'token',
  'PATCH /channel-recipients/:id': 'sometimes',
  'DELETE /channel-recipients/:id': 'token',
  'POST /channel-deliveries/:id/again': 'token',
  'PUT /channel-rules': 'password',
  'PATCH /checks/:id': 'token',
  'POST /checks/run': 'token',
  'POST /confirmations/:id': 'token',
  'POST /confirmations/:id/break-glass': 'password',
  'POST /roles/try': 'token',
  // A statement allows nothing before it is signed.
  'POST /confirmations/:id/challenge': 'token',
  // The call is asked for again, on a card.
  'DELETE /confirmations/:id/denial': 'token',
  // An answer allows nothing.
  'POST /questions/:id': 'token',
  'POST /executions/:id/check': 'token',
  'DELETE /grants/:id': 'token',
  // A job asks at each of its runs as a chat does, so that making one is like sending a message.
  'POST /jobs': 'token',
  'POST /jobs/preview': 'token',
  'POST /jobs/stop': 'token',
  'POST /jobs/start': 'token',
  'PATCH /jobs/:id': 'token',
  'PATCH /people/:id': 'password',
  'POST /people/invitations': 'password',
  'DELETE /people/invitations/:id': 'token',
  'DELETE /jobs/:id': 'token',
  'POST /jobs/:id/run': 'token',
  // It lets red calls run without a card; ending that needs no password.
  'POST /jobs/:id/approval': 'password',
  'DELETE /jobs/:id/approval': 'token',
  'POST /heartbeat/start': 'token',
  'POST /heartbeat/stop': 'token',
  'POST /heartbeat/run': 'token',
  'PUT /limits': 'token',
  'POST /mcp-servers': 'password',
  'PUT /mcp-servers/:name': 'password',
  'POST /mcp-servers/:name/connect': 'password',
  'POST /mcp-servers/:name/allow': 'password',
  'POST /mcp-servers/:name/sign-in': 'password',
  'POST /mcp-servers/:name/sign-out': 'token',
  'PUT /mcp-servers/tools/:tool/tier': 'sometimes',
  'DELETE /mcp-servers/:name': 'token',
  'POST /hooks': 'password',
  'DELETE /hooks': 'token',
  'POST /hooks/pve': 'key',
  'POST /tokens': 'password',
  'DELETE /tokens/:name': 'token',
  'POST /mcp-tokens': 'password',
  'DELETE /mcp-tokens/:name': 'token',
  'POST /memory/reindex': 'token',
  'PUT /memory/files/*path': 'token',
  'DELETE /memory/files/*path': 'token',
  'DELETE /memory/sessions/:id': 'token',
  'POST /memory/writes/:id/undo': 'token',
  // One of the models that were saved with the password; a person who may chat chooses one of them for a conversation by a token too.
  'POST /models/use': 'token',
  'POST /models/:provider/test': 'token',
  'PUT /models/:provider': 'password',
  'PUT /models/fallbacks': 'password',
  'DELETE /models/:provider': 'token',
  'DELETE /people/:id': 'password',
  // The role of a node only ever raises a tier.
  'PUT /node-roles': 'token',
  'POST /people/:id/sign-out': 'token',
  'POST /oauth/requests': 'token',
  'POST /oauth/requests/:id': 'sometimes',
  'POST /push': 'password',
  'DELETE /push/:id': 'token',
  'POST /push/:id/test': 'token',
  'POST /push/:id/seen': 'token',
  'POST /restart': 'password',
  'POST /plans/:id/stop': 'token',
  'POST /plans/:id/undo': 'token',
  // A runbook has no rights of its own: each of its calls is judged when it runs.
  'POST /runbooks/check': 'token',
  'PUT /runbooks/:name': 'token',
  'DELETE /runbooks/:name': 'token',
  'POST /runbooks/:name/run': 'token',
  'POST /sessions/:id/messages': 'token',
  'POST /sessions/:id/abort': 'token',
  'POST /sessions/:id/queue/:messageId/send': 'token',
  'DELETE /sessions/:id/queue/:messageId': 'token',
  'POST /sessions/:id/commands/:commandId/stop': 'token',
  'PUT /sessions/:id/entries/:seq/rating': 'token',
  'PUT /sessions/:id/shares/:person': 'token',
  'DELETE /sessions/:id/shares/:person': 'token',
  'POST /sessions': 'token',
  'PATCH /sessions/:id': 'token',
  'POST /sessions/:id/branch': 'token',
  'DELETE /sessions/:id': 'token',
  'POST /sessions/:id/fold': 'token',
  'PUT /settings': 'sometimes',
  // An approved skill reaches every model; turning it off or deleting it takes something away.
  'POST /skills/:name/approve': 'password',
  'POST /skills/:name/off': 'token',
  'DELETE /skills/:name': 'token',
  'POST /setup/probe': 'token',
  'POST /setup/test': 'token',
  'POST /setup/save': 'password',
  'DELETE /setup': 'password',
  'POST /tools/:name/classify': 'token',
  'POST /windows': 'token',
  // It lets commands, files and sites of this machine in.
  'PUT /workbench': 'password',
  'POST /workbench/preview': 'token',
  'DELETE /windows/:id': 'token',
}

test('every route that changes something asks for what was decided here', async () => {
  const jarvis = await startJarvis({ restart() {} })
  const found = jarvis.routes.flatMap(({ method, path, role, password }) => {
    const asks = role === 'key' || role === 'public' ? role : password === true ? 'password' : password || 'token'
    return method === 'get' ? [] : [[`${method.toUpperCase()} ${path}`, asks]]
  })
  expect(Object.fromEntries(found)).toEqual(routes)
})

test('no route lets a stranger, a viewer or a stray query in, and each refuses before it looks into a body', async () => {
  const jarvis = await startJarvis({ restart() {} })
  const [operator, viewer] = [jarvis.token('operator'), jarvis.token('viewer')]
  for (const { method, path, role, password, query } of jarvis.routes) {
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
