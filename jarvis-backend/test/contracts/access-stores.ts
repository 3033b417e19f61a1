import type { Person } from 'protocol'
import { expect, test } from 'vitest'
import type {
  ChallengeStore,
  PasskeyStore,
  SignerKeyStore,
  StoredPasskey,
  StoredSignerKey,
} from '../../src/access/ports.ts'
import type { ShareStore } from '../../src/agent/sessions/shares.ts'
import type { ApiToken, ApiTokenStore } from '../../src/auth/api-tokens.ts'
import type { ForeignAccountStore } from '../../src/auth/foreign-accounts.ts'
import type { LinkStore, StoredLink } from '../../src/auth/links.ts'
import type { OAuthStore } from '../../src/auth/oauth-store.ts'
import type { PersonStore } from '../../src/auth/people.ts'
import type { SecondFactorStore } from '../../src/auth/second-factor.ts'
import type { SignInRow, SignInStore } from '../../src/auth/sign-ins.ts'
import type { RevocationStore } from '../../src/auth/tokens.ts'

/** The store's clock stands at 1,000. */
export function revocationStoreContract(open: () => RevocationStore) {
  test('a token stays revoked, and may be revoked twice', () => {
    const store = open()
    store.revoke('hash', 2_000)
    store.revoke('hash', 2_000)
    store.revoke('another', 3_000)
    expect(['hash', 'another', 'third'].map((hash) => store.isRevoked(hash))).toEqual([true, true, false])
  })
}

export function apiTokenStoreContract(open: () => ApiTokenStore) {
  test('a name is given once, and a token is found by its hash until it is removed', () => {
    const store = open()
    const token: ApiToken = {
      name: 'laptop',
      doors: ['v1', 'api'],
      scope: 'read',
      areas: ['memory:write', 'agents:read'],
      hint: 'x81m',
      requestsPerMinute: 60,
      calls: 0,
      createdAt: 10,
      expiresAt: 99,
    }
    expect([store.add(token, 'h1'), store.add(token, 'h2')]).toEqual([true, false])
    expect([store.byHash('h1'), store.byHash('h2')]).toEqual([token, undefined])
    const desk: ApiToken = { name: 'desk', doors: ['mcp'], scope: 'ask', calls: 0, createdAt: 11 }
    store.add(desk, 'h3')
    store.used(desk, 20, 2)
    store.used(desk, 21, 3)
    // Another token of that name, revoked since.
    store.used({ name: 'desk', createdAt: 9 }, 22, 1)
    expect(store.list()).toEqual([{ ...desk, calls: 5, lastUsedAt: 21 }, token])
    expect([store.remove('laptop'), store.remove('laptop')]).toEqual([true, false])
    expect(store.byHash('h1')).toBeUndefined()
  })
}

export function oauthStoreContract(open: () => OAuthStore) {
  const client = { id: 'cl_1', name: 'Editor', redirectUris: ['http://127.0.0.1/cb'] }
  const token: ApiToken = {
    name: 'editor',
    doors: ['mcp'],
    scope: 'ask',
    calls: 0,
    createdAt: 10,
    expiresAt: 100,
    clientName: 'Editor',
  }
  const consent = { token, clientId: 'cl_1', resource: 'http://jarvis/mcp' }
  const opened = () => {
    const store = open()
    store.addClient(client, 10)
    store.addConsent(consent)
    store.addSecret('h1', { name: 'editor', kind: 'refresh', expiresAt: 50 })
    return store
  }

  test('a secret is of its consent, and is exchanged once', () => {
    const store = opened()
    expect(store.secret('h1')).toEqual({ consent, kind: 'refresh', expiresAt: 50, isUsed: false })
    expect([store.use('h1', 20), store.use('h1', 21), store.use('h2', 21)]).toEqual([true, false, false])
    expect(store.secret('h1')?.isUsed).toBe(true)
    expect(store.secret('h2')).toBeUndefined()
  })

  test('a consent lasts until its time or its end, and takes its secrets along', () => {
    const store = opened()
    store.extendConsent('editor', 200)
    expect([store.consentUntil('editor'), store.consentUntil('other')]).toEqual([200, undefined])
    store.prune(60)
    expect([store.secret('h1'), store.consentUntil('editor')]).toEqual([undefined, 200])
    store.addSecret('h2', { name: 'editor', kind: 'access', expiresAt: 90 })
    expect([store.endConsent('editor'), store.endConsent('editor')]).toEqual([true, false])
    expect([store.secret('h2'), store.consentUntil('editor')]).toEqual([undefined, undefined])
  })

  test('clients without a consent are forgotten by age and by number', () => {
    const store = opened()
    for (const [id, at] of [
      ['cl_2', 5],
      ['cl_3', 30],
      ['cl_4', 40],
    ] as const)
      store.addClient({ ...client, id }, at)
    store.pruneClients(20, 1)
    expect(['cl_1', 'cl_2', 'cl_3', 'cl_4'].map((id) => store.client(id)?.id)).toEqual([
      'cl_1',
      undefined,
      undefined,
      'cl_4',
    ])
    expect(store.client('cl_1')).toEqual(client)
  })
}

export function passkeyStoreContract(open: () => PasskeyStore) {
  const passkey: StoredPasskey = {
    id: 'c1',
    person: 'operator',
    userHandle: 'aGk',
    name: 'Laptop',
    key: 'a2V5',
    cose: 'Y29zZQ',
    rpId: 'localhost',
    counter: 0,
    transports: ['internal'],
    isSynced: true,
    createdAt: 10,
  }

  test('a passkey is added once, and belongs to one person', () => {
    const store = open()
    const another = { ...passkey, id: 'c2', person: 'per_1', createdAt: 5 }
    expect([store.add(passkey), store.add(passkey), store.add(another)]).toEqual([true, false, true])
    expect(store.get('c1')).toEqual(passkey)
    expect([store.list('operator'), store.list('per_1'), store.list('per_2')]).toEqual([[passkey], [another], []])
    expect([store.rename('c1', 'per_1', 'Mine'), store.remove('c1', 'per_1')]).toEqual([false, false])
  })

  test('a passkey is renamed, used and removed', () => {
    const store = open()
    store.add(passkey)
    expect(store.rename('c1', 'operator', 'Desk')).toBe(true)
    store.used('c1', 7, 20)
    expect(store.get('c1')).toEqual({ ...passkey, name: 'Desk', counter: 7, lastUsedAt: 20 })
    expect([store.remove('c1', 'operator'), store.remove('c1', 'operator')]).toEqual([true, false])
    expect(store.get('c1')).toBeUndefined()
  })
}

export function signerKeyStoreContract(open: () => SignerKeyStore) {
  const key: StoredSignerKey = {
    id: 'SHA256:a',
    type: 'ssh',
    person: 'operator',
    name: 'Laptop',
    key: 'a2V5',
    createdAt: 10,
  }

  test('a key is added once, and is listed with those of its person and type, oldest first', () => {
    const store = open()
    const older: StoredSignerKey = { ...key, id: 'SHA256:b', createdAt: 5 }
    const device: StoredSignerKey = { ...key, id: 'dev_1', type: 'device' }
    const another: StoredSignerKey = { ...key, id: 'SHA256:c', person: 'per_1' }
    expect([key, { ...key, person: 'per_1' }, older, device, another].map((added) => store.add(added))).toEqual([
      true,
      false,
      true,
      true,
      true,
    ])
    expect([store.get('SHA256:a'), store.get('SHA256:d')]).toEqual([key, undefined])
    expect([store.list('operator', 'ssh'), store.list('operator', 'device')]).toEqual([[older, key], [device]])
    expect([store.list('per_1', 'ssh'), store.list('per_1', 'device')]).toEqual([[another], []])
  })

  test('a key is used and removed', () => {
    const store = open()
    store.add(key)
    store.used('SHA256:a', 20)
    expect(store.get('SHA256:a')).toEqual({ ...key, lastUsedAt: 20 })
    expect([store.remove('SHA256:a'), store.remove('SHA256:a'), store.get('SHA256:a')]).toEqual([
      true,
      false,
      undefined,
    ])
  })
}

export function personStoreContract(open: () => PersonStore) {
  const ann: Person = { id: 'per_1', name: 'Ann', role: 'viewer', createdAt: 10 }

  test('there is an owner from the start, who has no password here', () => {
    const store = open()
    expect(store.get('operator')).toMatchObject({ id: 'operator', name: 'operator', role: 'owner' })
    expect([store.list().length, store.hash('operator')]).toEqual([1, undefined])
  })

  test('a name is given once, whatever its case, and is free again after its holder', () => {
    const store = open()
    expect([store.add(ann, 'h1'), store.add({ ...ann, id: 'per_2', name: 'ANN' }, 'h2')]).toEqual([true, false])
    expect([store.byName('ann'), store.byName('ben'), store.hash('per_1')]).toEqual([ann, undefined, 'h1'])
    store.add({ ...ann, id: 'per_3', name: 'ben' }, undefined)
    expect([store.change('per_3', { name: 'aNN' }), store.change('per_1', { name: 'ANN' })]).toEqual([false, true])
    expect(store.list().map(({ name }) => name)).toEqual(['ANN', 'ben', 'operator'])
    expect([store.remove('per_1', 20), store.remove('per_1', 21)]).toEqual([true, false])
    expect([store.get('per_1'), store.hash('per_1'), store.byName('ann')]).toEqual([undefined, undefined, undefined])
    expect(store.change('per_3', { name: 'Ann' })).toBe(true)
    expect(store.names().filter(({ name }) => name.toLowerCase() === 'ann')).toHaveLength(2)
  })

  test('role, hash, last use and being disabled are kept', () => {
    const store = open()
    store.add(ann, undefined)
    store.change('per_1', { role: 'helper', disabledAt: 30 })
    store.setHash('per_1', 'h3')
    store.seen('per_1', 40)
    expect(store.get('per_1')).toEqual({ ...ann, role: 'helper', disabledAt: 30, lastSeenAt: 40 })
    store.change('per_1', { disabledAt: null })
    expect([store.get('per_1')?.disabledAt, store.hash('per_1')]).toEqual([undefined, 'h3'])
  })
}

export function signInStoreContract(open: () => SignInStore) {
  const row = (id: string, endsAt = 100): SignInRow => ({
    id,
    person: 'operator',
    hash: `hash of ${id}`,
    address: '::1',
    client: 'Browser',
    method: 'password',
    createdAt: 10,
    lastSeenAt: 10,
    endsAt,
  })

  test('sign-ins are listed by their last use, and end one by one, all but one, or with their time', () => {
    const store = open()
    for (const id of ['sin_1', 'sin_2', 'sin_3']) store.add(row(id))
    store.seen('sin_1', 20)
    expect(store.get('sin_1')).toEqual({ ...row('sin_1'), lastSeenAt: 20 })
    expect(store.list('operator').map(({ id }) => id)).toEqual(['sin_1', 'sin_3', 'sin_2'])
    expect([store.end('sin_2'), store.end('sin_2'), store.list('nobody')]).toEqual([true, false, []])
    store.endAll('operator', 'sin_3')
    expect(store.list('operator').map(({ id }) => id)).toEqual(['sin_3'])
    store.add(row('sin_4', 50))
    store.prune(50, 5)
    expect(store.list('operator').map(({ id }) => id)).toEqual(['sin_3'])
    store.seen('sin_3', 30)
    store.add(row('sin_5'))
    store.prune(50, 10)
    expect(store.list('operator').map(({ id }) => id)).toEqual(['sin_3'])
    store.endAll('operator')
    expect(store.get('sin_3')).toBeUndefined()
  })

  test('sign-ins that were made with a passkey end with it, all but one', () => {
    const store = open()
    for (const id of ['sin_1', 'sin_2']) store.add({ ...row(id), passkey: 'a' })
    store.add({ ...row('sin_3'), passkey: 'b' })
    store.add(row('sin_4'))
    store.endOf('a', 'sin_2')
    expect(store.get('sin_2')).toEqual({ ...row('sin_2'), passkey: 'a' })
    expect(store.list('operator').map(({ id }) => id)).toEqual(['sin_4', 'sin_3', 'sin_2'])
  })
}

export function secondFactorStoreContract(open: () => SecondFactorStore) {
  test('a second factor counts its wrong codes until one is right, and goes with its recovery codes', () => {
    const store = open()
    store.set('operator', 'sealed', 7)
    store.failed('operator')
    store.failed('operator')
    expect(store.get('operator')).toEqual({ seed: 'sealed', lastStep: 7, failures: 2 })
    store.used('operator', 9)
    expect(store.get('operator')).toEqual({ seed: 'sealed', lastStep: 9, failures: 0 })
    store.failed('operator')
    store.unlock('operator')
    expect(store.get('operator')?.failures).toBe(0)
    store.setCodes('operator', [{ number: 0, hash: 'h0' }])
    store.set('operator', 'another', 1)
    expect(store.get('operator')).toEqual({ seed: 'another', lastStep: 1, failures: 0 })
    expect([store.remove('operator'), store.remove('operator'), store.codesLeft('operator')]).toEqual([true, false, 0])
    expect(store.get('operator')).toBeUndefined()
  })

  test('a recovery code is used once, and new ones take the place of all', () => {
    const store = open()
    store.setCodes('operator', [
      { number: 0, hash: 'h0' },
      { number: 1, hash: 'h1' },
    ])
    expect([store.code('operator', 1), store.code('operator', 2), store.codesLeft('operator')]).toEqual([
      'h1',
      undefined,
      2,
    ])
    expect([store.useCode('operator', 1, 'h0'), store.useCode('operator', 1, 'h1')]).toEqual([false, true])
    expect([store.useCode('operator', 1, 'h1'), store.codesLeft('operator')]).toEqual([false, 1])
    store.setCodes('operator', [{ number: 1, hash: 'n1' }])
    expect([store.code('operator', 0), store.code('operator', 1)]).toEqual([undefined, 'n1'])
  })
}

export function foreignAccountStoreContract(open: () => ForeignAccountStore) {
  const account = { id: 'acc_1', issuer: 'https://id.example', subject: 'a', createdAt: 10, lastSeenAt: 20 }

  test('an account is found by issuer and subject together, and replaced by them', () => {
    const store = open()
    const other = {
      ...account,
      id: 'acc_2',
      issuer: 'https://other.example',
      name: 'Ann',
      email: 'a@b.c',
      createdAt: 5,
    }
    store.put(account)
    store.put(other)
    expect(store.list()).toEqual([other, account])
    expect(store.find('https://id.example', 'A')).toBeUndefined()
    store.put({ ...account, person: 'per_1' })
    store.seen('acc_1', 30)
    expect(store.find('https://id.example', 'a')).toEqual({ ...account, person: 'per_1', lastSeenAt: 30 })
    store.put({ ...account, id: 'acc_3' })
    expect(store.list().map(({ id }) => id)).toEqual(['acc_2', 'acc_3'])
    expect([store.remove('acc_3'), store.remove('acc_3')]).toEqual([true, false])
  })
}

export function challengeStoreContract(open: () => ChallengeStore) {
  const challenge = { id: 'ch1', toolUseId: 'tu_1', person: 'operator', statement: '{}', expiresAt: 100 }

  test('a challenge is used once, and outlives its time only then', () => {
    const store = open()
    store.add(challenge)
    store.add({ ...challenge, id: 'ch2' })
    expect(store.get('ch1')).toEqual(challenge)
    expect([store.use('ch1', 50), store.use('ch1', 60), store.use('ch3', 60)]).toEqual([true, false, false])
    store.forget(99)
    expect(store.get('ch2')).toEqual({ ...challenge, id: 'ch2' })
    store.forget(100)
    expect([store.get('ch1'), store.get('ch2')]).toEqual([{ ...challenge, usedAt: 50 }, undefined])
  })
}

export function linkStoreContract(open: () => LinkStore) {
  const link: StoredLink = { id: 'inv_1', kind: 'join', by: 'operator', role: 'viewer', createdAt: 10, expiresAt: 100 }
  const reset: StoredLink = { id: 'rst_1', kind: 'reset', by: 'cli', person: 'per_1', createdAt: 11, expiresAt: 50 }

  test('a link is found by its hash until it is used or its time is over', () => {
    const store = open()
    store.add(link, 'h1')
    store.add({ ...link, id: 'inv_2', name: 'Ann', createdAt: 12 }, 'h2')
    store.add(reset, 'h3')
    expect([store.byHash('h1'), store.byHash('h4')]).toEqual([link, undefined])
    expect(store.list()).toEqual([link, reset, { ...link, id: 'inv_2', name: 'Ann', createdAt: 12 }])
    expect([store.end('inv_1'), store.end('inv_1'), store.byHash('h1')]).toEqual([true, false, undefined])
    store.prune(50)
    expect(store.list().map(({ id }) => id)).toEqual(['inv_2'])
  })

  test('a link is told of once', () => {
    const store = open()
    store.add(reset, 'h3')
    expect([store.untold(), store.untold()]).toEqual([[reset], []])
  })
}

/** There are the sessions `ses_1` and `ses_2`, of the first owner, who is the only person. */
export function shareStoreContract(open: () => ShareStore) {
  test('a session is shared with a person once, for the newest reason, until it ends', () => {
    const store = open()
    const share = { person: 'operator', may: 'look' as const, by: 'operator', at: 10 }
    store.set('ses_1', share)
    store.set('ses_1', { ...share, may: 'talk', at: 11 })
    expect(store.of('ses_1')).toEqual([{ ...share, may: 'talk', at: 11 }])
    expect(store.of('ses_2')).toEqual([])
    expect([store.mayOf('ses_1', 'operator'), store.mayOf('ses_2', 'operator')]).toEqual(['talk', undefined])
    expect([store.mayOf('ses_1', 'per_none'), store.mayOf('ses_none', 'operator')]).toEqual([undefined, undefined])
    expect(store.about('operator')).toEqual([{ sessionId: 'ses_1', person: 'operator' }])
    expect(store.about('per_none')).toEqual([])
    expect([store.end('ses_1', 'operator'), store.end('ses_1', 'operator')]).toEqual([true, false])
    expect(store.of('ses_1')).toEqual([])
  })
}
