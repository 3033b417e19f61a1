import { createHash, randomBytes } from 'node:crypto'
import type { ForeignAccount, Person } from 'protocol'
import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../src/config/config.ts'
import {
  type Browser,
  type Claims,
  createBrowser,
  envOf,
  type Lie,
  startIdentityService,
  startLyingService,
} from './support/identity-service.ts'
import { password, startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const publicUrl = 'https://jarvis.example.org'
const callback = '/api/auth/oidc/callback'
const ann: Claims = { sub: 'ann-1', name: 'Ann', email: 'ann@example.org' }

const read = (answer: { text: string }) =>
  JSON.parse(answer.text) as Record<string, never> & { error?: { code: string } }
const newSecret = () => randomBytes(32).toString('base64url')
const pageOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')

/** Goes to the service and comes back to the callback's address, which is not opened yet. */
async function away(browser: Browser, base: string, secret: string, path = '/api/auth/oidc', headers = {}) {
  const begun = await browser.page(base, 'POST', path, { page: pageOf(secret) }, headers)
  if (begun.status !== 200) throw new Error(begun.text)
  return browser.go((read(begun) as unknown as { redirectTo: string }).redirectTo, (url) => url.pathname === callback)
}
/** Opens the callback and ends the sign-in, as the page does. */
async function back(browser: Browser, base: string, address: string, secret: string) {
  const landed = await browser.send('GET', address, { 'sec-fetch-site': 'cross-site' })
  const finished = await browser.page(base, 'POST', '/api/auth/oidc/finish', { secret })
  return { landed, finished, code: read(finished).error?.code }
}
async function signIn(browser: Browser, base: string) {
  const secret = newSecret()
  return back(browser, base, await away(browser, base, secret), secret)
}
/** Links who is at the service to the first owner. */
async function link(browser: Browser, base: string, jarvis: TestJarvis) {
  const token = jarvis.token('operator')
  await jarvis.stepUp(token)
  const headers = { authorization: `Bearer ${token}` }
  const secret = newSecret()
  const address = await away(browser, base, secret, '/api/auth/accounts', headers)
  await browser.send('GET', address)
  return browser.page(base, 'POST', '/api/auth/accounts/finish', { secret }, headers)
}
const accountsOf = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/people/accounts')).json()) as { items: ForeignAccount[] }).items

/** A JARVIS at an https name of its own, beside the real provider. */
async function withProvider(who: { now: Claims }) {
  const issuer = await startIdentityService(who, [publicUrl + callback])
  const jarvis = await startJarvis({ env: { ...envOf(issuer), JARVIS_PUBLIC_URL: publicUrl } })
  return { issuer, jarvis, newBrowser: () => createBrowser({ [publicUrl]: jarvis.url }) }
}

test('an account of a real provider waits until an owner lets it in, then signs in by cookie', async () => {
  const who = { now: ann }
  const { issuer, jarvis, newBrowser } = await withProvider(who)
  const browser = newBrowser()
  const ways = read(await browser.page(publicUrl, 'GET', '/api/auth/ways', undefined, { origin: publicUrl }))
  expect(ways).toMatchObject({ elsewhere: { name: 'Home ID' } })

  expect((await signIn(browser, publicUrl)).code).toBe('forbidden')
  expect(((await (await jarvis.rest('/api/people')).json()) as { items: Person[] }).items).toHaveLength(1)
  const [waiting] = await accountsOf(jarvis)
  expect(waiting).toMatchObject({ issuer, subject: 'ann-1', name: 'Ann', email: 'ann@example.org' })
  expect(waiting?.person).toBeUndefined()
  const admitted = await jarvis.rest(`/api/people/accounts/${waiting?.id}/admit`, {
    method: 'POST',
    json: { name: 'Ann', role: 'viewer' },
  })
  expect(admitted.status).toBe(201)
  const person = (await admitted.json()) as Person

  const { landed, finished } = await signIn(browser, publicUrl)
  expect([landed.status, landed.headers.get('location'), landed.headers.get('referrer-policy')]).toEqual([
    303,
    '/?from=elsewhere',
    'no-referrer',
  ])
  expect(read(finished)).toMatchObject({ person: { id: person.id, name: 'Ann', role: 'viewer' } })
  expect('token' in read(finished)).toBe(false)
  expect([...browser.cookies(publicUrl).keys()]).toContain('__Host-jarvis')
  expect([...browser.cookies(publicUrl).keys()]).not.toContain('__Host-jarvis_oidc')
  const me = read(await browser.send('GET', `${publicUrl}/api/auth/me`, { 'sec-fetch-site': 'same-origin' }))
  expect(me).toMatchObject({ signIn: { method: 'oidc' }, factors: { password: false } })

  // It is a sign-in and no more: what asks for the password goes on asking.
  await jarvis.rest(`/api/people/${person.id}`, { method: 'PATCH', json: { role: 'owner' } })
  const made = await browser.page(publicUrl, 'POST', '/api/tokens', { name: 'x', doors: ['api'], scope: 'read' })
  expect(read(made).error?.code).toBe('step_up_required')

  // A disabled person is refused, a removed one is a stranger again.
  await jarvis.rest(`/api/people/${person.id}`, { method: 'PATCH', json: { disabled: true } })
  expect((await signIn(browser, publicUrl)).code).toBe('forbidden')
  await jarvis.rest(`/api/people/${person.id}`, { method: 'DELETE' })
  expect(await accountsOf(jarvis)).toEqual([])
  expect((await signIn(browser, publicUrl)).code).toBe('forbidden')
  expect((await accountsOf(jarvis)).map(({ person }) => person)).toEqual([undefined])
})

test('somebody who is signed in links an account after the password, and unlinking ends what it signed in', async () => {
  const who = { now: ann }
  const { jarvis, newBrowser } = await withProvider(who)
  const browser = newBrowser()
  const withoutPassword = await browser.page(
    publicUrl,
    'POST',
    '/api/auth/accounts',
    { page: pageOf(newSecret()) },
    { authorization: `Bearer ${jarvis.token('operator')}` },
  )
  expect(read(withoutPassword).error?.code).toBe('step_up_required')
  const linked = await link(browser, publicUrl, jarvis)
  expect([linked.status, read(linked)]).toEqual([
    200,
    expect.objectContaining({ subject: 'ann-1', person: 'operator' }),
  ])
  expect(read((await signIn(browser, publicUrl)).finished)).toMatchObject({ person: { id: 'operator' } })

  // Another subject with the same name and address is somebody else.
  who.now = { ...ann, sub: 'ann-2' }
  expect((await signIn(newBrowser(), publicUrl)).code).toBe('forbidden')

  const me = () => browser.send('GET', `${publicUrl}/api/auth/me`, { 'sec-fetch-site': 'same-origin' })
  expect((await me()).status).toBe(200)
  const { id } = read(linked) as unknown as ForeignAccount
  expect((await jarvis.rest(`/api/auth/accounts/${id}`, { method: 'DELETE' })).status).toBe(204)
  expect((await me()).status).toBe(401)
  const { items } = (await (await jarvis.rest('/api/journal?kind=person')).json()) as { items: { body: object }[] }
  expect(items.map(({ body }) => body)).toMatchObject([
    { change: 'account_unlinked', subject: 'ann-1', person: 'operator', by: 'operator' },
    { change: 'account_waits', subject: 'ann-2', by: 'jarvis' },
    { change: 'account_linked', subject: 'ann-1', person: 'operator', by: 'operator' },
  ])
})

test('an answer counts once, in the browser and for the page that began it', async () => {
  const who = { now: ann }
  const { jarvis, newBrowser } = await withProvider(who)
  const browser = newBrowser()
  await link(browser, publicUrl, jarvis)

  // Replayed, after it had counted.
  const secret = newSecret()
  const address = await away(browser, publicUrl, secret)
  const flow = [...browser.cookies(publicUrl)].find(([name]) => name === '__Host-jarvis_oidc')
  expect((await back(browser, publicUrl, address, secret)).code).toBeUndefined()
  expect((await back(browser, publicUrl, address, secret)).code).toBe('expired')
  browser.cookies(publicUrl).set(flow?.[0] ?? '', flow?.[1] ?? '')
  expect((await back(browser, publicUrl, address, secret)).code).toBe('expired')

  // Brought to another browser, which has no flow or one of its own.
  const stolen = await away(browser, publicUrl, secret)
  const victim = newBrowser()
  expect((await back(victim, publicUrl, stolen, secret)).code).toBe('expired')
  const own = newSecret()
  await away(victim, publicUrl, own)
  expect((await back(victim, publicUrl, stolen, own)).code).toBe('invalid_credentials')

  // Ended by a page with another secret, and before the service answered.
  const mine = newSecret()
  const answer = await away(browser, publicUrl, mine)
  const early = await browser.page(publicUrl, 'POST', '/api/auth/oidc/finish', { secret: mine })
  expect(read(early).error?.code).toBe('expired')
  expect((await back(browser, publicUrl, answer, newSecret())).code).toBe('expired')
  // A sign-in is no link, and a link that another sign-in began is not this one's.
  const other = { authorization: `Bearer ${jarvis.token('operator')}` }
  const asLink = await browser.page(publicUrl, 'POST', '/api/auth/accounts/finish', { secret: mine }, other)
  expect(read(asLink).error?.code).toBe('expired')
  const token = jarvis.token('operator')
  await jarvis.stepUp(token)
  const begun = { authorization: `Bearer ${token}` }
  await browser.send('GET', await away(browser, publicUrl, mine, '/api/auth/accounts', begun))
  const taken = await browser.page(publicUrl, 'POST', '/api/auth/accounts/finish', { secret: mine }, other)
  expect(read(taken).error?.code).toBe('forbidden')

  // Begun by a foreign page, or by none.
  for (const origin of ['https://evil.example', 'null', `${publicUrl}:8443`, 'http://jarvis.example.org']) {
    const asked = await browser.page(publicUrl, 'POST', '/api/auth/oidc', { page: pageOf(mine) }, { origin })
    expect([origin, asked.status]).toEqual([origin, 403])
  }
  const noOrigin = { page: pageOf(mine) }
  expect((await browser.send('POST', `${publicUrl}/api/auth/oidc`, {}, noOrigin)).status).toBe(403)
})

/** Faults of the service, and the answer that still counts; undefined: none. */
const lies: [string, Lie, string | undefined][] = [
  ['nothing', {}, undefined],
  ['the issuer', { claims: { iss: 'https://evil.example' } }, 'invalid_credentials'],
  ['the audience', { claims: { aud: 'another-client' } }, 'invalid_credentials'],
  [
    'the authorized party among several',
    { claims: { aud: ['jarvis', 'another'], azp: 'another' } },
    'invalid_credentials',
  ],
  ['the authorized party of an audience of one', { claims: { azp: 'another' } }, 'invalid_credentials'],
  ['the time of issue', { claims: { iat: Math.floor(Date.now() / 1000) + 3_600 } }, 'invalid_credentials'],
  ['the nonce', { claims: { nonce: 'of-another-sign-in' } }, 'invalid_credentials'],
  ['the nonce, which is not there', { claims: { nonce: undefined } }, 'invalid_credentials'],
  ['the expiry', { claims: { exp: Math.floor(Date.now() / 1000) - 60 } }, 'invalid_credentials'],
  ['the expiry, which is not there', { claims: { exp: undefined } }, 'invalid_credentials'],
  ['the subject, which is not there', { claims: { sub: undefined } }, 'invalid_credentials'],
  ['the subject, which is empty', { claims: { sub: '' } }, 'invalid_credentials'],
  ['the subject, which is too long', { claims: { sub: 'x'.repeat(256) } }, 'invalid_credentials'],
  ['the signature, by another key', { signedBy: 'another key' }, 'invalid_credentials'],
  ['the signature, which is not there', { signedBy: 'none' }, 'invalid_credentials'],
  ['the signature, by the client’s secret', { signedBy: 'the client secret' }, 'invalid_credentials'],
  ['the ID token, which is not there', { noIdToken: true }, 'invalid_credentials'],
  ['the state', { answer: { state: 'of-another-sign-in' } }, 'invalid_credentials'],
  ['the issuer of the answer', { answer: { iss: 'https://evil.example' } }, 'invalid_credentials'],
  ['the code', { answer: { code: 'of-another' } }, 'invalid_credentials'],
  ['the sign-in, which was denied', { answer: { error: 'access_denied', code: '' } }, 'invalid_credentials'],
  ['the subject, of the same address and name', { claims: { sub: 'ann-2' } }, 'forbidden'],
]

test('whatever a service gets wrong is refused, by address as a bearer too', async () => {
  const lie: { now: Lie } = { now: {} }
  const who = { now: ann }
  const issuer = await startLyingService(who, lie)
  const jarvis = await startJarvis({ env: envOf(issuer) })
  const linked = await link(createBrowser(), jarvis.url, jarvis)
  expect(linked.status).toBe(200)
  for (const [what, said, refused] of lies) {
    lie.now = said
    const { finished, landed, code } = await signIn(createBrowser(), jarvis.url)
    expect([what, code]).toEqual([what, refused])
    expect(landed.headers.get('location')).toBe('/?from=elsewhere')
    expect(typeof (read(finished) as { token?: string }).token).toBe(refused === undefined ? 'string' : 'undefined')
  }
})

test('a service that is away or another one is told, and the password still signs in', async () => {
  const lie: { now: Lie } = { now: { metadata: { issuer: 'https://another.example' } } }
  const issuer = await startLyingService({ now: ann }, lie)
  const jarvis = await startJarvis({ env: envOf(issuer) })
  const browser = createBrowser()
  const begin = () => browser.page(jarvis.url, 'POST', '/api/auth/oidc', { page: pageOf(newSecret()) })
  const refused = await begin()
  expect(read(refused).error?.code).toBe('conflict')
  expect(refused.text).toContain(`JARVIS_OIDC_ISSUER is ${issuer}, and Home ID calls itself https://another.example.`)
  lie.now = {}
  expect((await begin()).status).toBe(200)
  expect((await browser.page(jarvis.url, 'POST', '/api/auth/login', { password })).status).toBe(200)
  // Strangers who begin any number lock nobody out.
  for (let count = 1; count < 25; count++) expect((await begin()).status).toBe(200)
})

test('an issuer whose last slash differs is the same service, and UserInfo names who waits', async () => {
  const lie: { now: Lie } = { now: {} }
  const origin = await startLyingService({ now: { sub: 'ann-1' } }, lie)
  const own = `${origin}/realm/`
  const metadata = { issuer: own, userinfo_endpoint: `${origin}/userinfo` }
  const honest: Lie = { claims: { iss: own }, answer: { iss: own }, metadata, userInfo: ann }
  lie.now = honest
  const jarvis = await startJarvis({ env: envOf(`${origin}/realm`) })
  expect((await signIn(createBrowser(), jarvis.url)).code).toBe('forbidden')
  expect(await accountsOf(jarvis)).toMatchObject([{ issuer: own, name: 'Ann', email: 'ann@example.org' }])

  // UserInfo of somebody else names nobody, and the sign-in goes on.
  lie.now = { ...honest, claims: { iss: own, sub: 'ann-2' } }
  expect((await signIn(createBrowser(), jarvis.url)).code).toBe('forbidden')
  expect((await accountsOf(jarvis)).find(({ subject }) => subject === 'ann-2')).not.toHaveProperty('name')

  lie.now = { ...honest, signedBy: 'the client secret' }
  const { finished } = await signIn(createBrowser(), jarvis.url)
  expect(finished.text).toMatch(/Home ID signs with HS256.*Set RS256/)
})

test('without a service, and where it does not work, there is no way in', async () => {
  const jarvis = await startJarvis()
  const browser = createBrowser()
  expect(read(await browser.page(jarvis.url, 'GET', '/api/auth/ways'))).not.toHaveProperty('elsewhere')
  const asked = await browser.page(jarvis.url, 'POST', '/api/auth/oidc', { page: pageOf(newSecret()) })
  expect(asked.status).toBe(404)

  const issuer = await startLyingService({ now: ann }, { now: {} })
  const named = await startJarvis({ env: { ...envOf(issuer), JARVIS_PUBLIC_URL: publicUrl } })
  expect(read(await browser.page(named.url, 'GET', '/api/auth/ways'))).toMatchObject({
    elsewhere: { problem: expect.stringContaining(publicUrl) },
  })
  const there = await browser.page(named.url, 'POST', '/api/auth/oidc', { page: pageOf(newSecret()) })
  expect(there.status).toBe(409)
})

test.each([
  [
    'http beside this machine',
    { JARVIS_OIDC_ISSUER: 'http://auth.lan', JARVIS_OIDC_CLIENT_ID: 'jarvis' },
    'JARVIS_OIDC_ISSUER',
  ],
  [
    'an address with a query',
    { JARVIS_OIDC_ISSUER: 'https://auth.lan?x=1', JARVIS_OIDC_CLIENT_ID: 'jarvis' },
    'JARVIS_OIDC_ISSUER',
  ],
  ['no client', { JARVIS_OIDC_ISSUER: 'https://auth.lan' }, 'JARVIS_OIDC_CLIENT_ID'],
  ['no issuer', { JARVIS_OIDC_CLIENT_ID: 'jarvis' }, 'JARVIS_OIDC_ISSUER'],
])('a service with %s is refused at the start', (_what, env, variable) => {
  expect(() => readConfig(env)).toThrow(ConfigError)
  expect(() => readConfig(env)).toThrow(variable)
})
