import { io } from 'socket.io-client'
import { expect, test } from 'vitest'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { calls, says, stalls } from './support/scripted-model.ts'
import { tokenFor } from './support/start-jarvis.ts'
import { useJarvis } from './support/use-jarvis.ts'

/** None of these tests counts what another leaves. */
const jarvis = useJarvis()

// Each of these was a fault once.

test('long-polling clients are answered by Socket.IO alone', async () => {
  jarvis.plays(says('Here.'))
  const socket = io(`${jarvis.url}/chat`, {
    auth: { token: tokenFor('operator') },
    transports: ['polling'],
    forceNew: true,
  })
  const dropped: string[] = []
  socket.on('disconnect', (reason) => dropped.push(reason))
  await new Promise((resolve) => socket.on('connect', () => resolve(undefined)))
  const done = new Promise((resolve) => socket.on('chat:done', resolve))
  await socket.emitWithAck('chat:send', { message: 'Are you there?' })
  expect(await done).toMatchObject({ stopReason: 'end_turn' })
  expect(dropped).toEqual([])
  socket.disconnect()
})

test('a durable transaction is a durable one', () => {
  const database = openDatabase(':memory:')
  const level = () => database.sql.pragma('synchronous', { simple: true })
  expect([level(), database.durably(level), level()]).toEqual([1, 2, 1])
  database.close()
})

test('no namespace is open without a token, the root neither', async () => {
  const error = await new Promise<unknown>((resolve) => {
    const socket = io(`${jarvis.url}/`, { forceNew: true, transports: ['websocket'], reconnection: false })
    socket.on('connect', () => resolve(undefined))
    socket.on('connect_error', (reason) => {
      socket.disconnect()
      resolve(reason)
    })
  })
  expect(error).toMatchObject({ data: { code: 'unauthorized' } })
})

test('many wrong passwords at once are counted before they are tried', async () => {
  const tries = await Promise.all(
    Array.from({ length: 30 }, () =>
      fetch(`${jarvis.url}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"password":"wrong-password"}',
      }),
    ),
  )
  expect(tries.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5)
  expect(tries.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(25)
})

test('a queued message shows no secret either', async () => {
  jarvis.plays(calls(['stop_vm', { vmid: 103 }]), says('One.'), says('Two.'))
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop 103.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
  await operator.ask('chat:send', { sessionId, message: `My key is ${secret}` })
  await operator.next('chat:queued')
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  expect(JSON.stringify([operator.received, snapshot])).not.toContain(secret)
  await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await operator.next('chat:done')
  await operator.next('chat:done')
})

test('the queue has an end', async () => {
  const stalled = stalls('Hm ')
  jarvis.plays(stalled)
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Think.' })
  await operator.next('chat:token')
  for (let index = 0; index < 50; index += 1) await operator.ask('chat:send', { sessionId, message: `And ${index}?` })
  expect(await operator.request('chat:send', { sessionId, message: 'One more?' })).toMatchObject({
    ok: false,
    error: { code: 'too_many_requests' },
  })
  expect((await jarvis.rest(`/api/sessions/${sessionId}`, { method: 'DELETE' })).status).toBe(204)
})

test('arguments nested without end go back as an error, and the session stays whole', async () => {
  let deep: unknown = 1
  for (let level = 0; level < 3_000; level += 1) deep = { a: deep }
  jarvis.plays(calls(['get_vms', { node: deep }]), says('Sorry.'))
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Try.' })
  expect(await operator.next('chat:tool_result')).toMatchObject({
    isError: true,
    result: expect.stringContaining('nested'),
  })
  await operator.next('chat:done')
  expect((await operator.ask('chat:attach', { sessionId })).snapshot.entries.length).toBeGreaterThan(0)
})

test('a session that is being deleted takes no more messages', async () => {
  jarvis.plays(stalls('Hm, '))
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Think.' })
  await operator.next('chat:token')
  const [deleted, ...sent] = await Promise.all([
    jarvis.rest(`/api/sessions/${sessionId}`, { method: 'DELETE' }),
    ...Array.from({ length: 20 }, (_, index) => operator.request('chat:send', { sessionId, message: `${index}?` })),
  ])
  expect(deleted.status).toBe(204)
  expect(await operator.request('chat:send', { sessionId, message: 'Now?' })).toMatchObject({ ok: false })
  expect(sent.length).toBe(20)
})

test('stopping a typed command ends its run as aborted', async () => {
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: '/stop_vm vmid=103' })
  await operator.next('chat:confirm_needed')
  await operator.ask('chat:abort', { sessionId })
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'aborted' })
})
