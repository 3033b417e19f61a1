import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { LoginReply, MeReply, RecoveryCodesReply } from 'protocol'
import { expect, test } from 'vitest'
import { enrol } from './support/authenticator-app.ts'
import { createAuthenticator } from './support/fake-authenticator.ts'
import { createSkippingClock } from './support/fake-clock.ts'
import { passkeyDoor } from './support/passkey-door.ts'
import { password, startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const stepMs = 30_000

async function post(jarvis: TestJarvis, path: string, json: object, token?: string) {
  const response = await fetch(`${jarvis.url}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(json),
  })
  return { status: response.status, body: (await response.json()) as LoginReply & { error?: { code: string } } }
}
const login = (jarvis: TestJarvis, more: object = {}) => post(jarvis, '/auth/login', { password, ...more })
const codesOf = async (...tries: Promise<{ status: number; body: { error?: { code: string } } }>[]) =>
  (await Promise.all(tries)).map(({ status, body }) => body.error?.code ?? status)
const me = async (jarvis: TestJarvis, token: string) =>
  (await (await jarvis.rest('/api/auth/me', { headers: { authorization: `Bearer ${token}` } })).json()) as MeReply

async function withFactor() {
  const clock = createSkippingClock()
  const jarvis = await startJarvis({ clock })
  return { clock, jarvis, ...(await enrol(jarvis)) }
}

test('beside the password a code of the app is asked for, at sign-in and step-up, and each counts once', async () => {
  const { clock, jarvis, app, secret, uri } = await withFactor()
  expect(uri).toBe(`otpauth://totp/JARVIS%3Aoperator?secret=${secret}&issuer=JARVIS`)
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)

  // The code that turned it on is used up, and without one nobody gets in.
  const used = app.codeAt(jarvis.now())
  expect(await codesOf(login(jarvis), login(jarvis, { code: '' }), login(jarvis, { code: used }))).toEqual([
    'second_factor_required',
    'second_factor_required',
    'invalid_credentials',
  ])
  // A wrong password says nothing of a second factor.
  expect(await codesOf(post(jarvis, '/auth/login', { password: 'wrong-password', code: used }))).toEqual([
    'invalid_credentials',
  ])
  await clock.skip(stepMs)
  const code = app.codeAt(jarvis.now())
  const entered = await login(jarvis, { code: `${code.slice(0, 3)} ${code.slice(3)}` })
  expect(entered.status).toBe(200)
  const { token } = entered.body
  expect(await me(jarvis, token)).toMatchObject({
    signIn: { method: 'password_and_code' },
    factors: { password: true, totp: true, recoveryCodesLeft: 10 },
  })

  // The step before counts no more once a later one did, and the one after counts.
  expect(await codesOf(login(jarvis, { code }), login(jarvis, { code: used }))).toEqual([
    'invalid_credentials',
    'invalid_credentials',
  ])
  const stepUp = (more: object) => post(jarvis, '/auth/step-up', { password, ...more }, token)
  expect(await codesOf(stepUp({}), stepUp({ code }))).toEqual(['second_factor_required', 'invalid_credentials'])
  expect(await codesOf(stepUp({ code: app.codeAt(jarvis.now() + stepMs) }))).toEqual([200])

  const gone = await fetch(`${jarvis.url}/api/second-factor`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
  })
  expect(gone.status).toBe(204)
  expect((await login(jarvis)).status).toBe(200)
})

test('the seed is sealed in the database, and no answer or entry of the journal repeats it or a code', async () => {
  const { jarvis, secret, recoveryCodes } = await withFactor()
  const sql = new Sqlite(join(jarvis.dataDir, 'jarvis.db'), { readonly: true })
  const [row] = sql.prepare('SELECT * FROM second_factors').all() as { person: string; seed: string }[]
  const hashes = sql.prepare('SELECT hash FROM recovery_codes').pluck().all() as string[]
  sql.close()
  expect(row).toMatchObject({ person: 'operator', seed: expect.stringMatching(/^sealed:v1:/) })
  expect(hashes).toHaveLength(10)
  for (const hash of hashes) expect(hash).toMatch(/^\$argon2id\$/)
  expect(new Set(recoveryCodes).size).toBe(10)
  for (const code of recoveryCodes) expect(code).toMatch(/^\d(?:-[a-z2-7]{4}){4}$/)
  const told = await (await jarvis.rest('/api/journal')).text()
  expect(told).toContain('"change":"second_factor_added"')
  expect([secret, ...recoveryCodes].filter((text) => told.includes(text))).toEqual([])
})

test('eight wrong codes lock the app, also in parallel, and a recovery code opens it again', async () => {
  const { clock, jarvis, app, recoveryCodes } = await withFactor()
  await clock.skip(stepMs)
  const right = app.codeAt(jarvis.now())
  const wrong = ['000000', '111111', '222222', '333333'].find((code) => code !== right) ?? ''
  // The budgets of passwords slow this down too; an hour ends their counts.
  const tries: string[] = []
  while (tries.filter((code) => code === 'invalid_credentials').length < 8) {
    tries.push(...((await codesOf(...Array.from({ length: 4 }, () => login(jarvis, { code: wrong })))) as string[]))
    await clock.skip(61 * 60_000)
  }
  expect(new Set(tries)).toEqual(new Set(['invalid_credentials']))
  const locked = await login(jarvis, { code: app.codeAt(jarvis.now()) })
  expect(locked.body).toMatchObject({ error: { message: expect.stringContaining('After 8 wrong codes') } })
  const [first = '', second = ''] = recoveryCodes
  // Sent twice at once it counts once.
  const entered = await Promise.all([
    login(jarvis, { code: first }),
    login(jarvis, { code: first.toUpperCase().replaceAll('-', ' ') }),
  ])
  expect(entered.map(({ status }) => status).sort()).toEqual([200, 401])
  const token = entered.find(({ status }) => status === 200)?.body.token ?? ''
  expect(await me(jarvis, token)).toMatchObject({
    signIn: { method: 'password_and_recovery_code' },
    factors: { totp: true, recoveryCodesLeft: 9 },
  })
  expect((await me(jarvis, token)).factors.totpLocked).toBeUndefined()
  await clock.skip(stepMs)
  expect((await login(jarvis, { code: app.codeAt(jarvis.now()) })).status).toBe(200)

  // A code of another number, or of nobody.
  const swapped = second.slice(0, 2) + first.slice(2)
  expect(await codesOf(login(jarvis, { code: swapped }), login(jarvis, { code: first }))).toEqual([
    'invalid_credentials',
    'invalid_credentials',
  ])
  const { items } = (await (await jarvis.rest('/api/journal?kind=person')).json()) as { items: { body: object }[] }
  expect(items.map(({ body }) => (body as { change: string }).change)).toEqual([
    'recovery_code_used',
    'second_factor_locked',
    'second_factor_added',
  ])
})

test('a passkey stands for both and opens the app’s codes again; another owner takes a lost second factor away', async () => {
  const clock = createSkippingClock()
  const jarvis = await startJarvis({ clock })
  const door = passkeyDoor(jarvis)
  await jarvis.stepUp(door.token)
  const authenticator = createAuthenticator(door.origin)
  await door.enrol(authenticator)
  const { app } = await enrol(jarvis)
  for (let tries = 0; tries < 8; tries += 1) {
    await login(jarvis, { code: '00000' })
    if (tries % 4 === 3) await clock.skip(61 * 60_000)
  }
  expect((await login(jarvis, { code: app.codeAt(jarvis.now()) })).status).toBe(401)
  const entered = await door.signIn(authenticator.get(await door.signInOptions()))
  expect(entered.status).toBe(200)
  expect((await login(jarvis, { code: app.codeAt(jarvis.now()) })).status).toBe(200)

  const { token } = (await entered.json()) as LoginReply
  const passkey = authenticator.get(await door.signInOptions())
  expect((await post(jarvis, '/auth/step-up', { passkey }, token)).status).toBe(200)
  const ended = await jarvis.rest('/api/people/operator/second-factor', {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
  })
  expect(ended.status).toBe(204)
  expect((await login(jarvis)).status).toBe(200)
})

test('a seed that was not confirmed in time counts for nothing, and a new one ends the one before', async () => {
  const clock = createSkippingClock()
  const jarvis = await startJarvis({ clock })
  const token = jarvis.token('operator')
  const as = { method: 'POST', headers: { authorization: `Bearer ${token}` } }
  expect((await jarvis.rest('/api/second-factor/confirm', { ...as, json: { code: '123456' } })).status).toBe(409)
  await jarvis.rest('/api/second-factor', as)
  expect((await jarvis.rest('/api/second-factor/confirm', { ...as, json: { code: '12345' } })).status).toBe(401)
  await clock.skip(15 * 60_000)
  expect((await jarvis.rest('/api/second-factor/confirm', { ...as, json: { code: '123456' } })).status).toBe(409)
  expect((await login(jarvis)).status).toBe(200)
  expect((await jarvis.rest('/api/second-factor/recovery-codes', as)).status).toBe(404)

  const { recoveryCodes: before } = await enrol(jarvis, as.headers)
  const renewed = await jarvis.rest('/api/second-factor/recovery-codes', as)
  const { recoveryCodes: after } = (await renewed.json()) as RecoveryCodesReply
  expect(await codesOf(login(jarvis, { code: before[3] }), login(jarvis, { code: after[3] }))).toEqual([
    'invalid_credentials',
    200,
  ])
})
