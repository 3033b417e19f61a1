import { expect, test } from 'vitest'
import type { ApiToken, ApiTokenStore } from '../../src/auth/api-tokens.ts'
import type { OAuthStore } from '../../src/auth/oauth-store.ts'
import type { RevocationStore } from '../../src/auth/tokens.ts'
import type { PushStore } from '../../src/push/ports.ts'

/** The store's clock stands at 1,000. */
export function revocationStoreContract(open: () => RevocationStore) {
  test('a token stays revoked, and may be revoked twice', () => {
    const store = open()
    store.revoke('hash', 2_000)
    store.revoke('hash', 2_000)
    store.revoke('another', 3_000)
    expect(['hash', 'another', 'third'].map(store.isRevoked)).toEqual([true, true, false])
  })
}

export function apiTokenStoreContract(open: () => ApiTokenStore) {
  test('a name is given once, and a token is found by its hash until it is removed', () => {
    const store = open()
    const token: ApiToken = {
      ...{ name: 'laptop', doors: ['v1', 'api'], scope: 'read', hint: 'x81m' },
      ...{ createdAt: 10, expiresAt: 99 },
    }
    expect([store.add(token, 'h1'), store.add(token, 'h2')]).toEqual([true, false])
    expect([store.byHash('h1'), store.byHash('h2')]).toEqual([token, undefined])
    const desk: ApiToken = { name: 'desk', doors: ['mcp'], scope: 'ask', createdAt: 11 }
    store.add(desk, 'h3')
    store.used('desk', 20)
    expect(store.list()).toEqual([{ ...desk, lastUsedAt: 20 }, token])
    expect([store.remove('laptop'), store.remove('laptop')]).toEqual([true, false])
    expect(store.byHash('h1')).toBeUndefined()
  })
}

export function oauthStoreContract(open: () => OAuthStore) {
  const client = { id: 'cl_1', name: 'Editor', redirectUris: ['http://127.0.0.1/cb'] }
  const token: ApiToken = {
    ...{ name: 'editor', doors: ['mcp'], scope: 'ask' },
    ...{ createdAt: 10, expiresAt: 100, clientName: 'Editor' },
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
    store.used('editor', 30)
    expect(store.secret('h1')?.consent.token.lastUsedAt).toBe(30)
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

export function pushStoreContract(open: () => PushStore) {
  const device = (id: string, sub = 'operator') => ({
    ...{ id, sub, endpoint: `https://push.example/${id}`, p256dh: 'key', auth: 'secret', label: 'Phone' },
    ...{ hidesNames: true, createdAt: 10 },
  })

  test('a browser is known by its endpoint, and removed by its owner alone', () => {
    const store = open()
    store.add(device('dev_1'))
    store.add({ ...device('dev_2'), endpoint: device('dev_1').endpoint })
    store.add(device('dev_3', 'other'))
    expect(store.list().map(({ id }) => id)).toEqual(['dev_2', 'dev_3'])
    expect(store.list('other')).toEqual([device('dev_3', 'other')])
    expect([store.remove('dev_3', 'operator'), store.remove('dev_3', 'other'), store.remove('dev_2')]).toEqual([
      false,
      true,
      true,
    ])
  })

  test('a problem stays until a message was sent', () => {
    const store = open()
    store.add(device('dev_1'))
    store.sent('dev_1', 20, 'refused')
    expect(store.list()).toEqual([{ ...device('dev_1'), problem: 'refused' }])
    store.sent('dev_1', 30, undefined)
    expect(store.list()).toEqual([{ ...device('dev_1'), lastSentAt: 30 }])
  })
}
