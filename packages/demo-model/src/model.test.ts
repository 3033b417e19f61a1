import { randomUUID } from 'node:crypto'
import type { ClusterState } from 'protocol'
import { expect, test } from 'vitest'
import { demoModel } from './model.ts'
import type { Message, ToolResult } from './request.ts'

const cluster: ClusterState = {
  name: 'lab',
  isDemo: true,
  at: 0,
  guests: [],
  storages: [],
  tasks: [],
  isQuorate: true,
  missing: [],
  nodes: [{ name: 'pve', status: 'online', isProtected: false }],
}
const guest = {
  vmid: 101,
  type: 'vm' as const,
  name: 'nas',
  node: 'pve',
  status: 'running' as const,
  isProtected: false,
}
const figures = { uptimeS: 9, cpuRatio: 0, cpuCount: 1, ramBytes: 0, ramTotalBytes: 1, diskBytes: 0, diskTotalBytes: 1 }
const world = { ...cluster, guests: [{ ...guest, ...figures, isHa: false, tags: [] }] }
const tools = ['get_vms', 'stop_vm', 'restart_vm', 'get_cluster_status'].map((name) => ({
  name,
  description: '',
  inputSchema: {},
}))

async function ask(
  messages: Message[],
  part: { mayCallTools?: boolean } = {},
  signal = new AbortController().signal,
  name = 'nas',
) {
  const deltas: string[] = []
  const sink = { text: (delta: string) => void deltas.push(delta), thinking: () => {} }
  const request = { system: '', messages, tools, mayCallTools: true, ...part }
  const turn = await demoModel({
    newToolUseId: () => `tu_${randomUUID()}`,
    namingSystem: 'Name this.',
    withoutSpeaker: (text) => text,
    cluster: () => ({ ...world, guests: world.guests.map((known) => ({ ...known, name })) }),
  }).generate(request, sink, signal)
  return { ...turn, deltas, said: deltas.join('') }
}
const user = (text: string, results: ToolResult[] = []): Message => ({ role: 'user', results, text })
const said: Message = { role: 'assistant', model: 'demo', content: [{ type: 'text', text: 'Good day.' }] }
const result = (toolName: string, text: string, isError = false) => ({ toolUseId: 'tu_1', toolName, text, isError })

test('the first answer says what it is and how to connect a model, later ones do not', async () => {
  const first = await ask([user('hello')])
  expect(first.said).toContain('built-in demo')
  expect(first.said).toContain('Settings, Models')
  expect((await ask([user('hello'), said, user('hello')])).said).not.toContain('demo')
})

test('an order becomes a call with an id of our own', async () => {
  const { content, stopReason, usage } = await ask([user('hi'), said, user('stop nas')])
  expect(content).toEqual([
    { type: 'tool_call', toolUseId: expect.stringMatching(/^tu_/), toolName: 'stop_vm', toolInput: { vmid: 101 } },
  ])
  expect(stopReason).toBe('tool_use')
  expect(usage).toEqual({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 })
})

test('what it does not understand is said plainly, with what it can do', async () => {
  const { said: words, content } = await ask([user('hi'), said, user('write me a poem')])
  expect(words).toMatch(/^I have no sentence like that with “write”, sir, so I did nothing\./)
  expect(words).toContain('- “which guests are running?”')
  expect(content).toEqual([{ type: 'text', text: words }])
})

test('who greets JARVIS means no guest of that name', async () => {
  const world = await ask([user('hi'), said, user('Thank you very much, Jarvis!')], {}, undefined, 'jarvis')
  expect(world).toMatchObject({ said: 'At your service, sir.', stopReason: 'end_turn' })
})

test('the text streams in small pieces that make the whole', async () => {
  const { deltas, content } = await ask([user('hello')])
  expect(deltas.length).toBeGreaterThan(10)
  expect(content).toEqual([{ type: 'text', text: deltas.join('') }])
  expect((await ask([user('hello')])).deltas).toEqual(deltas)
})

test('answers from the results, the failed ones told with their reason', async () => {
  const call: Message = {
    role: 'assistant',
    model: 'demo',
    content: [{ type: 'tool_call', toolUseId: 'tu_1', toolName: 'stop_vm', toolInput: { vmid: 101 } }],
  }
  const denied = 'The operator denied this. Note: not during the film. Nothing was run.'
  const answer = await ask([
    user('stop nas'),
    call,
    user('', [result('get_vms', '101 nas running'), result('stop_vm', denied, true)]),
  ])
  expect(answer.said).toContain('101 nas running')
  for (const words of ['not during the film', 'Nothing was run.']) expect(answer.said).toContain(words)
  expect(answer.stopReason).toBe('end_turn')
  const later = [user('hi'), said, user('stop nas'), call]
  expect((await ask([...later, user('', [result('stop_vm', 'Stopped 101.')])])).said).toBe(
    'Very good, sir. Stopped 101.',
  )
  expect((await ask([...later, user('', [result('memory_search', 'It is loud.')])])).said).toBe('It is loud.')
  expect((await ask([user('stop nas'), call, user('', [result('stop_vm', denied, true)])])).said).not.toMatch(
    /Very good|Here you are/,
  )
})

test('a plan that is refused because a note named its guest is offered in words in which the person names it', async () => {
  const steps = [
    { id: 'move_101', tool: 'migrate_guest', input: { vmid: 101, target: 'pve2' } },
    { id: 'node', tool: 'reboot_node', input: { node: 'pve' } },
  ]
  const plan: Message = {
    role: 'assistant',
    model: 'demo',
    content: [{ type: 'tool_call', toolUseId: 'tu_1', toolName: 'propose_plan', toolInput: { goal: 'Move.', steps } }],
  }
  const refused = 'Refused by the safety rules: step 1: Its vmid repeats text from the result of memory: "101".'
  const { said: words, content } = await ask([
    ...[user('hi'), said, user('move everything off pve and reboot it'), plan],
    user('', [result('propose_plan', refused, true)]),
  ])
  expect(words).toContain('Say “move 101 to pve2, then reboot pve, in one go”')
  expect(content).toHaveLength(1)
})

test('a list that it cannot read is shown as it came, never as an empty one', async () => {
  for (const [toolName, text] of [
    ['get_vms', '2 VMs in a form of tomorrow'],
    ['get_storage', 'storages, differently'],
    ['get_recent_tasks', 'tasks, differently'],
    ['get_backups', 'backups, differently'],
    ['get_cluster_status', 'status, differently'],
    ['get_node_status', 'a node, differently'],
  ] as const) {
    const { said: words } = await ask([user('hi'), said, user('how is it?'), said, user('', [result(toolName, text)])])
    expect(words).toContain(text)
  }
})

test('where no tool may be called, it says so', async () => {
  const { content, said: words } = await ask([user('hi'), said, user('stop nas')], { mayCallTools: false })
  expect(words).toContain('may not use stop_vm')
  expect(content).toEqual([{ type: 'text', text: words }])
})

test('thanks do not swallow an order', async () => {
  expect((await ask([user('hi'), said, user('thanks')])).said).toBe('At your service, sir.')
  expect((await ask([user('hi'), said, user('thanks, stop nas')])).content).toMatchObject([{ toolName: 'stop_vm' }])
})

test('an abort ends it in the middle of a sentence', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  setImmediate(() => controller.abort(reason))
  await expect(ask([user('hello')], {}, controller.signal)).rejects.toBe(reason)
})
