import type { JournalEntry } from 'protocol'
import { expect, test } from 'vitest'
import { ModelError } from '../src/agent/model.ts'
import { breaks, calls, ends, says, scripted, someUsage, stalls } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'
import { useJarvis } from './support/use-jarvis.ts'

/** For tests in which nothing happens to the cluster. The others have a cluster of their own. */
const jarvis = useJarvis()

test('a red tool waits for confirmation, then runs once', async () => {
  const jarvis = await startJarvis({ model: scripted(calls(['stop_vm', { vmid: 103 }]), says('Stopped, sir.')) })
  const operator = await jarvis.connect('/chat')

  const { sessionId, runId, queued } = await operator.ask('chat:send', { message: 'Stop 103.' })
  expect(queued).toBe(false)
  const card = await operator.next('chat:confirm_needed')
  expect(card).toMatchObject({
    sessionId,
    runId,
    toolName: 'stop_vm',
    toolInput: { vmid: 103 },
    tier: 'red',
    requestedBy: { kind: 'chat', name: 'scripted/model' },
  })
  expect(card.target).toMatchObject({ kind: 'guest', vmid: 103, name: 'truenas', node: 'pve', type: 'vm' })
  for (const fact of [card.reason, card.now, card.then, card.affects]) expect(fact).not.toBe('')
  expect(jarvis.guest(103)?.status).toBe('running')
  expect(jarvis.controls.effects).toEqual([])

  await operator.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  expect(await operator.next('chat:confirm_resolved')).toMatchObject({ decision: 'approved', by: 'operator' })
  const result = await operator.next('chat:tool_result')
  expect(result).toMatchObject({ toolUseId: card.toolUseId, isError: false })
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'end_turn' })
  expect(jarvis.guest(103)?.status).toBe('stopped')
  expect(jarvis.controls.effects).toHaveLength(1)
  expect(jarvis.scriptIsDone()).toBe(true)
})

test('every event of a session carries its place, without gaps', async () => {
  jarvis.plays(calls('Let me see.', ['get_cluster_status', {}]), says('All well, sir.'))
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'How are things?' })
  await operator.next('chat:done')
  const places = operator.received.map(({ payload }) => payload)
  expect(places.every((place) => place.sessionId === sessionId && typeof place.runId === 'string')).toBe(true)
  expect(places.map(({ seq }) => seq)).toEqual(places.map((_, index) => index))
  expect(operator.names()).toContain('chat:tool_use')
})

test('green calls of one answer run at the same time, and results go back in the order of the calls', async () => {
  const model = scripted(
    calls(['get_node_temperature', { node: 'pve' }], ['get_cluster_status', {}], ['get_vms', {}]),
    says('Read.'),
  )
  const jarvis = await startJarvis({ model, speed: 1 })
  jarvis.controls.slowNextCall(300)
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Look around.' })
  await operator.next('chat:done')
  const names = operator.names().filter((name) => /tool_(use|result)/.test(name))
  expect(names.slice(0, 3)).toEqual(['chat:tool_use', 'chat:tool_use', 'chat:tool_use'])
  const answer = model.requests[1]?.messages.at(-1)
  expect(answer).toMatchObject({ role: 'user' })
  expect(answer?.role === 'user' && answer.results.map(({ toolName }) => toolName)).toEqual([
    'get_node_temperature',
    'get_cluster_status',
    'get_vms',
  ])
})

test('several red calls are several cards, decided in any order from any tab; the model waits for all', async () => {
  const model = scripted(
    calls(['stop_vm', { vmid: 103 }], ['get_cluster_status', {}], ['start_vm', { vmid: 142 }]),
    says('Done, sir.'),
  )
  const jarvis = await startJarvis({ model })
  const first = await jarvis.connect()
  const second = await jarvis.connect()
  const { sessionId } = await first.ask('chat:send', { message: 'Stop 103, start 142.' })
  const stop = await first.next('chat:confirm_needed')
  const start = await first.next('chat:confirm_needed')
  const { snapshot } = await second.ask('chat:attach', { sessionId })
  expect(snapshot.pending.map(({ toolUseId }) => toolUseId)).toEqual([stop.toolUseId, start.toolUseId])

  await second.ask('chat:confirm', { sessionId, toolUseId: start.toolUseId, confirmed: true })
  expect(await first.next('chat:confirm_resolved')).toMatchObject({ toolUseId: start.toolUseId, decision: 'approved' })
  expect(await second.next('chat:tool_result')).toMatchObject({ toolUseId: start.toolUseId, isError: false })
  expect(model.requests).toHaveLength(1)
  await first.ask('chat:confirm', {
    sessionId,
    toolUseId: stop.toolUseId,
    confirmed: false,
    note: 'Not during the film.',
  })
  await first.next('chat:done')
  await second.next('chat:done')

  const answer = model.requests[1]?.messages.at(-1)
  const results = answer?.role === 'user' ? answer.results : []
  expect(results.map(({ toolName, isError }) => [toolName, isError])).toEqual([
    ['stop_vm', true],
    ['get_cluster_status', false],
    ['start_vm', false],
  ])
  expect(results[0]?.text).toContain('Not during the film.')
  expect(jarvis.guest(103)?.status).toBe('running')
  expect(jarvis.guest(142)?.status).toBe('running')
  expect(first.names()).not.toContain('chat:tool_progress:denied')
  expect(
    first.received.filter(({ event, payload }) => event === 'chat:tool_result' && payload.toolUseId === stop.toolUseId),
  ).toEqual([])
})

test('calls on one guest keep their order, whatever the order of the decisions', async () => {
  const jarvis = await startJarvis({
    model: scripted(calls(['stop_vm', { vmid: 103 }], ['start_vm', { vmid: 103 }]), says('Cycled.')),
  })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Cycle 103.' })
  const stop = await operator.next('chat:confirm_needed')
  const start = await operator.next('chat:confirm_needed')
  await operator.ask('chat:confirm', { sessionId, toolUseId: start.toolUseId, confirmed: true })
  await operator.ask('chat:confirm', { sessionId, toolUseId: stop.toolUseId, confirmed: true })
  await operator.next('chat:done')
  const uses = operator.received.filter(({ event }) => event === 'chat:tool_use').map(({ payload }) => payload.toolName)
  expect(uses).toEqual(['stop_vm', 'start_vm'])
  expect(jarvis.guest(103)?.status).toBe('running')
  expect(jarvis.controls.effects).toHaveLength(2)
})

test('a blocked call says why to the person and to the model, and nothing runs', async () => {
  const model = jarvis.plays(
    calls(['execute_ssh', { node: 'pve', command: 'rm -rf /srv/frigate/cache' }]),
    says('Quite so.'),
  )
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Clean the cache.' })
  const blocked = await operator.next('chat:blocked')
  expect(blocked).toMatchObject({ toolName: 'execute_ssh', tier: 'black' })
  await operator.next('chat:done')
  const answer = model.requests[1]?.messages.at(-1)
  expect(answer?.role === 'user' && answer.results[0]).toMatchObject({ isError: true })
  expect(answer?.role === 'user' && answer.results[0]?.text).toContain(blocked.reason)
  expect(operator.names()).not.toContain('chat:tool_result')
  expect(jarvis.controls.effects).toEqual([])
})

test.each([
  ['an unknown tool', ['format_disk', {}]],
  ['an unknown argument', ['stop_vm', { vmid: 103, confirmed: true }]],
  ['a name that every object has', ['constructor', {}]],
  ['an argument that every object has', ['get_cluster_status', JSON.parse('{"__proto__": {"a": 1}}')]],
  ['a protected node', ['restart_service', { node: 'agent1', service: 'nginx' }]],
] as const)('%s is never run', async (_what, call) => {
  jarvis.plays(calls([call[0], call[1]]), says('No.'))
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Do it.' })
  expect(await operator.next('chat:blocked')).toMatchObject({ toolName: call[0], tier: 'black' })
  await operator.next('chat:done')
  expect(jarvis.controls.effects).toEqual([])
})

test.each([
  ['vmid', ['stop_vm', { vmid: '0103' }]],
  ['vmid', ['stop_vm', { vmid: 999 }]],
  ['node', ['stop_vm', { vmid: 103, node: 'Home' }]],
  ['node', ['get_node_status', {}]],
  ['command', ['execute_ssh', { node: 'pve', command: { run: 'ls' } }]],
] as const)('a wrong %s goes back to the model as an error that names it', async (field, call) => {
  const model = jarvis.plays(calls([call[0], call[1]]), says('My mistake.'))
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Try.' })
  expect(await operator.next('chat:tool_result')).toMatchObject({
    isError: true,
    result: expect.stringContaining(field),
  })
  await operator.next('chat:done')
  const answer = model.requests[1]?.messages.at(-1)
  expect(answer?.role === 'user' && answer.results[0]?.text).toContain(field)
  expect(jarvis.controls.effects).toEqual([])
})

test('a call whose JSON could not be read goes back as an error and is not run', async () => {
  const broken = {
    type: 'tool_call' as const,
    toolUseId: 'tu_x',
    toolName: 'stop_vm',
    toolInput: {},
    malformed: 'unexpected end',
  }
  jarvis.plays(ends({ content: [broken], stopReason: 'tool_use' }), says('Again.'))
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Stop.' })
  expect(await operator.next('chat:tool_result')).toMatchObject({
    isError: true,
    result: expect.stringContaining('unexpected end'),
  })
  await operator.next('chat:done')
})

test('at the loop limit one more call without tools gives the answer', async () => {
  const read = calls(['get_cluster_status', {}])
  const model = scripted(read, read, says('That is all I found.'))
  const jarvis = await startJarvis({ model, env: { CHAT_MAX_LOOP: '2' } })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Dig.' })
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'loop_limit' })
  expect(model.requests.map(({ mayCallTools }) => mayCallTools)).toEqual([true, true, false])
})

test('a call that fails the same way again and again is told to the model once, and then ends the run with one answer', async () => {
  const fails = calls(['get_node_status', { node: 'nowhere' }])
  const model = jarvis.plays(fails, fails, fails, fails, fails, says('There is no such node.'))
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'How is nowhere?' })
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'stuck', usage: { inputTokens: 60 } })
  const told = model.requests.map(
    ({ messages }) => JSON.stringify(messages).split('the same call had the same').length - 1,
  )
  expect(told).toEqual([0, 0, 0, 1, 1, 1])
  expect(model.requests.map(({ mayCallTools }) => mayCallTools)).toEqual([true, true, true, true, true, false])
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  const said = snapshot.entries.slice(-3)
  expect(said).toMatchObject([
    { type: 'assistant', content: [{ type: 'text', text: 'There is no such node.' }] },
    {
      type: 'assistant',
      madeBy: 'jarvis',
      content: [
        { type: 'text', text: expect.stringMatching(/same call \(get_node_status\) 5 times in a row.*nowhere/) },
      ],
    },
    { type: 'done' },
  ])
})

test('a call that comes in spite of the loop limit is dropped', async () => {
  const read = calls(['get_cluster_status', {}])
  const jarvis = await startJarvis({
    model: scripted(read, calls(['stop_vm', { vmid: 103 }])),
    env: { CHAT_MAX_LOOP: '1' },
  })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Dig.' })
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'loop_limit' })
  expect(operator.names()).not.toContain('chat:confirm_needed')
})

test('abort stops the model at once and keeps its text', async () => {
  const stalled = stalls('Let me think about ')
  jarvis.plays(stalled)
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Ponder.' })
  await operator.next('chat:token')
  await operator.ask('chat:abort', { sessionId })
  await stalled.aborted
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'aborted' })
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  expect(snapshot.entries).toContainEqual(
    expect.objectContaining({
      type: 'assistant',
      stopReason: 'interrupted',
      content: [{ type: 'text', text: 'Let me think about ' }],
    }),
  )
})

test('abort cancels the cards that wait', async () => {
  jarvis.plays(calls(['stop_vm', { vmid: 103 }], ['stop_vm', { vmid: 101 }]))
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop both.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  await operator.next('chat:confirm_needed')
  await operator.ask('chat:abort', { sessionId })
  expect(await operator.next('chat:confirm_resolved')).toMatchObject({ decision: 'cancelled', by: 'operator' })
  expect(await operator.next('chat:confirm_resolved')).toMatchObject({ decision: 'cancelled' })
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'aborted' })
  expect(await operator.request('chat:confirm', { sessionId, toolUseId, confirmed: true })).toMatchObject({
    ok: false,
    error: { code: 'already_decided' },
  })
  expect(jarvis.controls.effects).toEqual([])
})

test('a message sent during a run is queued and answered next', async () => {
  const model = scripted(calls(['stop_vm', { vmid: 103 }]), says('First.'), says('Second.'))
  const jarvis = await startJarvis({ model })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop 103.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  const second = await operator.ask('chat:send', { sessionId, message: 'And then?' })
  expect(second.queued).toBe(true)
  expect(await operator.next('chat:queued')).toMatchObject({ queued: [{ text: 'And then?' }] })
  await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await operator.next('chat:done')
  expect(await operator.next('chat:done')).toMatchObject({ runId: second.runId })
  expect(model.requests[2]?.messages.at(-1)).toMatchObject({ role: 'user', text: 'And then?' })
})

test('a queued message can be taken back', async () => {
  jarvis.plays(calls(['stop_vm', { vmid: 103 }]), says('First.'))
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop 103.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  const { messageId } = await operator.ask('chat:send', { sessionId, message: 'Never mind.' })
  await operator.next('chat:queued')
  await operator.ask('chat:unqueue', { sessionId, messageId })
  expect(await operator.next('chat:queued')).toMatchObject({ queued: [] })
  await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await operator.next('chat:done')
  expect(jarvis.scriptIsDone()).toBe(true)
})

test.each([
  ['max_tokens', 'max_tokens'],
  ['refusal', 'refusal'],
] as const)('a turn that ends with %s ends the run so, and its calls are not run', async (stopReason, expected) => {
  const content = [
    { type: 'text' as const, text: 'I shall' },
    { type: 'tool_call' as const, toolUseId: 'tu_cut', toolName: 'wake_node', toolInput: { node: 'agent' } },
  ]
  const model = jarvis.plays(ends({ content, stopReason, usage: someUsage }), says('Going on.'))
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Go.' })
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: expected, usage: someUsage })
  expect(operator.names()).not.toContain('chat:tool_use')
  await operator.ask('chat:send', { sessionId, message: 'Go on.' })
  await operator.next('chat:done')
  expect(model.requests[1]?.messages).toMatchObject([
    { role: 'user', text: 'Go.' },
    { role: 'assistant', content: [{ type: 'text', text: 'I shall' }] },
    { role: 'user', text: expect.stringMatching(/(?:^|\n)Go on\.$/), results: [] },
  ])
})

test('a refusal without a word leaves no empty turn in the history', async () => {
  const model = jarvis.plays(ends({ stopReason: 'refusal' }), says('Of course.'))
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Something odd.' })
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'refusal' })
  await operator.ask('chat:send', { sessionId, message: 'Something else.' })
  await operator.next('chat:done')
  expect(model.requests[1]?.messages).toMatchObject([{ role: 'user', text: 'Something odd.\n\nSomething else.' }])
})

test('a paused turn is sent back as it is and goes on', async () => {
  const paused = ends({ content: [{ type: 'text', text: 'Still looking. ' }], stopReason: 'pause_turn' })
  const model = jarvis.plays(paused, says('Found it.'))
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Look.' })
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'end_turn' })
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({
    role: 'assistant',
    content: [{ type: 'text', text: 'Still looking. ' }],
  })
})

test('a stream that breaks keeps its text and ends with an error', async () => {
  const broken = new ModelError('model_stream_broken', 'The answer broke off.', { isRetryable: true, usage: someUsage })
  const model = jarvis.plays(breaks(broken, 'It is '), says('All well.'))
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'How is it?' })
  expect(await operator.next('chat:error')).toMatchObject({
    code: 'model_stream_broken',
    error: 'The answer broke off.',
  })
  expect(operator.names()).not.toContain('chat:done')
  await operator.ask('chat:send', { sessionId, message: 'Again.' })
  await operator.next('chat:done')
  expect(model.requests[1]?.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'text', text: 'It is ' }] },
    { role: 'user', text: 'Again.' },
  ])
})

test('an overloaded model is tried again, and the screen says so', async () => {
  const overloaded = new ModelError('model_overloaded', 'Overloaded.', { isRetryable: true, retryAfterMs: 20 })
  jarvis.plays(breaks(overloaded), says('Here I am.'))
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Hello?' })
  const notice = await operator.next('chat:notice')
  expect(notice.retryInMs).toBeGreaterThanOrEqual(20)
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'end_turn' })
})

test('usage is summed over the run and kept with the model on each turn', async () => {
  jarvis.plays(calls(['get_cluster_status', {}]), says('Well.'))
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'How is it?' })
  expect((await operator.next('chat:done')).usage).toEqual({
    inputTokens: 20,
    outputTokens: 10,
    cacheReadTokens: 6,
    cacheWriteTokens: 4,
  })
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  const turns = snapshot.entries.filter((entry) => entry.type === 'assistant')
  expect(turns.map(({ model, usage }) => ({ model, usage }))).toEqual([
    { model: 'scripted/model', usage: someUsage },
    { model: 'scripted/model', usage: someUsage },
  ])
})

test('a line with a slash calls a tool through the gate, without a model', async () => {
  const jarvis = await startJarvis()
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: '/stop_vm vmid=103' })
  const card = await operator.next('chat:confirm_needed')
  expect(card).toMatchObject({ toolName: 'stop_vm', requestedBy: { kind: 'command', name: 'operator' } })
  await operator.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  expect(await operator.next('chat:tool_result')).toMatchObject({ isError: false })
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'end_turn' })
  expect(jarvis.guest(103)?.status).toBe('stopped')
  await operator.ask('chat:send', { sessionId, message: '/wake_node node=agent' })
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'end_turn' })

  const journal = (await (await jarvis.rest('/api/journal')).json()) as { items: JournalEntry[] }
  const bodies = journal.items.map(({ kind, body }) => ({
    kind,
    ...(body as { toolName?: string; requestedBy?: object }),
  }))
  const requestedBy = { kind: 'command', name: 'operator' }
  expect(bodies.toReversed().map(({ kind, toolName, requestedBy }) => ({ kind, toolName, requestedBy }))).toEqual([
    ...['call', 'decision', 'execution', 'result'].map((kind) => ({ kind, toolName: 'stop_vm', requestedBy })),
    ...['execution', 'result'].map((kind) => ({ kind, toolName: 'wake_node', requestedBy })),
  ])
})

test('an invalid slash line is answered with its syntax', async () => {
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: '/stop_vm 103' })
  expect(await operator.next('chat:error')).toMatchObject({
    code: 'invalid_request',
    error: expect.stringContaining('key=value'),
  })
})
