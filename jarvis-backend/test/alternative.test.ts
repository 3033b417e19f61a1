import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Activity } from 'protocol'
import { expect, test } from 'vitest'
import { folder } from './support/data-dir.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

/** A card of the model's that waits. */
async function waiting(more: Parameters<typeof scripted>[0][] = [says('As you wish.')]) {
  const model = scripted(calls(['stop_vm', { vmid: 101 }]), ...more)
  const jarvis = await startJarvis({ model })
  const mira = await jarvis.connect()
  const { sessionId } = await mira.ask('chat:send', { message: 'Stop 101.' })
  const card = await mira.next('chat:confirm_needed')
  const deny = (alternative: object, more: object = {}) =>
    mira.request('chat:confirm', {
      sessionId,
      toolUseId: card.toolUseId,
      confirmed: false,
      alternative,
      ...more,
    })
  return { jarvis, mira, model, sessionId, card, deny }
}
const status = { toolName: 'get_node_status', toolInput: { node: 'pve' } }

test('a denial may name another call: it runs as the operator’s, and the model reads its result with the denial', async () => {
  const { jarvis, mira, model, card, deny } = await waiting()
  expect(card.mayHaveAlternative).toBe(true)
  expect(await deny(status, { note: 'look first' })).toEqual({ ok: true })
  expect(await mira.next('chat:confirm_resolved')).toMatchObject({ decision: 'denied', alternative: status })
  expect(await mira.next('chat:tool_use')).toMatchObject({ ...status, tier: 'green' })
  await mira.next('chat:done')
  expect(jarvis.guest(101)?.status).toBe('running')
  const last = model.requests.at(-1)?.messages.at(-1)
  const [result, ...others] = last?.role === 'user' ? last.results : []
  expect(others).toEqual([])
  expect(result?.text).toContain('The operator denied this.')
  expect(result?.text).toContain('Note: look first')
  expect(result?.text).toContain('Instead the operator made this call: get_node_status {"node":"pve"}')
  expect(result?.text).toMatch(/Its outcome: [\s\S]*pve/)
  const { items } = (await (await jarvis.rest('/api/journal?kind=call')).json()) as {
    items: { body: { toolName: string; requestedBy: object } }[]
  }
  expect(items.find(({ body }) => body.toolName === 'get_node_status')?.body.requestedBy).toEqual({
    kind: 'command',
    name: 'operator',
  })
})

test('another call that asks shows its own card, and is decided there', async () => {
  const { jarvis, mira, model, sessionId, deny } = await waiting()
  await deny({ toolName: 'restart_vm', toolInput: { vmid: 101 } })
  const second = await mira.next('chat:confirm_needed')
  expect(second).toMatchObject({ toolName: 'restart_vm', requestedBy: { kind: 'command', name: 'operator' } })
  expect(second.mayHaveAlternative).toBeUndefined()
  expect(jarvis.guest(101)?.status).toBe('running')
  await mira.ask('chat:confirm', { sessionId, toolUseId: second.toolUseId, confirmed: false, note: 'not either' })
  await mira.next('chat:done')
  const last = model.requests.at(-1)?.messages.at(-1)
  expect(last?.role === 'user' ? last.results[0]?.text : '').toMatch(/restart_vm[\s\S]*denied this\.[\s\S]*not either/)
})

test.each<[string, object, object, string]>([
  ['an approval', status, { confirmed: true }, 'named with a denial'],
  ['a tool that is not there', { toolName: 'no_such', toolInput: {} }, {}, 'no_such'],
  ['arguments that do not fit', { toolName: 'get_node_status', toolInput: { node: 5 } }, {}, 'node'],
  ['an argument too many', { ...status, toolInput: { node: 'pve', confirmed: true } }, {}, 'confirmed'],
  ['the denied call itself', { toolName: 'stop_vm', toolInput: { vmid: 101 } }, {}, 'the call that you deny'],
])('%s is refused, and nothing is decided', async (_name, alternative, more, why) => {
  const { mira, sessionId, card, deny } = await waiting()
  expect(await deny(alternative, more)).toMatchObject({
    ok: false,
    error: { code: 'invalid_request', message: expect.stringContaining(why) },
  })
  await mira.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: false })
  await mira.next('chat:done')
})

test('what the operator named there is the operator’s own for taint, and the denied call stays denied', async () => {
  const again = calls(['stop_vm', { vmid: 101 }])
  const { mira, model, deny } = await waiting([again, says('Then not.')])
  await deny(status)
  await mira.next('chat:done')
  const last = model.requests.at(-1)?.messages.at(-1)
  expect(last?.role === 'user' ? last.results[0]?.text : '').toContain('Denied by operator in this run')
})

test('over REST too', async () => {
  const { jarvis, mira, card } = await waiting()
  const json = { confirmed: false, alternative: status }
  expect((await jarvis.rest(`/api/confirmations/${card.toolUseId}`, { method: 'POST', json })).status).toBe(200)
  expect(await mira.next('chat:tool_use')).toMatchObject(status)
  await mira.next('chat:done')
})

test('a rule `observed` raises nothing: the call runs, and the operator is told', async () => {
  const dataDir = folder()
  const rule = '{name: look, tools: [get_node_status], when: {node: pve}, tier: observed, because: pve is watched.}'
  writeFileSync(join(dataDir, 'policy.yaml'), `rules: [${rule}]\n`)
  const node = (name: string) => calls(['get_node_status', { node: name }])
  const model = scripted(node('agent'), node('pve'), says('Fine.'))
  const jarvis = await startJarvis({ model, dataDir })
  const events = await jarvis.connect('/events')
  const mira = await jarvis.connect()
  await mira.ask('chat:send', { message: 'How is pve?' })
  await mira.next('chat:tool_use')
  expect(await mira.next('chat:tool_use')).toMatchObject({ toolInput: { node: 'pve' }, tier: 'green' })
  await mira.next('chat:done')
  const told = () =>
    events.received
      .map(({ payload }) => payload as Partial<Activity>)
      .flatMap(({ text = '' }) => (text.includes('pve is watched.') ? [text] : []))
  await expect.poll(told, { timeout: 15_000 }).toHaveLength(1)
  expect(told()[0]).toContain('get_node_status runs on "node/pve", asked for by chat "scripted/model"')
})
