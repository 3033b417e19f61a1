import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { AttachedSignInReply, JournalEntry, Page } from 'protocol'
import { expect, test } from 'vitest'
import { testWith } from '../../scripts/test-with.js'
import { attachedDir, connected, serversOf, setTier, until } from './support/attached.ts'
import { folder, jarvis as program } from './support/data-dir.ts'
import { failingRows } from './support/failing-rows.ts'
import { createBrowser } from './support/identity-service.ts'
import { terminal } from './support/shell.ts'
import { type Odd, type SignedInServer, startSignedInServer } from './support/signed-in-server.ts'
import { password, type StartOptions, startJarvis, type TestJarvis } from './support/start-jarvis.ts'

/** A JARVIS that is attached to a server that wants a sign-in. */
async function attachedTo(server: Pick<SignedInServer, 'url'>, entry: object = {}, options: StartOptions = {}) {
  const { dir, write } = attachedDir(() => ({ notes: { url: server.url, ...entry } }))
  const jarvis = await startJarvis({ dataDir: dir, ...options })
  await until(jarvis, 'notes', ({ signIn }) => signIn?.state === 'needed')
  return { jarvis, dir, write }
}
/** A JARVIS that is attached to several, by the names of their places: `notes0`, `notes1`. */
async function attachedToEach(entries: readonly object[]) {
  const named = Object.fromEntries(entries.map((entry, at) => [`notes${at}`, entry]))
  const { dir } = attachedDir(() => named)
  const jarvis = await startJarvis({ dataDir: dir })
  for (const name of Object.keys(named)) await until(jarvis, name, ({ signIn }) => signIn?.state === 'needed')
  return jarvis
}
const begin = (jarvis: TestJarvis, name = 'notes') =>
  jarvis.rest(`/api/mcp-servers/${name}/sign-in`, { method: 'POST', json: {} })
const changesOf = async (jarvis: TestJarvis) => {
  const { items } = (await (await jarvis.rest('/api/journal?kind=mcp_server')).json()) as Page<JournalEntry>
  return items.reverse().map(({ body }) => body as Record<string, unknown>)
}

/** A browser that opens a sign-in. @returns where the authorization server is, and the cookie */
async function open(address: string) {
  const opened = await fetch(address, { redirect: 'manual' })
  const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
  return {
    status: opened.status,
    to: opened.headers.get('location') ?? '',
    cookie,
    set: opened.headers.get('set-cookie') ?? '',
  }
}
const bringBack = (address: URL | string, cookie: string) => fetch(address, { headers: { cookie }, redirect: 'manual' })

/** Signs in as an owner does. `change`: what becomes of the answer on its way. */
async function signIn(
  jarvis: TestJarvis,
  server: SignedInServer,
  { name = 'notes', change = () => {} }: { name?: string; change?: (answer: URL) => void } = {},
) {
  const begun = await begin(jarvis, name)
  if (begun.status !== 200) return begun
  const { address } = (await begun.json()) as AttachedSignInReply
  const { to, cookie } = await open(address)
  const answer = server.authorize(to)
  change(answer)
  return bringBack(answer, cookie)
}
const entryOf = async (jarvis: TestJarvis) => (await serversOf(jarvis)).items[0]

test('an owner signs in to a server, whose tools then serve; the token is sealed, shown nowhere and taken back at the end', async () => {
  const server = await startSignedInServer()
  const { jarvis, dir, write } = await attachedTo(server)
  expect((await entryOf(jarvis))?.lastError?.message).toContain('or sign in under Settings')
  const begun = (await (await begin(jarvis)).json()) as AttachedSignInReply
  expect(begun).toMatchObject({ issuer: server.issuer, scopes: ['read'] })
  const { to, cookie, set } = await open(begun.address)
  expect(set).toMatch(/HttpOnly; SameSite=Lax$/)
  const asked = Object.fromEntries(new URL(to).searchParams)
  expect(asked).toMatchObject({
    resource: server.url,
    scope: 'read',
    redirect_uri: `${jarvis.url}/api/mcp-servers/sign-in/callback`,
  })
  expect(await bringBack(server.authorize(to), cookie)).toMatchObject({ status: 303 })
  const signedIn = await connected(jarvis, 'notes')
  expect(signedIn.signIn).toMatchObject({
    state: 'signed_in',
    issuer: server.issuer,
    scopes: ['read'],
    isRenewed: true,
    by: 'operator',
  })
  expect(signedIn.signIn?.expiresAt).toBeGreaterThan(Date.now())

  await setTier(jarvis, 'notes__add', 'yellow')
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: '/notes__add text=hi' })
  expect(await operator.next('chat:tool_result')).toMatchObject({ isError: false })
  const [token = ''] = server.access.keys()
  const sql = new Sqlite(join(dir, 'jarvis.db'), { readonly: true })
  const { sealed } = sql.prepare<[], { sealed: string }>('SELECT sealed FROM attached_sign_ins').get() ?? { sealed: '' }
  sql.close()
  expect(sealed).toMatch(/^sealed:v1:/)
  const shown = [await serversOf(jarvis), await changesOf(jarvis), await (await jarvis.rest('/api/logs')).text()]
  expect(JSON.stringify(shown)).not.toMatch(/access-|refresh-/)
  expect(readFileSync(join(dir, 'mcp.json'), 'utf8')).not.toContain('access-')
  expect(token).not.toBe('')

  write({})
  await expect.poll(() => server.revoked.length).toBe(2)
  expect(server.access.size).toBe(0)
  await expect
    .poll(async () => (await changesOf(jarvis)).map(({ change, by }) => `${change} ${by}`).toSorted())
    .toEqual(['removed file', 'signed_in operator', 'signed_out file', 'tier operator'])
})

test('a sign-in outlives a restart, and ends with a sign-out or another address', async () => {
  const server = await startSignedInServer()
  const { jarvis, dir } = await attachedTo(server)
  await signIn(jarvis, server)
  await connected(jarvis, 'notes')
  await jarvis.stop()
  const again = await startJarvis({ dataDir: dir })
  await connected(again, 'notes')
  const out = await again.rest('/api/mcp-servers/notes/sign-out', { method: 'POST', json: {} })
  expect(out.status).toBe(204)
  await until(again, 'notes', ({ signIn }) => signIn?.state === 'needed')
  expect(server.revoked).toHaveLength(2)

  await signIn(again, server)
  await connected(again, 'notes')
  const other = await startSignedInServer()
  await again.rest('/api/mcp-servers/notes', { method: 'PUT', json: { url: other.url } })
  await until(again, 'notes', ({ signIn }) => signIn?.state === 'needed')
  expect(other.authorizations.every((sent) => sent === undefined)).toBe(true)
  await expect.poll(() => server.revoked.length).toBe(4)
})

const answers: [what: string, change: (answer: URL) => void, words: RegExp][] = [
  ['another state', (answer) => answer.searchParams.set('state', 'x'), /another sign-in/],
  ['no state', (answer) => answer.searchParams.delete('state'), /another sign-in/],
  [
    'another issuer',
    (answer) => answer.searchParams.set('iss', 'https://evil.example'),
    /another authorization server/,
  ],
  ['no issuer, though it is promised', (answer) => answer.searchParams.delete('iss'), /another authorization server/],
  ['a made-up code', (answer) => answer.searchParams.set('code', 'x'), /refused: invalid_grant/],
  [
    'a refusal',
    (answer) => {
      answer.searchParams.delete('code')
      answer.searchParams.set('error', 'access_denied')
    },
    /refused there: access_denied/,
  ],
]
test('an answer that is not the authorization server’s to this sign-in is refused, said and journalled', async () => {
  const server = await startSignedInServer()
  const { jarvis } = await attachedTo(server)
  const judge = async ([, change, words]: (typeof answers)[number]) => {
    const response = await signIn(jarvis, server, { change })
    expect(response.status).toBe(409)
    expect(await response.text()).toMatch(words)
    expect((await entryOf(jarvis))?.signIn?.state).toBe('needed')
  }
  expect(await failingRows(answers, judge)).toEqual([])
  expect((await changesOf(jarvis)).map(({ change }) => change)).toEqual(answers.map(() => 'sign_in_refused'))
})

test('an answer counts once, in the browser that opened the sign-in, which opens once', async () => {
  const server = await startSignedInServer()
  const { jarvis } = await attachedTo(server)
  const { address } = (await (await begin(jarvis)).json()) as AttachedSignInReply
  const { to, cookie } = await open(address)
  expect((await open(address)).status).toBe(410)
  const answer = server.authorize(to)
  for (const other of ['', `${cookie.split('=')[0]}=${'A'.repeat(43)}`])
    expect((await bringBack(answer, other)).status).toBe(409)
  expect((await bringBack(answer, cookie)).status).toBe(303)
  expect((await bringBack(answer, cookie)).status).toBe(409)
  // A code that was used is used up, also with a new sign-in.
  const code = answer.searchParams.get('code') ?? ''
  const replayed = await signIn(jarvis, server, { change: (next) => next.searchParams.set('code', code) })
  expect(await replayed.text()).toMatch(/invalid_grant/)
  expect(
    (await jarvis.rest('/api/mcp-servers/notes/sign-in', { method: 'POST', json: {}, role: 'viewer' })).status,
  ).toBe(403)
})

const oddities: [what: string, odd: Odd, words: RegExp][] = [
  ['no PKCE', { metadata: { code_challenge_methods_supported: undefined } }, /does not protect a sign-in with PKCE/],
  ['plain PKCE alone', { metadata: { code_challenge_methods_supported: ['plain'] } }, /PKCE/],
  [
    'tokens for another resource',
    { resource: { resource: 'https://other.example/mcp' } },
    /tokens are for https:\/\/other\.example\/mcp, which is another resource/,
  ],
  ['an issuer with another name', { metadata: { issuer: 'https://other.example' } }, /calls itself by another name/],
  [
    'an authorization server without TLS',
    { resource: { authorization_servers: ['http://auth.example'] } },
    /is not https/,
  ],
  [
    'an endpoint without TLS',
    { metadata: { token_endpoint: 'http://auth.example/token' } },
    /names an address that is not https/,
  ],
  [
    'a link-local address',
    { resource: { authorization_servers: ['https://169.254.169.254'] } },
    /not a public address/,
  ],
  [
    'no document of the authorization server',
    { hasNoResource: true, path: '/elsewhere' },
    /does not say how to sign in\. If it takes a token/,
  ],
  [
    'closed registration',
    { isClosed: true },
    /refused to register JARVIS \(403\)\. Register a client there with the redirect address http:\/\/127/,
  ],
  ['no registration', { metadata: { registration_endpoint: undefined } }, /registers no programs/],
]
test('a sign-in that would not be safe is not begun, and what to do is said', async () => {
  const servers = await Promise.all(oddities.map(([, odd]) => startSignedInServer(odd)))
  const jarvis = await attachedToEach(servers.map(({ url }) => ({ url })))
  const judge = async (row: (typeof oddities)[number]) => {
    const begun = await begin(jarvis, `notes${oddities.indexOf(row)}`)
    expect(begun.status).toBe(409)
    expect(await begun.text()).toMatch(row[2])
  }
  expect(await failingRows(oddities, judge)).toEqual([])
})

const ways: [what: string, odd: Odd, entry?: object][] = [
  ['OpenID’s document', { isOpenId: true }],
  ['OpenID’s document below a path', { isOpenId: true, path: '/realms/home' }],
  ['a document with the issuer’s path put in', { path: '/tenant' }],
  ['the server as its own authorization server', { hasNoResource: true }],
  [
    'a client given by hand',
    { isClosed: true, clients: { jarvis: 'a-secret' } },
    { oauth: { clientId: 'jarvis', clientSecret: 'a-secret' } },
  ],
]
test('a sign-in is found by every document that the specifications name', async () => {
  const servers = await Promise.all(
    ways.map(async ([what, odd, entry]) => ({ what, entry, server: await startSignedInServer(odd) })),
  )
  const jarvis = await attachedToEach(servers.map(({ server, entry }) => ({ url: server.url, ...entry })))
  const judge = async (row: (typeof servers)[number]) => {
    const name = `notes${servers.indexOf(row)}`
    expect((await signIn(jarvis, row.server, { name })).status).toBe(303)
    await connected(jarvis, name)
    await jarvis.rest(`/api/mcp-servers/${name}/sign-out`, { method: 'POST', json: {} })
    expect(row.server.revoked).toHaveLength(2)
  }
  expect(await failingRows(servers, judge, ({ what }) => what)).toEqual([])
})

test('an authorization server that registers nobody reads JARVIS’s own document, where JARVIS has an https address', async () => {
  const server = await startSignedInServer({
    isClosed: true,
    metadata: { client_id_metadata_document_supported: true },
  })
  const publicUrl = 'https://jarvis.example.org'
  const { jarvis } = await attachedTo(server, {}, { env: { JARVIS_PUBLIC_URL: publicUrl } })
  const browser = createBrowser({ [publicUrl]: jarvis.url })
  const { address } = (await (await begin(jarvis)).json()) as AttachedSignInReply
  const there = await browser.go(address, ({ origin }) => origin === new URL(server.url).origin)
  const id = new URL(there).searchParams.get('client_id') ?? ''
  expect(JSON.parse((await browser.send('GET', id)).text)).toEqual({
    client_id: id,
    client_name: 'JARVIS',
    redirect_uris: [`${publicUrl}/api/mcp-servers/sign-in/callback`],

    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  })
  expect(await browser.send('GET', server.authorize(there).href)).toMatchObject({ status: 303 })
  await connected(jarvis, 'notes')
})

test('where an authorization server reads JARVIS’s document, none is registered, unless the browser did not come back from it', async () => {
  const server = await startSignedInServer({ metadata: { client_id_metadata_document_supported: true } })
  const publicUrl = 'https://jarvis.example.org'
  const { jarvis } = await attachedTo(server, {}, { env: { JARVIS_PUBLIC_URL: publicUrl } })
  const browser = createBrowser({ [publicUrl]: jarvis.url })
  const clientAsked = async () => {
    const { address } = (await (await begin(jarvis)).json()) as AttachedSignInReply
    const there = await browser.go(address, ({ origin }) => origin === new URL(server.url).origin)
    return new URL(there).searchParams.get('client_id')
  }
  expect(await clientAsked()).toBe(`${publicUrl}/api/mcp-servers/sign-in/client`)
  expect(server.registered).toEqual([])
  expect(await clientAsked()).toBe('client-1')
})

test('the secret of a client that was given by hand goes to the authorization server that it was first used at, or that its entry names', async () => {
  const clients = { jarvis: 'a-secret' }
  const server = await startSignedInServer({ isClosed: true, clients })
  const other = await startSignedInServer({ isClosed: true, clients })
  const oauth = { clientId: 'jarvis', clientSecret: 'a-secret' }
  const { jarvis, dir, write } = await attachedTo(server, { oauth })
  await signIn(jarvis, server)
  await connected(jarvis, 'notes')
  await jarvis.rest('/api/mcp-servers/notes/sign-out', { method: 'POST', json: {} })
  await jarvis.stop()

  // The server names another authorization server from now on.
  server.odd.resource = { authorization_servers: [other.issuer] }
  const again = await startJarvis({ dataDir: dir })
  await until(again, 'notes', ({ signIn }) => signIn?.state === 'needed')
  const refused = await begin(again)
  expect(refused.status).toBe(409)
  expect(await refused.text()).toContain(`was first used at ${server.issuer}, and notes names ${other.issuer} now`)
  expect(other.log.filter((line) => line.startsWith('POST'))).toEqual([])

  write({ notes: { url: server.url, oauth: { ...oauth, issuer: other.issuer } } })
  await expect.poll(async () => (await begin(again)).status).toBe(200)
  write({ notes: { url: server.url, oauth: { ...oauth, issuer: 'https://elsewhere.example' } } })
  await expect
    .poll(async () => (await begin(again)).text())
    .toContain('The client in mcp.json is for https://elsewhere.example, and notes names')
})

test('a client whose registration ended, or that is no longer known there, is registered anew', async () => {
  const nowS = Math.floor(Date.now() / 1000)
  const metadata = { token_endpoint_auth_methods_supported: ['client_secret_basic'] }
  const secrets = await Promise.all(
    [nowS + 1_000, 0, nowS - 1].map((secretsEndAt) => startSignedInServer({ secretsEndAt, metadata })),
  )
  const server = await startSignedInServer()
  const { url } = server
  const jarvis = await attachedToEach([...secrets.map((one) => ({ url: one.url })), { url }])
  for (const [at, one] of secrets.entries()) {
    const name = `notes${at}`
    await signIn(jarvis, one, { name })
    await connected(jarvis, name)
    expect((await begin(jarvis, name)).status).toBe(200)
  }
  expect(secrets.map(({ registered }) => registered.length)).toEqual([1, 1, 2])

  const name = `notes${secrets.length}`
  await signIn(jarvis, server, { name })
  await connected(jarvis, name)
  server.forgetClients()
  server.expire()
  await setTier(jarvis, `${name}__add`, 'yellow')
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: `/${name}__add text=hi` })
  const lost = await until(jarvis, name, ({ signIn }) => signIn?.state === 'again')
  expect(lost.signIn?.problem).toContain('invalid_client')
  expect((await signIn(jarvis, server, { name })).status).toBe(303)
  expect(server.registered).toHaveLength(2)
})

test('a token that comes after a sign-out is taken back, and so is a sign-in whose server was removed meanwhile', async () => {
  const server = await startSignedInServer()
  const { jarvis, write } = await attachedTo(server)
  await signIn(jarvis, server)
  await connected(jarvis, 'notes')
  await setTier(jarvis, 'notes__add', 'yellow')
  server.expire()
  server.beforeGiving = async () => {
    await jarvis.rest('/api/mcp-servers/notes/sign-out', { method: 'POST', json: {} })
  }
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: '/notes__add text=hi' })
  await operator.next('chat:tool_result')
  await expect.poll(() => server.revoked.length).toBe(4)
  expect([server.access.size, (await entryOf(jarvis))?.signIn?.state]).toEqual([0, 'needed'])

  server.beforeGiving = async () => {
    write({})
    await expect.poll(async () => (await serversOf(jarvis)).items).toEqual([])
  }
  const late = await signIn(jarvis, server)
  expect([late.status, await late.text()]).toEqual([409, expect.stringContaining('was removed')])
  await expect.poll(() => server.revoked.length).toBe(6)
  expect(server.access.size).toBe(0)
})

test('a server of the older transport is signed in to', async () => {
  const server = await startSignedInServer({ isSse: true })
  const { jarvis } = await attachedTo(server, { type: 'sse' })
  expect((await signIn(jarvis, server)).status).toBe(303)
  await connected(jarvis, 'notes')
  await setTier(jarvis, 'notes__add', 'yellow')
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: '/notes__add text=hi' })
  expect(await operator.next('chat:tool_result')).toMatchObject({ isError: false })
})

test('a restore ends the sign-ins: a token that was taken back since does not come back, and the server is signed in to anew', async () => {
  const server = await startSignedInServer()
  const { jarvis, dir } = await attachedTo(server)
  await signIn(jarvis, server)
  await connected(jarvis, 'notes')
  const file = join(folder(), 'backup.db')
  expect((await program(dir, 'backup', file)).code).toBe(0)
  await jarvis.stop()
  expect((await program(dir, 'restore', file, '--yes')).code).toBe(0)
  const sent = server.authorizations.length
  const again = await startJarvis({ dataDir: dir })
  await until(again, 'notes', ({ signIn }) => signIn?.state === 'needed')
  expect(server.authorizations.slice(sent).filter((header) => header !== undefined)).toEqual([])
  expect((await signIn(again, server)).status).toBe(303)
  await connected(again, 'notes')
})

test('a token is renewed before its end, one at a time, and each refresh token is used once', async () => {
  const server = await startSignedInServer()
  const { jarvis } = await attachedTo(server)
  await signIn(jarvis, server)
  await connected(jarvis, 'notes')
  await setTier(jarvis, 'notes__add', 'yellow')
  const screens = await Promise.all([1, 2, 3].map(() => jarvis.connect()))
  server.expire()
  await Promise.all(screens.map((screen) => screen.ask('chat:send', { message: '/notes__add text=hi' })))
  for (const screen of screens) expect(await screen.next('chat:tool_result')).toMatchObject({ isError: false })
  expect(server.refreshed).toBe(1)
  expect((await entryOf(jarvis))?.signIn?.state).toBe('signed_in')
})

test('while the authorization server cannot be asked, the sign-in stays, and nothing runs', async () => {
  const server = await startSignedInServer()
  const { jarvis } = await attachedTo(server)
  await signIn(jarvis, server)
  await connected(jarvis, 'notes')
  await setTier(jarvis, 'notes__add', 'yellow')
  server.expire()
  server.isDown = true
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: '/notes__add text=hi' })
  expect(await operator.next('chat:tool_result')).toMatchObject({
    isError: true,
    result: expect.stringMatching(/sign-in could not be renewed[\s\S]*Nothing was run/),
  })
  expect((await entryOf(jarvis))?.signIn?.state).toBe('signed_in')
  server.isDown = false
  await operator.ask('chat:send', { message: '/notes__add text=hi' })
  await operator.next('chat:done')
  expect(await operator.next('chat:tool_result')).toMatchObject({ isError: false })
})

test('a refresh that is refused ends the sign-in, which is said; the call did not run', async () => {
  const server = await startSignedInServer()
  const { jarvis } = await attachedTo(server)
  await signIn(jarvis, server)
  await connected(jarvis, 'notes')
  await setTier(jarvis, 'notes__add', 'yellow')
  server.endAll()
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: '/notes__add text=hi' })
  expect(await operator.next('chat:tool_result')).toMatchObject({
    isError: true,
    result: expect.stringContaining('Nothing was run'),
  })
  const lost = await until(jarvis, 'notes', ({ signIn }) => signIn?.state === 'again')
  expect(lost.signIn?.problem).toBe('It was not renewed: invalid_grant. Sign in again.')
  expect((await changesOf(jarvis)).at(-1)).toMatchObject({ change: 'sign_in_lost', by: 'jarvis' })
  expect((await signIn(jarvis, server)).status).toBe(303)
  await connected(jarvis, 'notes')
  // The client that was registered is used again.
  expect(server.registered).toHaveLength(1)
})

test('scopes that a call wants are asked of an owner, never taken; the call did not run', async () => {
  const server = await startSignedInServer({ callScope: 'write' })
  const { jarvis } = await attachedTo(server)
  await signIn(jarvis, server)
  await connected(jarvis, 'notes')
  await setTier(jarvis, 'notes__add', 'yellow')
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: '/notes__add text=hi' })
  const refused = await operator.next('chat:tool_result')
  expect(refused).toMatchObject({
    isError: true,
    result: expect.stringMatching(
      /asks for more rights \(write\)[\s\S]*Nothing was run|Nothing was run[\s\S]*asks for more rights \(write\)/,
    ),
  })
  const wants = await until(jarvis, 'notes', ({ signIn }) => signIn?.state === 'more')
  expect(wants.signIn).toMatchObject({ scopes: ['read'], wants: ['write'] })
  expect(server.ran).toBe(0)
  expect((await changesOf(jarvis)).at(-1)).toMatchObject({ change: 'sign_in_wants', scopes: ['write'] })
  const begun = (await (await begin(jarvis)).json()) as AttachedSignInReply
  expect(begun.scopes).toEqual(['read', 'write'])
  const { to, cookie } = await open(begun.address)
  expect((await bringBack(server.authorize(to), cookie)).status).toBe(303)
  await until(jarvis, 'notes', ({ signIn, state }) => signIn?.state === 'signed_in' && state === 'connected')
  await operator.ask('chat:send', { message: '/notes__add text=hi' })
  await operator.next('chat:done')
  expect(await operator.next('chat:tool_result')).toMatchObject({ isError: false })
  expect(server.ran).toBe(1)
})

test('a server whose entry has a token is not signed in to', async () => {
  const server = await startSignedInServer()
  const { dir } = attachedDir(() => ({ notes: { url: server.url, headers: { authorization: 'Bearer mine-123' } } }))
  const jarvis = await startJarvis({ dataDir: dir })
  const failed = await until(jarvis, 'notes', ({ state }) => state === 'failed')
  expect(failed.signIn).toBeUndefined()
  expect((await begin(jarvis)).status).toBe(409)
  expect(server.log).toEqual([])
})

testWith('script')(
  'the command line prints the address for a browser, waits for the sign-in, lists it and ends it',
  async () => {
    const server = await startSignedInServer()
    const { jarvis } = await attachedTo(server)
    const signing = terminal(jarvis, ['mcp', 'sign-in', 'notes'])
    await signing.shown('Password')
    signing.type(`${password}\r`)
    await signing.shown('Open this address')
    await signing.shown('start?flow=')
    const address = /(http:\S+start\?flow=[\w-]{43})\s/
    await expect.poll(() => address.test(signing.text())).toBe(true)
    const { to, cookie } = await open(address.exec(signing.text())?.[1] ?? '')
    expect((await bringBack(server.authorize(to), cookie)).status).toBe(303)
    await signing.shown('Signed in to notes.')
    expect((await signing.ended).code).toBe(0)
    for (const [args, said] of [
      [['mcp', 'servers'], 'notes  http  connected  signed in'],
      [['mcp', 'sign-out', 'notes'], 'Signed out of notes.'],
    ] as const) {
      const shown = terminal(jarvis, args)
      await shown.shown('Password')
      shown.type(`${password}\r`)
      await shown.shown(said)
      expect((await shown.ended).code).toBe(0)
    }
    expect(server.access.size).toBe(0)
  },
)
