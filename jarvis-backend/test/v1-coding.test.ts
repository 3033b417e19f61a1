import { afterAll, beforeAll, expect, test } from 'vitest'
import { createToken, firstCard } from './support/mcp-client.ts'
import { onePixel } from './support/pictures.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'
import { post } from './support/v1.ts'
import { asks, obedient } from './support/v1-model.ts'

const model = obedient()
let jarvis: TestJarvis
const ends: (() => Promise<void>)[] = []
beforeAll(async () => {
  jarvis = await startJarvis({ model, atEnd: (end) => ends.push(end) })
})
afterAll(() => Promise.all(ends.map((end) => end())))
let made = 0
const token = () => createToken(jarvis, { name: `coder${++made}` })
const own = (name: string) => ({
  type: 'function',
  function: { name, description: 'Of the program.', parameters: { type: 'object', properties: { of: {} } } },
})
type Completion = {
  choices: { message: { content: string | null; tool_calls?: { function: { name: string; arguments: string } }[] } }[]
}
const answerOf = async (response: Response) => {
  const body = (await response.json()) as Completion
  expect([response.status, body]).toEqual([200, expect.anything()])
  return body.choices[0]?.message
}

test('a program’s tool with the name of one of JARVIS’s runs in the program, and JARVIS’s own is left out of that request', async () => {
  const bearer = token()
  const tools = [own('stop_vm'), own('get_vms'), own('read_file')]
  const before = model.requests.length
  const said = await answerOf(
    await post(jarvis, bearer, { ...asks('call stop_vm {"vmid":103} call get_vms {}'), tools }),
  )
  expect(said?.tool_calls?.map(({ function: { name, arguments: given } }) => [name, given])).toEqual([
    ['stop_vm', '{"vmid":103}'],
    ['get_vms', '{}'],
  ])
  expect(jarvis.guest(103)?.status).toBe('running')
  const { tools: offered = [] } = model.requests[before] ?? {}
  for (const name of ['stop_vm', 'get_vms', 'read_file'])
    expect(offered.filter((tool) => tool.name === name).map(({ description }) => description)).toEqual([
      'Of the program.',
    ])
  expect(offered.map(({ name }) => name)).toContain('get_cluster_status')

  // A plan would run JARVIS's own under the program's name.
  const steps = ['stop_vm', 'start_vm'].map((tool, at) => ({ id: `s${at}`, tool, input: { vmid: 103 } }))
  const plan = { goal: 'Stop it', steps }
  const planned = await post(jarvis, bearer, { ...asks(`call propose_plan ${JSON.stringify(plan)}`), tools })
  expect((await answerOf(planned))?.content).toContain('stop_vm of its own')
  expect(jarvis.guest(103)?.status).toBe('running')

  // Without the program's tool, the name is JARVIS's again.
  const without = await post(jarvis, bearer, asks('call get_vms {}'))
  expect((await answerOf(without))?.content).toContain('It came to this')
})

test('what the operator orders in place of a card is JARVIS’s own, though the program has a tool of that name', async () => {
  const answer = post(jarvis, token(), {
    ...asks('call stop_container {"vmid":105}'),
    tools: [own('stop_vm'), own('get_node_status')],
  })
  const { toolUseId } = await firstCard(jarvis)
  const alternative = { toolName: 'get_node_status', toolInput: { node: 'pve' } }
  const json = { confirmed: false, alternative }
  const decided = await jarvis.rest(`/api/confirmations/${toolUseId}`, { method: 'POST', json })
  expect(decided.status).toBe(200)
  const said = await answerOf(await answer)
  expect(said?.tool_calls).toBeUndefined()
  expect(said?.content).toContain('It came to this')
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(
    'Instead the operator made this call: get_node_status',
  )
})

test('a request of Qwen Code is taken: its own fields are named, null and pictures in results are read', async () => {
  const response = await post(jarvis, token(), {
    model: 'jarvis',
    stream: false,
    max_tokens: 8_000,
    temperature: 0.7,
    top_k: 20,
    repetition_penalty: 1.05,
    metadata: { sessionId: 's', promptId: 'p' },
    enable_thinking: false,
    vl_high_resolution_images: true,
    tools: [own('read_file'), own('run_shell_command')],
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'You are Qwen Code.', cache_control: { type: 'ephemeral' } }] },
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Read it.' },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Let me read.',
        tool_calls: [],
        function_call: null,
        refusal: null,
      },
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'hm' }],
        tool_calls: [
          { id: 'c1', function: { name: 'read_file', arguments: { path: 'a' } } },
          { id: 'c2', type: 'function', function: { name: 'read_file', arguments: '' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: null },
      {
        role: 'tool',
        tool_call_id: 'c2',
        content: [
          { type: 'text', text: 'A picture:' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${onePixel.png}` } },
        ],
      },
      { role: 'assistant', content: null, function_call: { name: 'old', arguments: '{"a":1}' } },
      { role: 'function', name: 'old', content: 'of old' },
      { role: 'assistant', content: '', function_call: { name: 'old', arguments: '{}' } },
      { role: 'function', name: 'old', content: null },
      { role: 'assistant', content: 'So it is.' },
      { role: 'user', content: [{ type: 'input_text', text: 'And now?' }] },
    ],
  })
  expect((await answerOf(response))?.content).toBe('You said: And now?')
  expect(response.headers.get('jarvis-ignored')).toBe('temperature, top_k, repetition_penalty, enable_thinking')
  const { messages = [], system = '' } = model.requests.at(-1) ?? {}
  expect(system).toContain('You are Qwen Code.')
  expect(system).toContain('Be brief.')
  const sent = JSON.stringify(messages)
  for (const part of ['"path":"a"', 'A picture:', '[image_url, not shown]', '"a":1', 'of old'])
    expect(sent).toContain(part)
  expect(sent.split('The tool gave no output.')).toHaveLength(3)
  for (const part of ['hm', 'not known']) expect(sent).not.toContain(part)
})

test('a request of Codex is taken, with the items that it keeps of other servers', async () => {
  const item = (type: string, more: object = {}) => ({ type, id: null, ...more })
  const response = await fetch(`${jarvis.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token()}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'jarvis',
      instructions: 'You are Codex.',
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { effort: 'xhigh', summary: 'auto' },
      store: false,
      stream: false,
      service_tier: null,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'k',
      client_metadata: { a: 'b' },
      text: { verbosity: 'low', format: null },
      tools: [
        {
          type: 'function',
          name: 'shell',
          description: 'x',
          strict: false,
          parameters: { type: 'object', properties: {} },
        },
        { type: 'function', name: 'read_file', description: 'x', strict: false, parameters: { type: 'object' } },
        { type: 'tool_search', execution: 'client' },
        { type: 'namespace', name: 'n', tools: [] },
        { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
      ],
      input: [
        item('message', { role: 'developer', content: [{ type: 'input_text', text: 'Sandbox: read only.' }] }),
        item('message', { role: 'user', content: [{ type: 'input_text', text: 'Look.' }] }),
        item('reasoning', { summary: [], content: null, encrypted_content: 'x' }),
        item('message', {
          role: 'assistant',
          phase: 'commentary',
          content: [{ type: 'output_text', text: 'I look.' }],
        }),
        item('function_call', { call_id: 'c1', name: 'read_file', namespace: 'n', arguments: '{"path":"a"}' }),
        item('function_call_output', {
          call_id: 'c1',
          output: [
            { type: 'input_text', text: 'note' },
            { type: 'input_image', image_url: `data:image/png;base64,${onePixel.png}` },
          ],
        }),
        item('local_shell_call', {
          id: 'ls1',
          call_id: null,
          status: 'completed',
          action: { type: 'exec', command: ['ls'] },
        }),
        item('local_shell_call_output', { id: 'ls1', output: '{"stdout":"a"}' }),
        item('shell_call', { call_id: 'c3', action: { commands: ['pwd'] } }),
        item('shell_call_output', { call_id: 'c3', output: [{ stdout: '/srv', stderr: '' }] }),
        item('function_call', { call_id: 'c4', name: 'read_file', arguments: null }),
        item('function_call_output', { call_id: 'c4', output: null }),
        item('computer_call', { call_id: 'c5', action: { type: 'screenshot' } }),
        item('computer_call_output', { call_id: 'c5', output: { type: 'computer_screenshot', image_url: 'data:,' } }),
        item('message', { role: 'assistant', content: [{ type: 'output_text', text: 'I see.' }] }),
        ...['tool_search_call', 'tool_search_output', 'context_compaction', 'ghost_snapshot'].map((type) => item(type)),
        item('message', { role: 'user', content: [{ type: 'input_text', text: 'call read_file {"path":"b"}' }] }),
      ],
    }),
  })
  const answer = (await response.json()) as { output: { type: string; name?: string }[] }
  expect([response.status, answer.output?.map(({ type, name }) => [type, name])]).toEqual([
    200,
    [['function_call', 'read_file']],
  ])
  expect(response.headers.get('jarvis-ignored')).toBe(
    'parallel_tool_calls, store, include, tools.tool_search, tools.namespace, tools.custom, input.computer_call, input.computer_call_output',
  )
  const sent = JSON.stringify(model.requests.at(-1)?.messages)
  for (const part of ['I look.', 'note', '[image_url, not shown]', 'stdout', '/srv', 'pwd'])
    expect(sent).toContain(part)
})
