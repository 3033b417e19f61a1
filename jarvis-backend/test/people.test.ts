import { join } from 'node:path'
import jwt from 'jsonwebtoken'
import type { LoginReply } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { createPasswordHasher } from '../src/auth/passwords.ts'
import { SqlitePersonStore } from '../src/store/sqlite/access/people.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { openEvents } from './support/sse-client.ts'
import { jwtSecret, password, startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const hasher = createPasswordHasher({ memoryKib: 64, passes: 1, lanes: 1 })
const annsPassword = 'plum-orchard-seven'

/** People written by another process, as the command line does. */
function peopleOf(jarvis: TestJarvis) {
  const database = openDatabase(join(jarvis.dataDir, 'jarvis.db'))
  onTestFinished(() => database.close())
  return new SqlitePersonStore(database)
}

function withAnn(jarvis: TestJarvis, role = 'operator') {
  const people = peopleOf(jarvis)
  people.add({ id: 'per_ann', name: 'Ann', role, createdAt: 1 }, hasher.hashNow(annsPassword))
  return people
}

const login = (jarvis: TestJarvis, body: object) =>
  fetch(`${jarvis.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const signIn = async (jarvis: TestJarvis, body: object) => (await (await login(jarvis, body)).json()) as LoginReply
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

test('the first owner signs in without a name, others by theirs, and each is told who they are', async () => {
  const jarvis = await startJarvis()
  withAnn(jarvis)
  const owner = await signIn(jarvis, { password })
  expect(owner).toMatchObject({ role: 'operator', person: { id: 'operator', name: 'operator', role: 'owner' } })
  const ann = await signIn(jarvis, { name: 'ANN', password: annsPassword })
  expect(ann).toMatchObject({ role: 'operator', person: { id: 'per_ann', name: 'Ann', role: 'operator' } })
  const me = await (await jarvis.rest('/api/auth/me', as(ann.token))).json()
  expect(me).toMatchObject({
    person: ann.person,
    signIn: { isThis: true, method: 'password' },
    factors: { password: true },
  })

  const refused = await Promise.all(
    [
      { name: 'ann', password },
      { name: 'nobody', password },
      { name: 'operator', password: annsPassword },
    ].map(async (body) => {
      const response = await login(jarvis, body)
      return [response.status, await response.text()]
    }),
  )
  expect(new Set(refused.map(([, text]) => text)).size).toBe(1)
  expect(refused.map(([status]) => status)).toEqual([401, 401, 401])
})

test('the first owner signs in without a name, whoever came since; another owner gives one', async () => {
  const jarvis = await startJarvis()
  withAnn(jarvis, 'owner')
  const without = await signIn(jarvis, { password })
  expect(without.person).toMatchObject({ id: 'operator' })
  expect((await login(jarvis, { name: 'operator', password })).status).toBe(200)
  expect((await login(jarvis, { password: annsPassword })).status).toBe(401)
  expect((await signIn(jarvis, { name: 'Ann', password: annsPassword })).person.id).toBe('per_ann')
})

test('each change of a person counts at the next request, and drops what is open', async () => {
  const jarvis = await startJarvis()
  const people = withAnn(jarvis)
  const { token } = await signIn(jarvis, { name: 'Ann', password: annsPassword })
  const ask = async (path: string, method = 'GET') => (await jarvis.rest(path, { ...as(token), method })).status
  expect([await ask('/api/doctor'), await ask('/api/people/per_ann/sign-ins')]).toEqual([200, 403])

  people.change('per_ann', { role: 'owner' })
  expect(await ask('/api/people/per_ann/sign-ins')).toBe(200)

  const screen = await jarvis.connect('/chat', 'operator', token)
  const events = await openEvents(`${jarvis.url}/api/events`, token)
  const dropped = new Promise((resolve) => screen.socket.once('disconnect', resolve))
  const patched = await jarvis.rest('/api/people/per_ann', { method: 'PATCH', json: { role: 'viewer' } })
  expect(patched.status).toBe(200)
  await dropped
  expect([await ask('/api/doctor'), await ask('/api/tools')]).toEqual([403, 200])
  await jarvis.rest('/api/people/per_ann', { method: 'PATCH', json: { disabled: true } })
  await events.ended
  expect(await ask('/api/tools')).toBe(401)
  expect((await login(jarvis, { name: 'Ann', password: annsPassword })).status).toBe(401)
})

test('a role that another process lowers counts for the next word on an open socket', async () => {
  const jarvis = await startJarvis()
  const people = withAnn(jarvis)
  const { token } = await signIn(jarvis, { name: 'Ann', password: annsPassword })
  const screen = await jarvis.connect('/chat', 'operator', token)
  people.change('per_ann', { role: 'viewer' })
  expect(await screen.request('chat:send', { message: '/get_vms' })).toMatchObject({ error: { code: 'forbidden' } })
  people.remove('per_ann', 5)
  const dropped = new Promise((resolve) => screen.socket.once('disconnect', resolve))
  expect(await screen.request('chat:ping', {})).toMatchObject({ error: { code: 'unauthorized' } })
  await dropped
})

test('a token of an older release has at most the role of its person, and of a removed one none', async () => {
  const jarvis = await startJarvis()
  const people = withAnn(jarvis, 'viewer')
  const signed = (sub: string) =>
    jwt.sign({ sub, role: 'operator' }, jwtSecret, { issuer: 'jarvis', expiresIn: 60, jwtid: `tok_${sub}` })
  const status = async (sub: string) => (await jarvis.rest('/api/doctor', as(signed(sub)))).status
  expect([await status('operator'), await status('somebody'), await status('per_ann')]).toEqual([200, 200, 403])
  people.remove('per_ann', 5)
  expect([await status('per_ann'), await status('per_nobody')]).toEqual([401, 401])
})

test('where somebody is signed in is listed, and ends alone or with all others', async () => {
  const jarvis = await startJarvis()
  const tokens = [
    await signIn(jarvis, { password }),
    await signIn(jarvis, { password }),
    await signIn(jarvis, { password }),
  ]
  const [first, second, third] = tokens.map(({ token }) => as(token))
  const list = async () =>
    ((await (await jarvis.rest('/api/auth/sign-ins', first)).json()) as { items: { id: string; isThis?: true }[] })
      .items
  expect(await list()).toHaveLength(3)
  const mine = ((await (await jarvis.rest('/api/auth/me', second)).json()) as { signIn: { id: string } }).signIn.id
  expect((await jarvis.rest(`/api/auth/sign-ins/${mine}`, { ...first, method: 'DELETE' })).status).toBe(204)
  expect((await jarvis.rest('/api/tools', second)).status).toBe(401)
  await jarvis.rest('/api/auth/sign-out-others', { ...first, method: 'POST' })
  expect(await list()).toMatchObject([{ isThis: true }])
  expect((await jarvis.rest('/api/tools', third)).status).toBe(401)
})

test('the last owner stays one, and every change stands in the journal', async () => {
  const jarvis = await startJarvis()
  withAnn(jarvis)
  const change = (id: string, json: object) => jarvis.rest(`/api/people/${id}`, { method: 'PATCH', json })
  expect((await change('operator', { role: 'viewer' })).status).toBe(409)
  expect((await change('operator', { disabled: true })).status).toBe(409)
  expect((await jarvis.rest('/api/people/operator', { method: 'DELETE' })).status).toBe(409)
  expect((await change('per_ann', { role: 'cook' })).status).toBe(400)
  expect((await change('per_ann', { name: 'Operator' })).status).toBe(409)
  expect((await change('per_ann', { name: 'Anna', role: 'owner' })).status).toBe(200)
  expect((await jarvis.rest('/api/people/per_ann', { method: 'DELETE' })).status).toBe(204)
  const { items } = (await (await jarvis.rest('/api/journal?kind=person')).json()) as { items: { body: object }[] }
  expect(items.map(({ body }) => body)).toEqual([
    { change: 'removed', person: 'per_ann', name: 'Anna', by: 'operator' },
    {
      change: 'changed',
      person: 'per_ann',
      name: 'Anna',
      role: 'owner',
      was: { name: 'Ann', role: 'operator' },
      by: 'operator',
    },
  ])
})

test('whoever is less than an operator sees own sessions and cards alone, and decides no other', async () => {
  const jarvis = await startJarvis()
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: '/stop_vm vmid=103' })
  const card = await operator.next('chat:confirm_needed')
  withAnn(jarvis, 'helper')
  const { token } = await signIn(jarvis, { name: 'Ann', password: annsPassword })
  const ann = await jarvis.connect('/chat', 'operator', token)
  const mine = await ann.ask('chat:send', { message: '/get_vms' })
  await ann.next('chat:done')

  const paths = ['', '/entries', '/snapshot', '/export', '/context', '/versions', '/children', '/checkpoints']
  const statuses = async (id: string) =>
    new Set(
      await Promise.all(paths.map(async (path) => (await jarvis.rest(`/api/sessions/${id}${path}`, as(token))).status)),
    )
  expect([await statuses(sessionId), await statuses(mine.sessionId)]).toEqual([new Set([404]), new Set([200])])
  const ids = async (headers: object, path: string) =>
    ((await (await jarvis.rest(path, headers)).json()) as { items: { id?: string; toolUseId?: string }[] }).items.map(
      ({ id, toolUseId }) => id ?? toolUseId,
    )
  expect(await ids(as(token), '/api/sessions')).toEqual([mine.sessionId])
  expect(await ids({}, '/api/sessions')).toContain(mine.sessionId)
  expect([await ids(as(token), '/api/confirmations'), await ids({}, '/api/confirmations')]).toEqual([
    [],
    [card.toolUseId],
  ])
  expect((await jarvis.rest('/api/memory/search?q=vm', as(token))).status).toBe(403)

  const unknown = { ok: false, error: { code: 'unknown_session' } }
  const decision = { toolUseId: card.toolUseId, confirmed: true }
  expect(await ann.request('chat:attach', { sessionId })).toMatchObject(unknown)
  expect(await ann.request('chat:send', { sessionId, message: 'Go on.' })).toMatchObject(unknown)
  expect(await ann.request('chat:confirm', { sessionId, ...decision })).toMatchObject(unknown)
  const inMine = { sessionId: mine.sessionId, ...decision }
  expect(await ann.request('chat:confirm', inMine)).toMatchObject({ error: { code: 'forbidden' } })
  expect(await ann.request('chat:confirm', { ...inMine, confirmed: false })).toMatchObject({
    error: { code: 'unknown_confirmation' },
  })
})
