import { expect, test } from 'vitest'
import { anthropicModel, openAiCompatibleModel } from '../src/providers/index.ts'
import { asks, type Dialect, modelContract, recorder, request, secretKey } from './contracts/model.ts'
import { dribbles, modelServer, refuses, streams } from './contracts/model-server.ts'

const event = (data: { type: string } & Record<string, unknown>) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

const messageStart = event({
  type: 'message_start',
  message: { id: 'msg_1', usage: { input_tokens: 70, cache_read_input_tokens: 30, output_tokens: 1 } },
})
const messageEnd = (stop_reason: string) => [
  event({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 12 } }),
  event({ type: 'message_stop' }),
]

const blockStart = (content_block: unknown) => event({ type: 'content_block_start', index: 0, content_block })
const blockDelta = (delta: unknown) => event({ type: 'content_block_delta', index: 0, delta })
const oddError = { type: 5, code: [], message: {}, headers: {} }

const anthropic: Dialect = {
  name: 'the Anthropic provider',
  keyName: 'ANTHROPIC_API_KEY',
  model: (options) => anthropicModel({ ...options, apiKey: secretKey, model: 'claude-test', maxTokens: 1_000 }),
  begins: (deltas) => [
    messageStart,
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    event({ type: 'ping' }),
    ...deltas.map((text) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
  ],
  says: (deltas, stop) => [
    ...(deltas.length > 0 || stop === undefined ? anthropic.begins(deltas) : [messageStart]),
    event({ type: 'content_block_stop', index: 0 }),
    ...messageEnd({ cut: 'max_tokens', refused: 'refusal', none: 'end_turn' }[stop ?? 'none']),
  ],
  calls: (calls, stop) => [
    messageStart,
    ...calls.flatMap(({ id, name, json }, index) => [
      event({ type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } }),
      ...json.map((partial_json) =>
        event({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } }),
      ),
      event({ type: 'content_block_stop', index }),
    ]),
    ...messageEnd(stop === 'cut' ? 'max_tokens' : 'tool_use'),
  ],
  overloaded: event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  unreadable: [
    [blockStart(null)],
    [blockStart('text')],
    [blockDelta(null)],
    [blockDelta(['text_delta'])],
    [event({ type: 'message_start', message: 'hello' })],
    [event({ type: 'message_delta', delta: 'end_turn' })],
    [blockStart({ type: 'tool_use', name: 'stop_vm', input: [101] })],
    [
      blockStart({ type: 'tool_use', name: 'stop_vm' }),
      blockDelta({ type: 'input_json_delta', partial_json: { a: 1 } }),
    ],
    [blockStart({ type: 'thinking', thinking: 'Hm' }), blockDelta({ type: 'signature_delta', signature: 7 })],
  ],
  oddFailure: event({ type: 'error', error: oddError }),
  error: (message) => JSON.stringify({ type: 'error', error: { type: 'api_error', message } }),
  spent: refuses(
    400,
    JSON.stringify({ error: { type: 'invalid_request_error', message: 'Your credit balance is too low.' } }),
  ),
}

const chunk = (part: object) => `data: ${JSON.stringify({ object: 'chat.completion.chunk', ...part })}\n\n`
const delta = (part: object) => chunk({ choices: [{ index: 0, delta: part, finish_reason: null }] })
const chatEnd = (finish_reason: string) => [
  chunk({ choices: [{ index: 0, delta: {}, finish_reason }] }),
  chunk({
    choices: [],
    usage: { prompt_tokens: 100, completion_tokens: 12, prompt_tokens_details: { cached_tokens: 30 } },
  }),
  'data: [DONE]\n\n',
]

const openAiCompatible: Dialect = {
  name: 'the OpenAI-compatible provider',
  keyName: 'OPENAI_API_KEY',
  model: (options) => openAiCompatibleModel({ ...options, apiKey: secretKey, model: 'gpt-test' }),
  begins: (deltas) => [delta({ role: 'assistant', content: '' }), ...deltas.map((content) => delta({ content }))],
  says: (deltas, stop) => [
    ...openAiCompatible.begins(deltas),
    ...chatEnd({ cut: 'length', refused: 'content_filter', none: 'stop' }[stop ?? 'none']),
  ],
  calls: (calls, stop) => [
    ...calls.flatMap(({ id, name, json: [first = '', ...rest] }, index) => [
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: first } }] }),
      ...rest.map((json) => delta({ tool_calls: [{ index, function: { arguments: json } }] })),
    ]),
    ...chatEnd(stop === 'cut' ? 'length' : 'tool_calls'),
  ],
  overloaded: chunk({ error: { message: 'Overloaded', code: 503 } }),
  unreadable: [
    [chunk({ choices: { delta: {} } })],
    [chunk({ choices: [null] })],
    [chunk({ choices: [{ delta: 'Hello' }] })],
    [delta({ tool_calls: [null] })],
    [delta({ tool_calls: { name: 'stop_vm' } })],
    [delta({ tool_calls: [{ index: 0, function: 'stop_vm' }] })],
    [delta({ tool_calls: [{ index: 0, function: { name: 'stop_vm', arguments: [101] } }] })],
  ],
  oddFailure: chunk({ error: oddError }),
  error: (message) => JSON.stringify({ error: { message, type: 'error', code: null } }),
  spent: refuses(
    429,
    JSON.stringify({ error: { message: 'You exceeded your current quota.', code: 'insufficient_quota' } }),
  ),
}

modelContract(anthropic)
modelContract(openAiCompatible)

test('signed thinking is sent back unchanged in the next request', async () => {
  await using server = await modelServer()
  const block = (index: number, content_block: object) => event({ type: 'content_block_start', index, content_block })
  const thinks = [
    messageStart,
    block(0, { type: 'thinking', thinking: '', signature: '' }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm 🛰️' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'EqQB/+=' } }),
    block(1, { type: 'redacted_thinking', data: 'b3BhcXVl' }),
    block(2, { type: 'tool_use', id: 'toolu_1', name: 'get_vms', input: {} }),
    ...messageEnd('tool_use'),
  ]
  server.plays.push(dribbles(thinks), streams(anthropic.says(['Two.'])))
  const model = anthropic.model({ baseUrl: server.url })
  const never = new AbortController().signal

  const { content } = await model.generate(request(), recorder(), never)
  const toolUseId = content.find((piece) => piece.type === 'tool_call')?.toolUseId ?? ''
  const results = [{ toolUseId, toolName: 'get_vms', text: '2 VMs', isError: false }]
  const messages = [
    asks('Hello'),
    { role: 'assistant' as const, content, model: model.id },
    { role: 'user' as const, results, text: '' },
  ]
  await model.generate(request({ messages }), recorder(), never)

  expect(server.requests[1]?.body.messages[1].content).toEqual([
    { type: 'thinking', thinking: 'Hm 🛰️', signature: 'EqQB/+=' },
    { type: 'redacted_thinking', data: 'b3BhcXVl' },
    { type: 'tool_use', id: toolUseId, name: 'get_vms', input: {} },
  ])
  expect(server.requests[1]?.body.messages[2].content[0]).toMatchObject({ tool_use_id: toolUseId })
})

test('each request goes to the right address with the right key, and has no field that the services refuse', async () => {
  await using server = await modelServer()
  const never = new AbortController().signal
  for (const dialect of [anthropic, openAiCompatible]) {
    server.plays.push(streams(dialect.says(['Yes'])))
    await dialect.model({ baseUrl: server.url }).generate(request(), recorder(), never)
  }
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v1/messages',
    'POST /chat/completions',
  ])
  for (const { headers, body } of server.requests) {
    expect(headers.authorization).toBe(`Bearer ${secretKey}`)
    expect(headers['content-length']).toBeDefined()
    expect(body).toMatchObject({ stream: true })
    for (const refused of ['temperature', 'top_p', 'top_k']) expect(body).not.toHaveProperty(refused)
  }
  expect(server.requests[0]?.headers['anthropic-version']).toBe('2026-10-21')
})

test('a server of one’s own needs no key', async () => {
  await using server = await modelServer()
  server.plays.push(streams(openAiCompatible.says(['Yes'])))
  const model = openAiCompatibleModel({ baseUrl: server.url, model: 'llama' })
  const turn = await model.generate(request(), recorder(), new AbortController().signal)
  expect(turn.content).toEqual([{ type: 'text', text: 'Yes' }])
})

const detail = (field: string) =>
  JSON.stringify({ detail: [{ type: 'extra_forbidden', loc: ['body', field], msg: 'Extra inputs are not permitted' }] })
const unsupported = (message: string, param?: string) =>
  JSON.stringify({ error: { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' } })

test.each<[string, [status: number, body: string][], object, string[]]>([
  [
    'the token limit gets its other name',
    [[400, unsupported("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", 'max_tokens')]],
    { max_completion_tokens: 64, stream_options: {} },
    ['max_tokens'],
  ],
  [
    'the name stands beside the message alone',
    [[400, unsupported('Invalid request.', 'max_tokens')]],
    { max_completion_tokens: 64 },
    ['max_tokens'],
  ],
  ['a field is left out', [[422, detail('stream_options')]], { max_tokens: 64 }, ['stream_options']],
  [
    'a message that is no text',
    [[422, JSON.stringify({ object: 'error', message: JSON.parse(detail('stream_options')) })]],
    { max_tokens: 64 },
    ['stream_options'],
  ],
  [
    'a server that speaks no JSON',
    [[400, 'unknown field "max_tokens"']],
    { max_completion_tokens: 64 },
    ['max_tokens'],
  ],
  [
    'one after the other',
    [
      [400, detail('max_tokens')],
      [400, detail('max_completion_tokens')],
      [400, detail('stream_options')],
    ],
    {},
    ['max_tokens', 'max_completion_tokens', 'stream_options'],
  ],
])('what a server refuses is not sent to it again: %s', async (_, refusals, has, hasNot) => {
  await using server = await modelServer()
  const says = streams(openAiCompatible.says(['Yes']))
  server.plays.push(...refusals.map(([status, body]) => refuses(status, body)), says, says)
  const model = openAiCompatibleModel({ baseUrl: server.url, model: 'm', maxTokens: 64 })
  const never = new AbortController().signal
  expect((await model.generate(request(), recorder(), never)).content).toEqual([{ type: 'text', text: 'Yes' }])
  await model.generate(request(), recorder(), never)
  expect(server.requests).toHaveLength(refusals.length + 2)
  for (const { body } of server.requests.slice(-2)) {
    expect(body).toMatchObject(has)
    for (const field of hasNot) expect(body).not.toHaveProperty(field)
  }
})

test('a refusal that names no optional field is reported unchanged, in every form', async () => {
  await using server = await modelServer()
  server.plays.push(refuses(422, detail('messages')))
  const model = openAiCompatibleModel({ baseUrl: server.url, model: 'm' })
  await expect(model.generate(request(), recorder(), new AbortController().signal)).rejects.toMatchObject({
    code: 'model_bad_request',
    message: expect.stringContaining('Extra inputs are not permitted'),
  })
  expect(server.requests).toHaveLength(1)
})

test('a server that counts nothing leaves the use unknown', async () => {
  await using server = await modelServer()
  server.plays.push(streams([...openAiCompatible.begins(['Yes']), delta({}), 'data: [DONE]\n\n']))
  const model = openAiCompatible.model({ baseUrl: server.url })
  const turn = await model.generate(request(), recorder(), new AbortController().signal)
  expect(turn).toMatchObject({ isUsagePartial: true })
})

test('a server of one’s own hears of no tools when none may be called', async () => {
  await using server = await modelServer()
  server.plays.push(streams(openAiCompatible.says(['Yes'])))
  const model = openAiCompatible.model({ baseUrl: server.url })
  await model.generate(request({ mayCallTools: false }), recorder(), new AbortController().signal)
  expect(server.requests[0]?.body).not.toHaveProperty('tools')
})

test('a server that does not stream answers in one object', async () => {
  await using server = await modelServer()
  const model = openAiCompatibleModel({ baseUrl: server.url, model: 'm' })
  const message = { content: 'Hello', tool_calls: [{ function: { name: 'get_vms', arguments: {} } }] }
  server.plays.push(
    refuses(200, JSON.stringify({ choices: [{ message, finish_reason: 'stop' }], usage: { prompt_tokens: 3 } })),
  )
  const turn = await model.generate(request(), recorder(), new AbortController().signal)
  expect(turn).toMatchObject({
    content: [{ text: 'Hello' }, { toolName: 'get_vms', toolInput: {} }],
    stopReason: 'tool_use',
    usage: { inputTokens: 3 },
  })
  server.plays.push(refuses(200, JSON.stringify({ error: { message: 'No such model', code: 404 } })))
  await expect(model.generate(request(), recorder(), new AbortController().signal)).rejects.toMatchObject({
    code: 'model_bad_request',
  })
})
