import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConfirmationRow, JournalEntry, Page } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { createFakeClock } from './support/fake-clock.ts'
import { watchedMcp } from './support/mcp-client.ts'
import { type CallOf, calls, type ScriptedModel, says, scripted } from './support/scripted-model.ts'
import { type Screen, startJarvis } from './support/start-jarvis.ts'

const stop = (more: object = {}): CallOf => ['stop_vm', { vmid: 103, ...more }]

async function deny(operator: Screen, note?: string) {
  const { toolUseId, sessionId } = await operator.next('chat:confirm_needed')
  await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: false, ...(note !== undefined && { note }) })
}
const toldLast = ({ requests }: ScriptedModel) => {
  const answer = requests.at(-1)?.messages.at(-1)
  return answer?.role === 'user' ? answer.results[0]?.text : undefined
}

test('a denied call is not asked again in the same run, whatever node it names', async () => {
  const model = scripted(calls(stop()), calls(stop({ node: 'pve' })), says('As you wish.'))
  const jarvis = await startJarvis({ model })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Stop 103.' })
  await deny(operator, 'not today')
  await operator.next('chat:done')
  expect(operator.names().filter((name) => name === 'chat:confirm_needed')).toHaveLength(1)
  expect(toldLast(model)).toContain('Denied by operator in this run: not today. It is not asked again')
  const page = (await (await jarvis.rest('/api/journal?kind=refusal')).json()) as Page<JournalEntry>
  expect(page.items[0]?.body).toMatchObject({ rule: 'denied_before', tier: 'red', target: { id: 'vm/103' } })
})

test('other arguments are asked, and so is the same call in another run', async () => {
  const model = scripted(calls(stop({ force: true })), calls(stop()), says('Hm.'), calls(stop({ force: true })))
  const jarvis = await startJarvis({ model })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop 103.' })
  await deny(operator)
  await deny(operator)
  await operator.next('chat:done')
  await operator.ask('chat:send', { sessionId, message: 'Then force it.' })
  await operator.next('chat:confirm_needed')
})

test('a call asked for many times in one answer is denied once', async () => {
  const model = scripted(
    calls(stop(), stop({ force: true }), stop({ node: 'pve' }), ...Array.from({ length: 30 }, () => stop())),
    says('Hm.'),
  )
  const jarvis = await startJarvis({ model })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop 103, at any price.' })
  await deny(operator)
  for (let i = 0; i < 2; i++) await operator.next('chat:confirm_resolved')
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  expect(snapshot.pending.map(({ toolInput }) => toolInput)).toEqual([{ vmid: 103, force: true }])
  for (const { toolUseId } of snapshot.pending)
    await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await operator.next('chat:done')
  expect(toldLast(model)).toContain('The operator denied this.')
  expect(jarvis.controls.effects).toEqual([])
})

test('a denial counts after a restart', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-denied-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  let isAsked = () => {}
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve
  })
  const hangs = () => {
    isAsked()
    return new Promise<never>(() => {})
  }
  const before = await startJarvis({ dataDir, model: scripted(calls(stop()), hangs) })
  const operator = await before.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop 103.' })
  await deny(operator)
  await asked
  await before.stop()

  const model = scripted(calls(stop()), says('As you wish.'))
  const after = await startJarvis({ dataDir, model })
  const second = await after.connect()
  const { snapshot } = await second.ask('chat:attach', { sessionId })
  if (snapshot.runId !== undefined) await second.next('chat:done')
  expect(toldLast(model)).toContain('Denied by operator in this run')
  expect(after.controls.effects).toEqual([])
})

test('a client that repeats a denied call is told so for ten minutes, and its other calls are asked', async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 1))
  const jarvis = await startJarvis({ clock, clusterStands: true })
  const { client, operator } = await watchedMcp(jarvis, 'laptop')
  const call = { name: 'stop_vm', arguments: { vmid: 103 } }
  const first = client.callTool(call)
  await deny(operator)
  await first
  for (let round = 0; round < 5; round += 1) {
    expect(JSON.stringify(await client.callTool(call))).toContain('within the last 10 minutes')
  }
  const forced = client.callTool({ name: 'stop_vm', arguments: { vmid: 103, force: true } })
  await deny(operator)
  await forced
  await clock.advance(10 * 60_000 + 1)
  const again = client.callTool(call)
  await deny(operator)
  await again
  expect(jarvis.controls.effects).toEqual([])
})

test('an operator takes a denial back, and the client’s call is asked for again', async () => {
  const jarvis = await startJarvis()
  const { client, operator } = await watchedMcp(jarvis, 'laptop')
  const call = { name: 'stop_vm', arguments: { vmid: 103 } }
  const first = client.callTool(call)
  await deny(operator)
  await first
  const denied = async () => {
    const { items } = (await (await jarvis.rest('/api/confirmations')).json()) as Page<ConfirmationRow>
    return items.filter(({ refusedUntil }) => refusedUntil !== undefined)
  }
  const [row] = await denied()
  expect((row?.refusedUntil ?? 0) - (row?.decidedAt ?? 0)).toBe(10 * 60_000)
  const takeBack = (role: 'operator' | 'viewer') =>
    jarvis.rest(`/api/confirmations/${row?.toolUseId}/denial`, { method: 'DELETE', role })
  expect((await takeBack('viewer')).status).toBe(403)
  expect((await takeBack('operator')).status).toBe(204)
  expect((await takeBack('operator')).status).toBe(409)
  expect(await denied()).toEqual([])
  const book = (await (await jarvis.rest('/api/journal?kind=grant')).json()) as Page<JournalEntry>
  expect(book.items[0]?.body).toMatchObject({ change: 'denial_taken_back', by: 'operator', toolUseId: row?.toolUseId })

  const again = client.callTool(call)
  await deny(operator)
  await again
  // Another denial counts anew.
  expect(JSON.stringify(await client.callTool(call))).toContain('within the last 10 minutes')
  expect(jarvis.controls.effects).toEqual([])
})
