import type { JournalEntry, Page, Passkey, PeopleReply, WebAuthnOptions } from 'protocol'
import { createRelyingParty } from 'signing/relying-party'
import { expect, test } from 'vitest'
import { createAuthenticator, type Lies } from './support/fake-authenticator.ts'
import { passkeyDoor } from './support/passkey-door.ts'
import { joined, stepUpAs } from './support/people.ts'
import { startJarvis } from './support/start-jarvis.ts'

const opened = async () => {
  const jarvis = await startJarvis()
  const door = passkeyDoor(jarvis)
  await jarvis.stepUp(door.token)
  const signers = async () =>
    (await door.ask<Page<JournalEntry>>('GET', '/journal?kind=signer')).items.map(({ body }) => body)
  return { jarvis, door, signers }
}
const tokenOf = async (response: Response) => ((await response.json()) as { token: string }).token
const codeOf = async (response: Response) =>
  response.ok ? 'ok' : ((await response.json()) as { error: { code: string } }).error.code

test('a passkey signs in and steps up; it is listed with its last use, renamed and removed', async () => {
  const { door, signers } = await opened()
  const laptop = createAuthenticator(door.origin)
  await door.enrol(laptop, 'Laptop')

  const entered = await door.signIn(laptop.get(await door.signInOptions()))
  const { token, role } = (await entered.json()) as { token: string; role: string }
  expect(role).toBe('operator')
  expect(await codeOf(await door.send('POST', '/passkeys/options', undefined, token))).toBe('step_up_required')
  const passkey = laptop.get(await door.signInOptions())
  expect(await codeOf(await door.send('POST', '/auth/step-up', { passkey }, token))).toBe('ok')
  expect(await codeOf(await door.send('POST', '/passkeys/options', undefined, token))).toBe('ok')
  expect(await codeOf(await door.send('POST', '/auth/step-up', { passkey }, token))).toBe('invalid_credentials')

  await door.ask('PATCH', `/passkeys/${laptop.id}`, { name: 'Desk' })
  const { items } = await door.ask<{ items: Passkey[] }>('GET', '/passkeys')
  expect(items).toEqual([
    { id: laptop.id, name: 'Desk', isSynced: false, createdAt: expect.any(Number), lastUsedAt: expect.any(Number) },
  ])
  const other = await tokenOf(await door.signIn(laptop.get(await door.signInOptions())))
  await door.ask('DELETE', `/passkeys/${laptop.id}`, undefined, token)
  // The sign-in that removed it stays, and one by a password; the other one that was made with it ends.
  const ends = [token, door.token, other].map(async (as) => codeOf(await door.send('GET', '/auth/me', undefined, as)))
  expect(await Promise.all(ends)).toEqual(['ok', 'ok', 'unauthorized'])
  expect(await codeOf(await door.signIn(laptop.get(await door.signInOptions())))).toBe('invalid_credentials')
  expect(await signers()).toMatchObject([
    { change: 'removed', id: laptop.id },
    { change: 'renamed', name: 'Desk' },
    { change: 'added', type: 'passkey', person: 'operator', key: laptop.key, trust: 'first' },
  ])
})

test('an owner sees another person’s passkeys, and removes a lost one with the password; nobody else does', async () => {
  const { jarvis, door, signers } = await opened()
  const { token } = await joined(jarvis, 'Ann', 'operator')
  await stepUpAs(jarvis, token)
  const own = passkeyDoor(jarvis, token)
  const { items: people } = await door.ask<PeopleReply>('GET', '/people')
  const id = people.find(({ name }) => name === 'Ann')?.id ?? expect.fail('Ann is not there.')
  const phone = createAuthenticator(door.origin)
  await own.enrol(phone, 'Phone')
  const lost = `/people/${id}/passkeys`
  const shown = [{ id: phone.id, name: 'Phone', isSynced: false, createdAt: expect.any(Number) }]
  expect(await door.ask('GET', lost)).toEqual({ items: shown })
  expect(await codeOf(await own.send('GET', '/people/operator/passkeys'))).toBe('forbidden')
  expect(await codeOf(await own.send('DELETE', `${lost}/${phone.id}`))).toBe('forbidden')
  expect(await codeOf(await door.send('DELETE', `/people/operator/passkeys/${phone.id}`))).toBe('not_found')
  const plain = jarvis.token('operator')
  expect(await codeOf(await door.send('DELETE', `${lost}/${phone.id}`, undefined, plain))).toBe('step_up_required')
  const onPhone = await tokenOf(await door.signIn(phone.get(await door.signInOptions())))
  const { socket } = await jarvis.connect('/events', 'operator', onPhone)
  const dropped = new Promise((resolve) => socket.once('disconnect', resolve))

  await door.ask('DELETE', `${lost}/${phone.id}`)
  await dropped
  const signedIn = [onPhone, token].map(async (as) => codeOf(await own.send('GET', '/auth/me', undefined, as)))
  expect(await Promise.all(signedIn)).toEqual(['unauthorized', 'ok'])
  expect(await door.ask('GET', lost)).toEqual({ items: [] })
  expect(await codeOf(await door.signIn(phone.get(await door.signInOptions())))).toBe('invalid_credentials')
  expect((await signers())[0]).toMatchObject({ change: 'removed', person: id, name: 'Phone', by: 'operator' })
})

test('a sign-in in which one field lies is refused', async () => {
  const { door, signers } = await opened()
  const key = createAuthenticator(door.origin)
  await door.enrol(key)
  const flip = (which: 'authenticatorData' | 'clientDataJSON' | 'signature', at: number): Lies => ({
    tamper: ({ [which]: bytes }) => void bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at),
  })
  const lies: Lies[] = [
    { type: 'webauthn.create' },
    { challenge: Buffer.alloc(32).toString('base64url') },
    { origin: 'http://localhost:1' },
    { origin: 'https://localhost.example' },
    { crossOrigin: true },
    { rpId: 'example.org' },
    { flags: 4 },
    { flags: 1 },
    { counter: 0 },
    { counter: 1 },
    { otherKey: true },
    { userHandle: Buffer.alloc(32).toString('base64url') },
    flip('authenticatorData', 0),
    flip('authenticatorData', 36),
    flip('clientDataJSON', 2),
    flip('signature', 20),
  ]
  for (const lie of lies) {
    const refused = await door.signIn(key.get(await door.signInOptions(), lie))
    expect([lie, await codeOf(refused)]).toEqual([lie, 'invalid_credentials'])
    // A right one ends the count of wrong ones.
    const once = key.get(await door.signInOptions())
    expect(await codeOf(await door.signIn(once))).toBe('ok')
    expect(await codeOf(await door.signIn(once))).toBe('invalid_credentials')
    await door.signIn(key.get(await door.signInOptions()))
  }
  expect((await signers()).filter((body) => (body as { change: string }).change === 'refused')).toHaveLength(2)
})

test('a synced passkey does not count its uses, and an Ed25519 key signs in too', async () => {
  const { door } = await opened()
  const synced = createAuthenticator(door.origin, { kind: 'ed25519', isSynced: true })
  await door.enrol(synced)
  for (const _ of [1, 2]) expect(await codeOf(await door.signIn(synced.get(await door.signInOptions())))).toBe('ok')
  const { items } = await door.ask<{ items: Passkey[] }>('GET', '/passkeys')
  expect(items).toMatchObject([{ isSynced: true }])
})

test('a further passkey is enrolled once an older one has signed it', async () => {
  const { door, signers } = await opened()
  const [first, second, stranger] = [1, 2, 3].map(() => createAuthenticator(door.origin))
  if (!first || !second || !stranger) throw new Error('three')
  await door.enrol(first, 'First')
  const pending = async () => {
    const { countersign, passkey } = await door.enrol(second, 'Second')
    expect(passkey).toBeUndefined()
    return countersign as WebAuthnOptions
  }
  const countersign = (response: unknown) => door.send('POST', '/passkeys/countersign', { response })

  expect(await codeOf(await countersign(second.get(await pending())))).toBe('invalid_request')
  expect(await codeOf(await countersign(stranger.get(await pending())))).toBe('invalid_request')
  expect(await codeOf(await countersign(first.get(await pending(), { flags: 1 })))).toBe('invalid_request')
  const signed = first.get(await pending())
  expect(await codeOf(await countersign(signed))).toBe('ok')
  expect(await codeOf(await countersign(signed))).toBe('invalid_request')
  expect((await signers())[0]).toMatchObject({ change: 'added', id: second.id, signedBy: { id: first.id } })

  // With all gone the next one is trusted at first use again, and its entry says so.
  for (const { id } of [first, second]) await door.ask('DELETE', `/passkeys/${id}`)
  await door.enrol(stranger, 'New')
  expect((await signers())[0]).toMatchObject({ change: 'added', id: stranger.id, trust: 'renewed' })
})

test('a passkey is enrolled with a fresh proof, with user verification, and for its own challenge only', async () => {
  const { jarvis, door } = await opened()
  const key = createAuthenticator(door.origin)
  const fresh = jarvis.token('operator')
  expect(await codeOf(await door.send('POST', '/passkeys/options', undefined, fresh))).toBe('step_up_required')
  const lies: Lies[] = [
    { flags: 1 },
    { origin: 'http://localhost:1' },
    { rpId: 'example.org' },
    { type: 'webauthn.get' },
  ]
  for (const lie of lies) await expect(door.enrol(key, 'Key', lie)).rejects.toThrow('400')
  const options = await door.ask<WebAuthnOptions>('POST', '/passkeys/options')
  expect(options).toMatchObject({
    rp: { id: 'localhost' },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    pubKeyCredParams: [{ alg: -7 }, { alg: -8 }, { alg: -257 }],
  })
  const { user } = options as unknown as { user: { id: string } }
  expect(Buffer.from(user.id, 'base64url')).toHaveLength(32)
})

test('an address where passkeys cannot work is told what to do', async () => {
  const { jarvis, door } = await opened()
  const response = await fetch(`${jarvis.url}/api/auth/passkey/options`, { method: 'POST' })
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  expect(error.code).toBe('conflict')
  expect(error.message).toContain(`Open ${door.origin} and sign in there`)
})

test.each([
  [undefined, 'http://localhost:4000', undefined],
  [undefined, 'http://127.0.0.1:4000', 'Open http://localhost:4000'],
  [undefined, 'http://[::1]:4000', 'Open http://localhost:4000'],
  [undefined, 'http://192.0.2.7:4000', 'ssh -L 4000:localhost:4000 192.0.2.7'],
  [undefined, 'http://jarvis.lan', 'set JARVIS_PUBLIC_URL'],
  ['https://jarvis.example', 'https://jarvis.example', undefined],
  ['https://jarvis.example', 'http://localhost:4000', 'work at https://jarvis.example alone'],
  ['https://192.0.2.7', 'https://192.0.2.7', 'an https address with a name'],
  ['http://jarvis.lan', 'http://jarvis.lan', 'an https address'],
])('with the public URL %s, passkeys at %s: %s', (publicUrl, origin, says) => {
  const problem = createRelyingParty(publicUrl).problem(origin)
  if (says === undefined) expect(problem).toBeUndefined()
  else expect(problem).toContain(says)
})
