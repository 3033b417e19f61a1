import { expect, test } from 'vitest'
import { createToken } from './support/api-tokens.ts'
import { folder } from './support/data-dir.ts'
import { household, tokenOf } from './support/persons.ts'
import { says, scripted, stalls } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const begun = (jarvis: Awaited<ReturnType<typeof startJarvis>>) => jarvis.controls.effects.map(({ detail }) => detail)

test.each(['chat:abort', 'chat:abort of the run', 'REST'] as const)(
  'after Stop by %s a queued message is held: it does not begin, and its writer sends or removes it',
  async (door) => {
    const stalled = stalls('Hm ')
    const model = scripted(stalled, says('Done.'))
    const jarvis = await startJarvis({ model })
    const operator = await jarvis.connect()
    const { sessionId, runId } = await operator.ask('chat:send', { message: 'Think.' })
    await operator.next('chat:token')
    const first = await operator.ask('chat:send', { sessionId, message: 'Then restart pvestatd on pve.' })
    const second = await operator.ask('chat:send', { sessionId, message: 'And tell me.' })
    if (door === 'REST') await jarvis.rest(`/api/sessions/${sessionId}/abort`, { method: 'POST' })
    else await operator.ask('chat:abort', { sessionId, ...(door !== 'chat:abort' && { runId }) })
    expect(await operator.next('chat:done')).toMatchObject({ runId, stopReason: 'aborted' })
    const { snapshot } = await operator.ask('chat:attach', { sessionId })
    expect(snapshot.runId).toBeUndefined()
    expect(snapshot.queued).toMatchObject([
      { messageId: first.messageId, heldBy: 'operator' },
      { messageId: second.messageId, heldBy: 'operator' },
    ])

    await operator.ask('chat:unqueue', { sessionId, messageId: first.messageId })
    await operator.ask('chat:send_held', { sessionId, messageId: second.messageId })
    expect(await operator.next('chat:done')).toMatchObject({ runId: second.runId, stopReason: 'end_turn' })
    expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ text: 'And tell me.' })
    expect(await operator.request('chat:send_held', { sessionId, messageId: second.messageId })).toMatchObject({
      error: { code: 'not_found' },
    })
    expect(begun(jarvis)).toEqual([])
  },
)

test('a held message stays held over a restart and beside new messages, until it is sent', async () => {
  const data = folder()
  let jarvis = await startJarvis({ model: scripted(stalls('Hm ')), dataDir: data })
  let operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Think.' })
  await operator.next('chat:token')
  const held = await operator.ask('chat:send', { sessionId, message: '/stop_vm vmid=103' })
  await operator.ask('chat:abort', { sessionId })
  await operator.next('chat:done')
  await jarvis.stop()

  jarvis = await startJarvis({ model: scripted(says('Here.')), dataDir: data })
  operator = await jarvis.connect()
  expect((await operator.ask('chat:attach', { sessionId })).snapshot).toMatchObject({
    queued: [{ messageId: held.messageId, heldBy: 'operator' }],
  })
  const { runId } = await operator.ask('chat:send', { sessionId, message: 'Are you there?' })
  expect(await operator.next('chat:done')).toMatchObject({ runId })
  expect((await operator.ask('chat:attach', { sessionId })).snapshot.queued).toHaveLength(1)
  expect(begun(jarvis)).toEqual([])

  const rest = (method: string, path: string) => jarvis.rest(`/api/sessions/${sessionId}/queue/${path}`, { method })
  expect((await rest('POST', `${held.messageId}/send`)).status).toBe(200)
  await operator.next('chat:confirm_needed')
  expect((await rest('DELETE', held.messageId)).status).toBe(404)
  await operator.ask('chat:abort', { sessionId })
  expect(begun(jarvis)).toEqual([])
})

test('a program’s message that waits in a stopped session ends as stopped, and its model is not asked', async () => {
  const model = scripted(stalls('Hm '))
  const jarvis = await startJarvis({ model })
  const operator = await jarvis.connect()
  const token = createToken(jarvis, { doors: ['api'] })
  const ask = async (path: string, message: string) =>
    (await (
      await fetch(`${jarvis.url}/api/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ message }),
      })
    ).json()) as { id: string; sessionId: string; queued: boolean }
  const { id: sessionId } = await ask('sessions', 'Think.')
  await operator.ask('chat:attach', { sessionId })
  await expect.poll(() => model.requests.length).toBe(1)
  expect(await ask(`sessions/${sessionId}/messages`, 'And stop 103.')).toMatchObject({ queued: true })
  await operator.ask('chat:abort', { sessionId })
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'aborted' })
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'aborted' })
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  expect(snapshot.queued).toEqual([])
  expect(model.requests).toHaveLength(1)
  expect(begun(jarvis)).toEqual([])
})

test('only its writer sends a held message, whoever stopped the session', async () => {
  const { jarvis } = await household({ model: scripted(stalls('Hm ')) })
  const operator = await jarvis.connect('/chat', 'operator', tokenOf('per_operator'))
  const owner = await jarvis.connect('/chat', 'operator', tokenOf('operator'))
  const { sessionId } = await owner.ask('chat:send', { message: 'Think.' })
  await owner.next('chat:token')
  const { messageId } = await owner.ask('chat:send', { sessionId, message: 'Then stop 103.' })
  await operator.ask('chat:abort', { sessionId })
  expect(await operator.request('chat:send_held', { sessionId, messageId })).toMatchObject({
    error: { code: 'forbidden' },
  })
  await owner.next('chat:done')
  expect((await owner.ask('chat:attach', { sessionId })).snapshot.queued).toMatchObject([{ heldBy: 'per_operator' }])
})
