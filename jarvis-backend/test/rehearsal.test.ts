import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cpuMs } from '../../scripts/cpu-ms.ts'
import { rehearsalOrder } from '../src/agent/rehearsal.ts'
import type { JournalEntry, Page, SessionSummary } from '../src/protocol/index.ts'
import { watchedMcp } from './support/mcp-client.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const patch = async (jarvis: TestJarvis, sessionId: string, json: object) =>
  jarvis.rest(`/api/sessions/${sessionId}`, { method: 'PATCH', json })

test('in a rehearsal reads run, and changes only say what they would do', async () => {
  const model = scripted(
    calls(
      ['get_cluster_status', {}],
      ['stop_vm', { vmid: 103 }],
      ['restart_service', { node: 'pve', service: 'nginx' }],
      ['execute_ssh', { node: 'pve', command: 'rm -rf /' }],
    ),
    says('That would be it.'),
  )
  const jarvis = await startJarvis({ model })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: '/dry-run on' })
  await operator.next('chat:done')
  expect(await operator.next('chat:assistant')).toMatchObject({
    model: 'command',
    content: [{ text: expect.stringContaining('Rehearsal is on') }],
  })
  expect(model.requests).toEqual([])
  expect((await operator.ask('chat:attach', { sessionId })).snapshot.isRehearsal).toBe(true)

  await operator.ask('chat:send', { sessionId, message: 'Stop 103 and restart nginx.' })
  await operator.next('chat:done')
  expect(jarvis.controls.effects).toEqual([])
  expect(operator.names()).not.toContain('chat:confirm_needed')
  expect(operator.names().filter((name) => name === 'chat:blocked')).toHaveLength(1)
  const told = model.requests[1]?.messages.at(-1)
  const texts = told?.role === 'user' ? told.results.map(({ text }) => text) : []
  expect(texts[0]).not.toContain('Rehearsal')
  expect(texts[1]).toContain('Rehearsal: nothing was run. stop_vm {"vmid":103} on vm/103 would wait for the operator')
  expect(texts[1]).toContain('running → stopped')
  expect(texts[2]).toContain('restart_service')
  expect(texts[2]).toContain('would run at once')
  const question = model.requests[0]?.messages.at(-1)
  expect(question?.role === 'user' && question.context).toContain('<rehearsal>')
  const page = (await (await jarvis.rest('/api/journal?kind=call&toolName=stop_vm')).json()) as Page<JournalEntry>
  expect(page.items[0]?.body).toMatchObject({ outcome: 'rehearsed', tier: 'red', target: { id: 'vm/103' } })

  await operator.ask('chat:send', { sessionId, message: '/dry-run off' })
  await operator.next('chat:done')
  expect((await operator.ask('chat:attach', { sessionId })).snapshot.isRehearsal).toBe(false)
})

test('a waiting card is withdrawn when rehearsal begins, at once and from any side', async () => {
  const model = scripted(calls(['stop_vm', { vmid: 103 }]), calls(['stop_vm', { vmid: 103 }]), says('So be it.'))
  const jarvis = await startJarvis({ model })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop 103.' })
  await operator.next('chat:confirm_needed')
  // The line itself is queued behind the run; what it says counts at once.
  await operator.ask('chat:send', { sessionId, message: '/dry-run on' })
  expect(await operator.next('chat:confirm_resolved')).toMatchObject({
    decision: 'cancelled',
    by: 'operator',
    note: 'Rehearsal began.',
  })
  expect(await operator.next('chat:rehearsal')).toMatchObject({ isRehearsal: true, by: 'operator' })
  expect(await operator.next('chat:tool_result')).toMatchObject({ isRehearsal: true, isError: false })
  await operator.next('chat:done')
  await operator.next('chat:done')
  expect(jarvis.controls.effects).toEqual([])
})

test('the flag is set over REST by an operator, listed, journalled, and outlives a restart', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-rehearsal-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const before = await startJarvis({ dataDir })
  const { id } = (await (await before.rest('/api/sessions', { method: 'POST', json: {} })).json()) as SessionSummary
  expect((await patch(before, id, {})).status).toBe(400)
  const asViewer = { method: 'PATCH', json: { isRehearsal: true }, role: 'viewer' as const }
  expect((await before.rest(`/api/sessions/${id}`, asViewer)).status).toBe(403)
  expect(await (await patch(before, id, { isRehearsal: true })).json()).toMatchObject({ id, isRehearsal: true })
  expect(await (await patch(before, id, { isRehearsal: true })).json()).toMatchObject({ id, isRehearsal: true })
  const page = (await (await before.rest('/api/journal?kind=session')).json()) as Page<JournalEntry>
  expect(page.items.map(({ body }) => body)).toEqual([
    { sessionId: id, change: 'rehearsal', isRehearsal: true, by: 'operator' },
  ])
  await before.stop()

  const model = scripted(calls(['stop_vm', { vmid: 103 }]), says('So be it.'))
  const after = await startJarvis({ dataDir, model })
  const list = (await (await after.rest('/api/sessions')).json()) as Page<SessionSummary>
  expect(list.items).toMatchObject([{ id, isRehearsal: true }])
  const operator = await after.connect()
  await operator.ask('chat:send', { sessionId: id, message: 'Stop 103.' })
  await operator.next('chat:done')
  expect(after.controls.effects).toEqual([])
})

test('an approved call that waits for its turn is rehearsed if the rehearsal begins first', async () => {
  const model = scripted(calls(['stop_vm', { vmid: 103 }], ['start_vm', { vmid: 103 }]), says('So be it.'))
  const jarvis = await startJarvis({ model })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Cycle 103.' })
  await operator.next('chat:confirm_needed')
  const { toolUseId } = await operator.next('chat:confirm_needed')
  await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: true })
  await patch(jarvis, sessionId, { isRehearsal: true })
  expect(await operator.next('chat:tool_result')).toMatchObject({ toolUseId, isRehearsal: true })
  await operator.next('chat:done')
  expect(jarvis.controls.effects).toEqual([])
})

test('an MCP client’s session can be a rehearsal too', async () => {
  const jarvis = await startJarvis()
  const { client, sessionId } = await watchedMcp(jarvis, 'laptop')
  await patch(jarvis, sessionId, { isRehearsal: true })
  const result = await client.callTool({ name: 'stop_vm', arguments: { vmid: 103 } })
  expect(JSON.stringify(result.content)).toContain('Rehearsal: nothing was run.')
  expect(jarvis.controls.effects).toEqual([])
})

test.each(['/dry-run maybe', '/dry-run'])('%s changes nothing and asks no model', async (message) => {
  const jarvis = await startJarvis()
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message })
  await operator.next('chat:done')
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  expect(snapshot.isRehearsal).toBe(false)
})

test('what only begins like the order is told apart at once, however long', () => {
  const long = `/dry-run${'\t'.repeat(60_000)}x\ny`
  expect(cpuMs(() => expect(rehearsalOrder(long)).toBeUndefined())).toBeLessThan(1_000)
})
