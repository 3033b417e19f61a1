import type { IncomingMessage } from 'node:http'
import { get } from 'node:http'
import { join } from 'node:path'
import { firstOwnerId, type McpTokenInfo, type Page } from 'protocol'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createClientAddress } from '../src/auth/client-address.ts'
import { oauthRoom } from '../src/auth/oauth/room.ts'
import { StepUp } from '../src/auth/step-up.ts'
import { SqlitePersonStore } from '../src/store/sqlite/access/people.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { tokensIn } from './support/api-tokens.ts'
import { failingRows } from './support/failing-rows.ts'
import { createSkippingClock } from './support/fake-clock.ts'
import { connectMcp } from './support/mcp-client.ts'
import {
  answerRequest,
  askMcp,
  newVerifier,
  openRequest,
  post,
  queryFor,
  registerClient,
  signedInClient,
  type Tokens,
  withCode,
} from './support/oauth-client.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'
import { useJarvis } from './support/use-jarvis.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

const clock = createSkippingClock()
const jarvis = useJarvis({ clock })
// So many clients may register in an hour as one test needs.
beforeEach(() => clock.skip(60 * minuteMs))

const errorOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: string }
  return `${response.status} ${error}`
}
const tokensOf = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/mcp-tokens')).json()) as Page<McpTokenInfo>).items
const journalOf = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/journal?kind=token&limit=50')).json()) as { items: { body: object }[] }).items
const refresh = (jarvis: TestJarvis, clientId: string, token: string, more = {}) =>
  post(jarvis, '/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...more })

test('without a token, /mcp says where a client can be signed in', async () => {
  const refused = await askMcp(jarvis, undefined)
  expect(refused.status).toBe(401)
  const [, metadata = ''] = /^Bearer resource_metadata="([^"]+)", scope="jarvis:read jarvis:ask"$/.exec(
    refused.headers.get('www-authenticate') ?? '',
  ) ?? ['', '']
  const resource = (await (await fetch(metadata)).json()) as Record<string, unknown>
  expect(resource).toMatchObject({ resource: `${jarvis.url}/mcp`, authorization_servers: [jarvis.url] })
  expect(await (await fetch(`${jarvis.url}/.well-known/oauth-protected-resource`)).json()).toEqual(resource)
  const server = await (await fetch(`${jarvis.url}/.well-known/oauth-authorization-server`)).json()
  expect(server).toMatchObject({
    issuer: jarvis.url,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  })
  for (const elsewhere of ['oauth-authorization-server/mcp', 'openid-configuration']) {
    expect((await fetch(`${jarvis.url}/.well-known/${elsewhere}`)).status).toBe(404)
  }
})

test('a consent is listed, used, journalled and revoked like any token', async () => {
  const { clientId, tokens } = await signedInClient(jarvis)
  expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'jarvis:read jarvis:ask' })
  expect((await askMcp(jarvis, tokens.access_token)).status).toBe(200)

  const [listed] = await tokensOf(jarvis)
  expect(listed).toMatchObject({
    clientName: 'Test Editor',
    isReadOnly: false,
    doors: ['mcp'],
    scope: 'ask',
    lastUsedAt: expect.any(Number),
  })
  expect(listed?.expiresAt).toBeGreaterThan(Date.now() + 29 * dayMs)
  const name = listed?.name ?? ''
  expect(name).toMatch(/^test-editor-[0-9a-f]{6}$/)

  expect((await jarvis.rest(`/api/mcp-tokens/${name}`, { method: 'DELETE' })).status).toBe(204)
  expect((await askMcp(jarvis, tokens.access_token)).status).toBe(401)
  expect(await errorOf(await refresh(jarvis, clientId, tokens.refresh_token))).toBe('400 invalid_grant')
  const journal = (await journalOf(jarvis)).map(({ body }) => body)
  expect(journal).toMatchObject([
    { change: 'revoked', name },
    { change: 'created', name, client: 'Test Editor', clientId, isReadOnly: false, by: 'operator' },
    { change: 'allowed', client: 'Test Editor', clientId, by: 'operator' },
  ])
  for (const secret of Object.values(tokens)) {
    if (/^jm[ar]t_/.test(String(secret))) expect(JSON.stringify(journal)).not.toContain(secret)
  }
})

test('a client that may only read sees only tools that read', async () => {
  const { tokens } = await signedInClient(jarvis, { allow: true, isReadOnly: true })
  expect(tokens.scope).toBe('jarvis:read')
  const client = await connectMcp(jarvis, tokens.access_token)
  const names = (await client.listTools()).tools.map(({ name }) => name)
  expect(names).toContain('get_cluster_status')
  expect(names).not.toContain('restart_vm')
})

test('a client that asked to read cannot be given more, and is asked about once', async () => {
  const { body } = await registerClient(jarvis)
  const query = queryFor(jarvis, body.client_id, newVerifier(), { scope: 'jarvis:read offline_access' })
  const ask = await openRequest(jarvis, query)
  expect(ask.mayAsk).toBe(false)
  await expect(answerRequest(jarvis, ask.id)).rejects.toThrow('asked to read')
  const back = await answerRequest(jarvis, ask.id, { allow: false })
  expect(Object.fromEntries(back.searchParams)).toEqual({ error: 'access_denied', state: 'a-state', iss: jarvis.url })
  await expect(answerRequest(jarvis, ask.id)).rejects.toThrow('Start again')
})

test('only an operator is asked and can decide; a client’s tokens cannot', async () => {
  const { body } = await registerClient(jarvis)
  const { tokens } = await signedInClient(jarvis)
  const query = queryFor(jarvis, body.client_id, newVerifier())
  const { id } = await openRequest(jarvis, query)
  for (const [path, json] of [
    ['/api/oauth/requests', { query }],
    [`/api/oauth/requests/${id}`, { allow: true, isReadOnly: false }],
    ['/api/confirmations/any', { confirmed: true }],
    ['/api/mcp-tokens', { name: 'more' }],
  ] as const) {
    const asViewer = await jarvis.rest(path, { method: 'POST', role: 'viewer', json })
    expect(asViewer.status, path).toBe(403)
    for (const [token, status] of [
      [tokens.access_token, 403],
      [tokens.refresh_token, 401],
    ] as const) {
      const asClient = await jarvis.rest(path, { method: 'POST', json, headers: { authorization: `Bearer ${token}` } })
      expect(asClient.status, path).toBe(status)
    }
  }
})

const wrong: [what: string, changed: Record<string, string>, error: string][] = [
  ['PKCE', { code_challenge: '' }, 'invalid_request'],
  ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['another flow', { response_type: 'token' }, 'unsupported_response_type'],
  ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ['a part of the resource', { resource: 'http://127.0.0.1/mcp' }, 'invalid_target'],
  ['scopes of others', { scope: 'admin' }, 'invalid_scope'],
]
test('a wrong request is answered with an error that only a click carries back', async () => {
  const { body } = await registerClient(jarvis)
  const judge = async ([, changed, error]: (typeof wrong)[number]) => {
    const { returnTo, id } = await openRequest(jarvis, queryFor(jarvis, body.client_id, newVerifier(), changed))
    expect(id).toBeUndefined()
    const carried = Object.fromEntries(new URL(returnTo).searchParams)
    expect(carried).toMatchObject({ error, state: 'a-state', iss: jarvis.url })
  }
  expect(await failingRows(wrong, judge)).toEqual([])
})

const strange: [what: string, changed: Record<string, string>][] = [
  ['another path', { redirect_uri: 'http://localhost:33418/other' }],
  ['another host', { redirect_uri: 'https://evil.example/callback' }],
  ['a script', { redirect_uri: 'javascript:alert(1)' }],
  ['none', { redirect_uri: '' }],
  ['a client nobody knows', { client_id: 'cli_nobody' }],
]
test('where the address is not the client’s, the browser is never sent there', async () => {
  const { body } = await registerClient(jarvis)
  const judge = ([, changed]: (typeof strange)[number]) =>
    expect(openRequest(jarvis, queryFor(jarvis, body.client_id, newVerifier(), changed))).rejects.toThrow(
      /did not register|not know/,
    )
  expect(await failingRows(strange, judge)).toEqual([])
})

test('a repeated parameter is refused', async () => {
  const { body } = await registerClient(jarvis)
  const query = queryFor(jarvis, body.client_id, newVerifier())
  await expect(openRequest(jarvis, `${query}&redirect_uri=https://evil.example/`)).rejects.toThrow('did not register')
  expect((await openRequest(jarvis, `${query}&resource=${jarvis.url}/mcp`)).problem).toBe('resource is there twice.')
})

test('a loopback client may come back at another port', async () => {
  const { body } = await registerClient(jarvis)
  const elsewhere = { redirect_uri: 'http://localhost:49152/callback' }
  const { id } = await openRequest(jarvis, queryFor(jarvis, body.client_id, newVerifier(), elsewhere))
  expect((await answerRequest(jarvis, id)).href).toContain('http://localhost:49152/callback?code=')
})

const exchanges: [what: string, changed: Record<string, string>, error: string][] = [
  ['another verifier', { code_verifier: newVerifier() }, 'invalid_grant'],
  ['another redirect', { redirect_uri: 'http://localhost:1/callback' }, 'invalid_grant'],
  ['another client', { client_id: 'cli_other' }, 'invalid_grant'],
  ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ['no verifier', { code_verifier: '' }, 'invalid_request'],
  ['another grant', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
]
test('a code is not exchanged with another field or without one', async () => {
  const before = await tokensOf(jarvis)
  const judge = async ([, changed, error]: (typeof exchanges)[number]) => {
    const { fields } = await withCode(jarvis)
    expect(await errorOf(await post(jarvis, '/oauth/token', { ...fields, ...changed }))).toBe(`400 ${error}`)
    expect(await tokensOf(jarvis)).toEqual(before)
  }
  expect(await failingRows(exchanges, judge)).toEqual([])
})

test('a code whose verifier was guessed wrong is void', async () => {
  const { fields } = await withCode(jarvis)
  await post(jarvis, '/oauth/token', { ...fields, code_verifier: newVerifier() })
  expect(await errorOf(await post(jarvis, '/oauth/token', fields))).toBe('400 invalid_grant')
})

test('a code that is used again ends the consent that it gave', async () => {
  const { fields, tokens } = await signedInClient(jarvis)
  expect((await askMcp(jarvis, tokens.access_token)).status).toBe(200)
  expect(await errorOf(await post(jarvis, '/oauth/token', fields))).toBe('400 invalid_grant')
  expect((await askMcp(jarvis, tokens.access_token)).status).toBe(401)
  expect((await journalOf(jarvis))[0]?.body).toMatchObject({ change: 'revoked', because: 'its code was used twice' })
})

test('a code counts a minute, an access token fifteen, a refresh token thirty days', async () => {
  const clock = createSkippingClock()
  const jarvis = await startJarvis({ clock })
  const late = await withCode(jarvis)
  clock.skip(minuteMs)
  expect(await errorOf(await post(jarvis, '/oauth/token', late.fields))).toBe('400 invalid_grant')

  const { clientId, tokens } = await signedInClient(jarvis)
  clock.skip(14 * minuteMs)
  expect((await askMcp(jarvis, tokens.access_token)).status).toBe(200)
  clock.skip(minuteMs)
  const refused = await askMcp(jarvis, tokens.access_token)
  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toContain('Bearer error="invalid_token", resource_metadata=')

  const next = (await (await refresh(jarvis, clientId, tokens.refresh_token)).json()) as Tokens
  expect((await askMcp(jarvis, next.access_token)).status).toBe(200)
  clock.skip(30 * dayMs)
  expect(await errorOf(await refresh(jarvis, clientId, next.refresh_token))).toBe('400 invalid_grant')
})

test('a refresh token counts once: shown again, all that the client has is void', async () => {
  const before = await tokensOf(jarvis)
  const { clientId, tokens } = await signedInClient(jarvis)
  const next = (await (await refresh(jarvis, clientId, tokens.refresh_token)).json()) as Tokens
  expect(next.refresh_token).not.toBe(tokens.refresh_token)
  expect(await tokensOf(jarvis)).toHaveLength(before.length + 1)
  expect(await errorOf(await refresh(jarvis, clientId, tokens.refresh_token))).toBe('400 invalid_grant')
  expect((await askMcp(jarvis, next.access_token)).status).toBe(401)
  expect(await errorOf(await refresh(jarvis, clientId, next.refresh_token))).toBe('400 invalid_grant')
  expect(await tokensOf(jarvis)).toEqual(before)
})

test('of two who show one refresh token at once, one at most is served, and then neither', async () => {
  const before = await tokensOf(jarvis)
  const { clientId, tokens } = await signedInClient(jarvis)
  const both = await Promise.all([1, 2].map(() => refresh(jarvis, clientId, tokens.refresh_token)))
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(await tokensOf(jarvis)).toEqual(before)
})

test('a refresh token is of no use to another client, for another resource, or as an access token', async () => {
  const { clientId, tokens } = await signedInClient(jarvis)
  expect(await errorOf(await refresh(jarvis, 'cli_other', tokens.refresh_token))).toBe('400 invalid_grant')
  expect(await errorOf(await refresh(jarvis, clientId, tokens.access_token))).toBe('400 invalid_grant')
  const other = { resource: 'https://other.example/mcp' }
  expect(await errorOf(await refresh(jarvis, clientId, tokens.refresh_token, other))).toBe('400 invalid_target')
  expect((await askMcp(jarvis, tokens.refresh_token)).status).toBe(401)
  expect((await refresh(jarvis, clientId, tokens.refresh_token)).status).toBe(200)
})

test('a token made for one address of this server is refused at another', async () => {
  const { tokens } = await signedInClient(jarvis)
  const elsewhere = jarvis.url.replace('127.0.0.1', 'localhost')
  expect((await askMcp(jarvis, tokens.access_token, '/mcp', {}, elsewhere)).status).toBe(401)
  expect((await askMcp(jarvis, tokens.access_token)).status).toBe(200)
})

test('a token in the query, or from a foreign page, is refused', async () => {
  const { tokens, fields } = await signedInClient(jarvis)
  expect((await askMcp(jarvis, undefined, `/mcp?access_token=${tokens.access_token}`)).status).toBe(401)
  const foreign = { origin: 'https://evil.example' }
  expect((await askMcp(jarvis, tokens.access_token, '/mcp', foreign)).status).toBe(403)
  expect((await post(jarvis, '/oauth/token', fields, foreign)).status).toBe(403)
  expect((await fetch(`${jarvis.url}/.well-known/oauth-protected-resource`, { headers: foreign })).status).toBe(403)
})

test('an access token is valid only for the address that it was requested for', async () => {
  const { tokens } = await signedInClient(jarvis)
  const { port, host } = new URL(jarvis.url)
  const statusAt = (host: string) =>
    new Promise<number | undefined>((done, failed) => {
      const headers = { host, authorization: `Bearer ${tokens.access_token}` }
      get(`${jarvis.url}/mcp`, { headers }, (response) => done(response.resume().statusCode)).on('error', failed)
    })
  expect(await statusAt(`localhost:${port}`)).toBe(401)
  // Signed in there; a GET without a session is merely no request of either specification.
  expect(await statusAt(host)).not.toBe(401)
})

test('a client can revoke its own tokens, and no others', async () => {
  const { clientId, tokens } = await signedInClient(jarvis)
  const token = tokens.refresh_token
  expect((await post(jarvis, '/oauth/revoke', { token, client_id: 'cli_other' })).status).toBe(200)
  expect((await askMcp(jarvis, tokens.access_token)).status).toBe(200)
  expect((await post(jarvis, '/oauth/revoke', { token, client_id: clientId })).status).toBe(200)
  expect((await askMcp(jarvis, tokens.access_token)).status).toBe(401)
  expect((await post(jarvis, '/oauth/revoke', { token: 'jmrt_nobody', client_id: clientId })).status).toBe(200)
})

test('behind a proxy, all addresses are the public ones', async () => {
  const jarvis = await startJarvis({ env: { JARVIS_PUBLIC_URL: 'https://jarvis.example.org' } })
  const ask = (path: string, host: string) =>
    new Promise<Record<string, unknown>>((done, failed) => {
      get(jarvis.url + path, { headers: { host } }, async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        done(JSON.parse(text))
      }).on('error', failed)
    })
  const path = '/.well-known/oauth-protected-resource/mcp'
  for (const host of ['jarvis.example.org', 'JARVIS.example.org:443']) {
    expect((await ask(path, host)).resource).toBe('https://jarvis.example.org/mcp')
  }
  expect((await ask(path, '127.0.0.1:4000')).resource).toBe('http://127.0.0.1:4000/mcp')
  expect(await ask(path, 'evil.example')).toMatchObject({ error: { code: 'forbidden' } })
})

test('what a client registers is bounded: redirects, name, size and number', async () => {
  for (const redirect of ['http://nas.lan/', 'javascript:alert(1)', 'https://a.example/#f']) {
    const { response, body } = await registerClient(jarvis, { redirect_uris: [redirect] })
    expect(`${response.status} ${body.error}`).toBe('400 invalid_redirect_uri')
  }
  for (const bad of [{}, { redirect_uris: [] }, { redirect_uris: ['https://a.example/'], grant_types: ['password'] }]) {
    expect((await registerClient(jarvis, bad)).body.error).toBe('invalid_client_metadata')
  }
  const odd = await registerClient(jarvis, {
    redirect_uris: ['https://a.example/cb'],
    client_name: `Cl\u202eau\u200bde\n ${'x'.repeat(200)}`,
  })
  expect(odd.body.client_name).toMatch(/^Cl au de x{51}$/)
  expect(
    (await registerClient(jarvis, { redirect_uris: ['https://a.example/'], software_id: 'x'.repeat(20_000) })).response
      .status,
  ).toBe(413)

  const statuses = []
  for (let made = 0; made < 20; made += 1) statuses.push((await registerClient(jarvis)).response.status)
  expect(statuses).toContain(201)
  expect(statuses.at(-1)).toBe(429)
  clock.skip(60 * minuteMs)
  expect((await registerClient(jarvis)).response.status).toBe(201)
})

test('a client without consent is forgotten after a day, and one with consent is kept', async () => {
  const clock = createSkippingClock()
  const jarvis = await startJarvis({ clock })
  const unused = (await registerClient(jarvis)).body.client_id
  const { clientId } = await signedInClient(jarvis)
  clock.skip(dayMs + 1)
  await registerClient(jarvis)
  await expect(openRequest(jarvis, queryFor(jarvis, unused, newVerifier()))).rejects.toThrow('not know')
  expect((await openRequest(jarvis, queryFor(jarvis, clientId, newVerifier()))).id).toBeDefined()
})

test('a client stays signed in over a restart', async () => {
  const first = await startJarvis()
  const { clientId, tokens } = await signedInClient(first)
  await first.stop()
  const jarvis = await startJarvis({ dataDir: first.dataDir })
  const next = await refresh(jarvis, clientId, tokens.refresh_token)
  // The port is another one now, so what it gets is bound to the old address.
  expect(next.status).toBe(200)
})

test('an open request outlasts its access token, but not the consent', async () => {
  const { tokens } = await signedInClient(jarvis)
  const database = openDatabase(join(jarvis.dataDir, 'jarvis.db'))
  onTestFinished(() => database.close())
  const { bearer } = oauthRoom.open({
    foundation: { database, journal: { append: () => {} }, now: clock.now, clock },
    config: { publicUrl: undefined },
    apiTokens: tokensIn(database, clock.now),
    count() {},
    people: { inNameOf: (id) => new SqlitePersonStore(database).get(id ?? firstOwnerId) },
    addressOf: createClientAddress([]),
    stepUp: new StepUp(clock.now),
    fetchDocument: undefined,
  })
  const request = {
    headers: { host: new URL(jarvis.url).host, authorization: `Bearer ${tokens.access_token}` },
  } as IncomingMessage
  const { token, stillCounts } = bearer.verify(request, 'mcp')
  clock.skip(20 * minuteMs)
  expect(() => bearer.verify(request, 'mcp')).toThrow('expired')
  expect(stillCounts).not.toThrow()
  await jarvis.rest(`/api/mcp-tokens/${token.name}`, { method: 'DELETE' })
  expect(stillCounts).toThrow('Sign in')
})
