import type { ConfirmationRow, Page } from 'protocol'
import { expect, test } from 'vitest'
import type { Model } from '../src/agent/model.ts'
import { askCurrent, currentRequest } from './support/mcp-current.ts'
import { as, household, tokenOf } from './support/persons.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { openEvents } from './support/sse-client.ts'
import type { TestJarvis } from './support/start-jarvis.ts'

const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code
const patch = (jarvis: TestJarvis, id: string, json: object) =>
  jarvis.rest(`/api/people/${id}`, { method: 'PATCH', json })
const remove = (jarvis: TestJarvis, id: string) => jarvis.rest(`/api/people/${id}`, { method: 'DELETE' })
const cards = async (jarvis: TestJarvis, who = {}) =>
  ((await (await jarvis.rest('/api/confirmations', who)).json()) as Page<ConfirmationRow>).items

/** A model that thinks until it is stopped, and says when it began. */
function thinking() {
  let tell = () => {}
  const began = new Promise<void>((resolve) => {
    tell = resolve
  })
  let wasStopped = false
  const model: Model = {
    ...scripted(),
    generate(_request, _sink, signal) {
      tell()
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          wasStopped = true
          reject(signal.reason)
        })
      })
    },
  }
  return { model, began, wasStopped: () => wasStopped }
}

test('whoever is removed is out at every door at once, and nothing of theirs goes on', async () => {
  const { model, began, wasStopped } = thinking()
  const { jarvis, program } = await household({ model, others: { ann: 'operator' } })
  const token = tokenOf('per_ann')
  const tool = program('per_ann', 'ask')
  const screen = await jarvis.connect('/chat', 'operator', token)
  const heard = await Promise.all([
    openEvents(`${jarvis.url}/api/events`, token),
    openEvents(`${jarvis.url}/api/events`, tool),
  ])
  const listening = await fetch(
    `${jarvis.url}/mcp`,
    currentRequest(tool, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
  )
  expect(listening.status).toBe(200)
  const { sessionId } = await screen.ask('chat:send', { message: 'Think.' })
  await began
  const streamed = await fetch(`${jarvis.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tool}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'main', stream: true, messages: [{ role: 'user', content: 'Think too.' }] }),
  })
  const over = streamed.text().catch(() => 'cut')
  const listened = listening.text().catch(() => 'cut')
  const owner = await jarvis.connect()
  await owner.ask('chat:attach', { sessionId })
  const dropped = new Promise((resolve) => screen.socket.once('disconnect', resolve))

  expect((await remove(jarvis, 'per_ann')).status).toBe(204)
  await Promise.all([dropped, over, listened, ...heard.map(({ ended }) => ended)])
  expect(await owner.next('chat:done')).toMatchObject({ stopReason: 'aborted' })
  expect(wasStopped()).toBe(true)
  const said = owner.received.filter(({ event }) => event === 'chat:assistant').map(({ payload }) => payload.content)
  expect(JSON.stringify(said)).toContain('Whoever asked for it may not ask any more.')

  const at = (bearer: string, path: string, init: RequestInit = {}) =>
    fetch(jarvis.url + path, { ...init, headers: { authorization: `Bearer ${bearer}`, ...init.headers } })
  const refused = async () => {
    const responses = await Promise.all([
      at(token, '/api/status'),
      at(tool, '/api/status'),
      at(tool, '/metrics'),
      at(tool, '/v1/models'),
      fetch(`${jarvis.url}/mcp`, currentRequest(tool, 'tools/list', {})),
    ])
    return responses.map(({ status }) => status)
  }
  // A connection that was cut may be tried once more.
  await expect.poll(refused).toEqual([401, 401, 401, 401, 401])
  await expect(jarvis.connect('/chat', 'operator', token)).rejects.toThrow('removed')
})

test.each([
  [
    'a token is revoked',
    'Its token was revoked.',
    ({ jarvis }: House) => jarvis.rest('/api/tokens/laptop', { method: 'DELETE' }),
  ],
  [
    'its person may only look',
    'may not ask any more',
    ({ jarvis }: House) => patch(jarvis, 'per_ann', { role: 'viewer' }),
  ],
  [
    'its person is disabled',
    'may not ask any more',
    ({ jarvis }: House) => patch(jarvis, 'per_ann', { disabled: true }),
  ],
])('where %s, its run ends: the model is asked nothing more and no read is made', async (_what, because, end) => {
  const { model, began, wasStopped } = thinking()
  const house = await household({ model, others: { ann: 'operator' } })
  const { jarvis, program } = house
  const token = program('per_ann', 'ask', { doors: ['api'], name: 'laptop' })
  const sent = await fetch(`${jarvis.url}/api/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'Look, then look again.' }),
  })
  const { id: sessionId } = (await sent.json()) as { id: string }
  await began
  const owner = await jarvis.connect()
  await owner.ask('chat:attach', { sessionId })
  expect((await end(house)).ok).toBe(true)
  expect(await owner.next('chat:done')).toMatchObject({ stopReason: 'aborted' })
  expect(wasStopped()).toBe(true)
  expect(JSON.stringify(owner.received)).toContain(because)
})
type House = Awaited<ReturnType<typeof household>>

test('a token that another process revokes ends its run before the next step', async () => {
  const script = scripted(calls(['get_vms', {}]), calls(['get_containers', {}]), says('Done.'))
  let asked = 0
  let house: House | undefined
  const model: Model = {
    ...script,
    generate(...args) {
      asked += 1
      if (asked === 2) house?.revoke('laptop')
      return script.generate(...args)
    },
  }
  house = await household({ model })
  const { jarvis, program } = house
  const token = program('per_operator', 'ask', { doors: ['api'], name: 'laptop' })
  const sent = await fetch(`${jarvis.url}/api/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'Look twice.' }),
  })
  const { id: sessionId } = (await sent.json()) as { id: string }
  const owner = await jarvis.connect()
  await expect
    .poll(async () => JSON.stringify((await owner.ask('chat:attach', { sessionId })).snapshot.entries))
    .toContain('Its token was revoked.')
  expect(asked).toBe(2)
  const { snapshot } = await owner.ask('chat:attach', { sessionId })
  const results = snapshot.entries.flatMap((entry) => (entry.type === 'tool_result' ? [entry] : []))
  expect(results.map(({ isError, data }) => [isError, data === undefined])).toEqual([
    [false, false],
    [true, true],
  ])
})

test('a role that is lowered counts for what is open: streams of the whole cluster end, and the next word is refused', async () => {
  const { jarvis, people, program } = await household({ others: { ann: 'operator' } })
  const token = tokenOf('per_ann')
  const tool = program('per_ann', 'ask')
  const heard = await Promise.all([
    openEvents(`${jarvis.url}/api/events`, token),
    openEvents(`${jarvis.url}/api/events`, tool),
  ])
  const sockets = await Promise.all(
    ['/chat', '/cluster', '/events'].map((name) => jarvis.connect(name, 'operator', token)),
  )
  const dropped = sockets.map(({ socket }) => new Promise((resolve) => socket.once('disconnect', resolve)))
  expect((await patch(jarvis, 'per_ann', { role: 'minecraft' })).status).toBe(200)
  await Promise.all([...dropped, ...heard.map(({ ended }) => ended)])

  const now = await jarvis.connect('/chat', 'operator', token)
  people.change('per_ann', { role: 'viewer' })
  expect(await now.request('chat:send', { message: '/get_vms' })).toMatchObject({ error: { code: 'forbidden' } })
  expect(await codeOf(await jarvis.rest('/api/doctor', { headers: { authorization: `Bearer ${token}` } }))).toBe(
    'forbidden',
  )
  const stop = { name: 'stop_vm', arguments: { vmid: 103 } }
  expect(JSON.stringify(await askCurrent(jarvis, tool, 'tools/call', stop))).toContain('may only read')
})

test('a member neither approves a card nor names another call for it, and takes their own back', async () => {
  const { jarvis } = await household()
  const kid = await jarvis.connect('/chat', 'operator', tokenOf('per_member'))
  const { sessionId } = await kid.ask('chat:send', { message: '/restart_container vmid=130' })
  const { toolUseId } = await kid.next('chat:confirm_needed')
  const confirm = (more: object) => kid.request('chat:confirm', { sessionId, toolUseId, ...more })
  const alternative = { toolName: 'stop_vm', toolInput: { vmid: 103 } }
  for (const more of [
    { confirmed: true },
    { confirmed: false, alternative },
    { confirmed: true, grant: { minutes: 60 } },
  ])
    expect([more, await confirm(more)]).toEqual([
      more,
      { ok: false, error: expect.objectContaining({ code: 'forbidden' }) },
    ])
  expect(
    await codeOf(
      await jarvis.rest(`/api/confirmations/${toolUseId}`, {
        ...as('per_member'),
        method: 'POST',
        json: { confirmed: true },
      }),
    ),
  ).toBe('forbidden')
  expect(await confirm({ confirmed: false })).toEqual({ ok: true })
  await kid.next('chat:done')
  expect(jarvis.controls.effects).toHaveLength(0)
})

test('what is another person’s is not there: sessions, cards, questions, grants, and names that a client gives itself', async () => {
  const { jarvis, program } = await household({ others: { bea: 'minecraft' } })
  const kid = await jarvis.connect('/chat', 'operator', tokenOf('per_member'))
  const mine = await kid.ask('chat:send', { message: '/restart_container vmid=130' })
  const { toolUseId } = await kid.next('chat:confirm_needed')
  expect(
    (
      await jarvis.rest(`/api/confirmations/${toolUseId}`, {
        ...as('per_operator'),
        method: 'POST',
        json: { confirmed: true, grant: { minutes: 60 } },
      })
    ).status,
  ).toBe(200)
  await kid.next('chat:done')
  expect(jarvis.controls.effects).toHaveLength(1)

  // The grant is the child's, and serves nobody else.
  const grantsOf = async (sub: string) =>
    ((await (await jarvis.rest('/api/grants', as(sub))).json()) as Page<object>).items.length
  expect([await grantsOf('per_member'), await grantsOf('per_bea'), await grantsOf('per_operator')]).toEqual([1, 0, 1])
  const bea = await jarvis.connect('/chat', 'operator', tokenOf('per_bea'))
  await bea.ask('chat:send', { message: '/restart_container vmid=130' })
  const hers = await bea.next('chat:confirm_needed')
  expect(hers.requestedBy).toMatchObject({ person: 'per_bea' })

  for (const event of ['chat:attach', 'chat:abort'] as const)
    expect(await bea.request(event, { sessionId: mine.sessionId })).toMatchObject({
      error: { code: 'unknown_session' },
    })
  expect((await jarvis.rest(`/api/sessions/${mine.sessionId}`, as('per_bea'))).status).toBe(404)
  expect((await cards(jarvis, as('per_bea'))).map(({ toolUseId: id }) => id)).toEqual([hers.toolUseId])

  // A client of a member is that member, whatever it calls itself.
  const tool = program('per_bea', 'ask')
  const named = await askCurrent(jarvis, tool, 'tools/call', {
    name: 'restart_container',
    arguments: { vmid: 101 },
    _meta: { person: 'per_owner', by: 'operator' },
  })
  expect(JSON.stringify(named)).toContain('not yours')
  const spoken = { 'jarvis-person': 'per_owner', 'remote-user': 'the-owner', 'x-forwarded-user': 'the-owner' }
  const asOwner = await fetch(`${jarvis.url}/api/journal`, {
    headers: { authorization: `Bearer ${program('per_bea', 'read', { doors: ['api'] })}`, ...spoken },
  })
  expect(asOwner.status).toBe(403)
  expect(jarvis.controls.effects).toHaveLength(1)
})
