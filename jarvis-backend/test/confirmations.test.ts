import { beforeEach, expect, test } from 'vitest'
import { createFakeClock } from './support/fake-clock.ts'
import { type CallOf, calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'
import { useJarvis } from './support/use-jarvis.ts'

const stopping = () => [calls(['stop_vm', { vmid: 103 }]), says('So be it.')]
const jarvis = useJarvis()
beforeEach(() => jarvis.controls.setStatus(103, 'running'))
/** The card of a call. */
const cardOf = async (toolUseId: string) => {
  const { items } = (await (await jarvis.rest('/api/confirmations')).json()) as { items: { toolUseId: string }[] }
  return items.find((item) => item.toolUseId === toolUseId)
}

async function asked(jarvis: TestJarvis) {
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop 103.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  return { operator, sessionId, toolUseId }
}

test('of a hundred confirmations at once from ten sockets one wins and one effect happens', async () => {
  const changes = jarvis.changesFromNow()
  jarvis.plays(...stopping())
  const { operator, sessionId, toolUseId } = await asked(jarvis)
  const screens = await Promise.all(Array.from({ length: 10 }, () => jarvis.connect()))
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      (screens[index % 10] ?? operator).request('chat:confirm', { sessionId, toolUseId, confirmed: true }),
    ),
  )
  expect(replies.filter(({ ok }) => ok)).toHaveLength(1)
  const errors = replies.flatMap((reply) => (reply.ok ? [] : [reply.error.code]))
  expect(errors).toEqual(Array(99).fill('already_decided'))
  await operator.next('chat:done')
  expect(changes()).toHaveLength(1)
})

test('an answer with many cards leaves no warning of a leak', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', onWarning)
  const tools = ['stop_vm', 'restart_vm', 'start_vm'] as const
  const many = [101, 103, 123, 131].flatMap((vmid) => tools.map((tool): CallOf => [tool, { vmid }]))
  jarvis.plays(calls(...many), says('As you wish.'))
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop all of it, and again.' })
  for (const _ of many) {
    const { toolUseId } = await operator.next('chat:confirm_needed')
    await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  }
  await operator.next('chat:done')
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})

test('the same requestId gets the same acknowledgement, and decides once', async () => {
  const changes = jarvis.changesFromNow()
  jarvis.plays(...stopping())
  const { operator, sessionId, toolUseId } = await asked(jarvis)
  const decision = { sessionId, toolUseId, confirmed: true, requestId: 'req-1' }
  expect(await operator.request('chat:confirm', decision)).toEqual({ ok: true })
  expect(await operator.request('chat:confirm', decision)).toEqual({ ok: true })
  await operator.next('chat:done')
  expect(changes()).toHaveLength(1)
})

test('the same requestId sends a message once', async () => {
  jarvis.plays(says('Once.'))
  const operator = await jarvis.connect()
  const first = await operator.ask('chat:send', { message: 'Hello.', requestId: 'req-1' })
  expect(await operator.ask('chat:send', { message: 'Hello.', requestId: 'req-1' })).toEqual(first)
  await operator.next('chat:done')
  expect(jarvis.scriptIsDone()).toBe(true)
})

test('a card that nobody decides expires, and the model hears of it', async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 1))
  const model = scripted(...stopping())
  const jarvis = await startJarvis({ model, clock, env: { CONFIRM_TTL_SECONDS: '60' } })
  const { operator, sessionId, toolUseId } = await asked(jarvis)
  await clock.advance(60_000)
  expect(await operator.next('chat:confirm_resolved')).toMatchObject({ decision: 'expired', by: 'jarvis' })
  await operator.next('chat:done')
  const answer = model.requests[1]?.messages.at(-1)
  expect(answer?.role === 'user' && answer.results[0]?.text).toContain('expired')
  const late = await operator.request('chat:confirm', { sessionId, toolUseId, confirmed: true })
  expect(late).toMatchObject({ ok: false, error: { code: 'expired' } })
  expect(jarvis.controls.effects).toEqual([])
})

test('a decision needs the right session and a known id', async () => {
  const changes = jarvis.changesFromNow()
  jarvis.plays(...stopping())
  const { operator, sessionId, toolUseId } = await asked(jarvis)
  const other = await (await jarvis.rest('/api/sessions', { method: 'POST', json: {} })).json()
  for (const wrong of [
    { sessionId: (other as { id: string }).id, toolUseId },
    { sessionId, toolUseId: 'tu_00000000000000000000000000000000' },
  ]) {
    expect(await operator.request('chat:confirm', { ...wrong, confirmed: true })).toMatchObject({
      ok: false,
      error: { code: 'unknown_confirmation' },
    })
  }
  expect(changes()).toEqual([])
})

test('cards are listed and decided over REST too, by an operator', async () => {
  const changes = jarvis.changesFromNow()
  jarvis.plays(...stopping())
  const { operator, sessionId, toolUseId } = await asked(jarvis)
  expect(await cardOf(toolUseId)).toMatchObject({ sessionId, toolName: 'stop_vm' })

  const path = `/api/confirmations/${toolUseId}`
  const confirm = { method: 'POST', json: { confirmed: true } }
  expect((await jarvis.rest(path, { ...confirm, role: 'viewer' })).status).toBe(403)
  expect((await jarvis.rest(path, { method: 'POST', json: { confirmed: true, force: true } })).status).toBe(400)
  expect((await jarvis.rest(path, confirm)).status).toBe(200)
  expect((await jarvis.rest(path, confirm)).status).toBe(409)
  await operator.next('chat:done')
  expect(changes()).toHaveLength(1)
  expect(await cardOf(toolUseId)).toMatchObject({ decision: 'approved', decidedBy: 'operator' })
})

test('the time of a card that nobody could see begins when an operator sees it', async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 1))
  const dayMs = 24 * 60 * 60_000
  let think = () => {}
  const thought = new Promise<void>((resolve) => {
    think = resolve
  })
  const ask = calls(['stop_vm', { vmid: 103 }])
  const model = scripted(async (...args) => {
    await thought
    return ask(...args)
  }, says('So be it.'))
  const jarvis = await startJarvis({ model, clock, env: { CONFIRM_TTL_SECONDS: '60' } })
  const viewer = await jarvis.connect('/chat', 'viewer')
  const hasty = await jarvis.connect()
  const { sessionId } = await hasty.ask('chat:send', { message: 'Stop 103.' })
  await viewer.ask('chat:attach', { sessionId })
  const gone = new Promise((resolve) => hasty.socket.on('disconnect', resolve))
  await jarvis.rest('/api/auth/logout', { method: 'POST', headers: { authorization: `Bearer ${hasty.token}` } })
  await gone
  think()
  const card = await viewer.next('chat:confirm_needed')
  expect(card.expiresAt).toBe(card.createdAt + dayMs + 60_000)

  await clock.advance(10 * 60_000)
  const operator = await jarvis.connect()
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  expect(snapshot.pending[0]?.expiresAt).toBe(clock.now() + 60_000)
  await clock.advance(60_000)
  expect(await viewer.next('chat:confirm_resolved')).toMatchObject({ decision: 'expired' })
})

test('a note is redacted wherever it is kept', async () => {
  jarvis.plays(...stopping())
  const { operator, sessionId, toolUseId } = await asked(jarvis)
  const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
  await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: false, note: `use ${secret}` })
  await operator.next('chat:done')
  const list = await (await jarvis.rest('/api/confirmations')).text()
  expect(list).toContain('[redacted]')
  expect(list).not.toContain(secret)
})
