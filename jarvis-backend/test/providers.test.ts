import { expect, test } from 'vitest'
import { sentId } from '../src/providers/conversation.ts'
import { anthropicModel, openAiCompatibleModel, openAiResponsesModel, servedModel } from '../src/providers/index.ts'
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

/** A stream of the Responses API, whose events are numbered. */
const numbered = (events: readonly ({ type: string } & Record<string, unknown>)[]) =>
  events.map((data, sequence_number) => event({ ...data, sequence_number }))
const responseId = { id: 'resp_1', object: 'response' }
const created = { type: 'response.created', response: { ...responseId, status: 'in_progress', output: [] } }
const usage = { input_tokens: 100, input_tokens_details: { cached_tokens: 30 }, output_tokens: 12 }
const itemAdded = (item: unknown, output_index = 0) => ({ type: 'response.output_item.added', output_index, item })
const itemDone = (item: unknown, output_index = 0) => ({ type: 'response.output_item.done', output_index, item })
const textDelta = (delta: unknown) => ({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta })
const message = { id: 'msg_1', type: 'message', role: 'assistant', content: [] }
const completed = { type: 'response.completed', response: { ...responseId, status: 'completed', output: [], usage } }
const responsesEnd = (stop?: 'cut' | 'refused') => {
  const reason = stop === 'cut' ? 'max_output_tokens' : 'content_filter'
  const incomplete = { ...responseId, status: 'incomplete', incomplete_details: { reason }, usage }
  return stop === undefined ? completed : { type: 'response.incomplete', response: incomplete }
}

const openAiResponses: Dialect = {
  name: 'the Responses provider',
  keyName: 'OPENAI_API_KEY',
  model: (options) => openAiResponsesModel({ ...options, apiKey: secretKey, model: 'gpt-test' }),
  begins: (deltas) => numbered([created, itemAdded(message), ...deltas.map(textDelta)]),
  says: (deltas, stop) => {
    const text = deltas.join('')
    const whole = itemDone({ ...message, content: [{ type: 'output_text', text, annotations: [] }] })
    const said = deltas.length === 0 ? [] : [itemAdded(message), ...deltas.map(textDelta), whole]
    return numbered([created, ...said, responsesEnd(stop)])
  },
  calls: (calls, stop) =>
    numbered([
      created,
      ...calls.flatMap(({ id, name, json }, output_index) => {
        const call = { id: `fc_${output_index}`, type: 'function_call', call_id: id, name }
        const isCut = stop === 'cut' && output_index === calls.length - 1
        return [
          itemAdded({ ...call, arguments: '' }, output_index),
          ...json.map((delta) => ({ type: 'response.function_call_arguments.delta', output_index, delta })),
          ...(isCut ? [] : [itemDone({ ...call, arguments: json.join('') }, output_index)]),
        ]
      }),
      responsesEnd(stop),
    ]),
  overloaded: event({ type: 'error', code: 'server_is_overloaded', message: 'Overloaded', param: null }),
  unreadable: [
    [event(itemAdded(null))],
    [event(itemAdded('message'))],
    [event(itemDone([]))],
    [event(itemAdded(message)), event(textDelta({ text: 'Hi' }))],
    [
      event(itemAdded({ type: 'function_call', name: 'stop_vm' })),
      event(itemDone({ type: 'function_call', arguments: {} })),
    ],
    [event({ type: 'response.completed', response: 'done' })],
    [event({ type: 'response.completed', response: { status: 'completed', output: {} } })],
  ],
  oddFailure: event({ type: 'response.failed', response: { status: 'failed', error: oddError } }),
  error: (said) => JSON.stringify({ error: { message: said, type: 'invalid_request_error', code: null, param: null } }),
  spent: refuses(
    429,
    JSON.stringify({ error: { message: 'You exceeded your current quota.', type: 'insufficient_quota' } }),
  ),
}

const never = new AbortController().signal

modelContract(anthropic)
modelContract(openAiCompatible)
modelContract(openAiResponses)

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
    { type: 'tool_use', id: sentId(toolUseId), name: 'get_vms', input: {} },
  ])
  expect(server.requests[1]?.body.messages[2].content[0]).toMatchObject({ tool_use_id: sentId(toolUseId) })
})

test('each request goes to the right address with the right key, and has no field that the services refuse', async () => {
  await using server = await modelServer()
  for (const dialect of [anthropic, openAiCompatible, openAiResponses]) {
    server.plays.push(streams(dialect.says(['Yes'])))
    await dialect.model({ baseUrl: server.url }).generate(request(), recorder(), never)
  }
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v1/messages',
    'POST /chat/completions',
    'POST /responses',
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
    code: 'model_unfit',
  })
})

test('reasoning goes back encrypted, in its place, to the model that made it alone', async () => {
  await using server = await modelServer()
  const reasoning = { id: 'rs_1', type: 'reasoning', encrypted_content: 'gAAAA=' }
  const summary = [{ type: 'summary_text', text: 'Look first.' }]
  const thought = (delta: string, summary_index: number) => ({
    type: 'response.reasoning_summary_text.delta',
    output_index: 0,
    summary_index,
    delta,
  })
  server.plays.push(
    streams(
      numbered([
        created,
        itemAdded({ ...reasoning, encrypted_content: '', summary: [] }),
        thought('Look', 0),
        thought(' first.', 0),
        thought('Then tell.', 1),
        itemDone({ ...reasoning, summary }),
        itemAdded({ type: 'function_call', call_id: 'call_1', name: 'get_vms', arguments: '' }, 1),
        itemDone({ type: 'function_call', call_id: 'call_1', name: 'get_vms', arguments: '{}' }, 1),
        completed,
      ]),
    ),
    streams(openAiResponses.says(['Two.'])),
    streams(openAiResponses.says(['Two.'])),
  )
  const model = openAiResponses.model({ baseUrl: server.url })
  const sink = recorder()
  const { content } = await model.generate(request({ effort: 'low' }), sink, never)
  expect(sink.thoughts.join('')).toBe('Look first.\n\nThen tell.')
  const toolUseId = content.find((piece) => piece.type === 'tool_call')?.toolUseId ?? ''
  const results = [{ toolUseId, toolName: 'get_vms', text: '2 VMs', isError: false }]
  const messages = (by: string) => [
    asks('Hello'),
    { role: 'assistant' as const, content, model: by },
    { role: 'user' as const, results, text: '' },
  ]
  for (const by of [model.id, 'openai/another'])
    await model.generate(request({ messages: messages(by), effort: 'off', maxOutputTokens: 9 }), recorder(), never)

  const call = { type: 'function_call', call_id: sentId(toolUseId), name: 'get_vms', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: sentId(toolUseId), output: '2 VMs' }
  const kept = { ...reasoning, summary: [{ type: 'summary_text', text: 'Look first.\n\nThen tell.' }] }
  const [first, own, foreign] = server.requests.map(({ body }) => body)
  expect(first).toMatchObject({
    store: false,
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'low', summary: 'auto' },
    instructions: 'You are JARVIS.',
    tools: [{ type: 'function', name: 'get_vms', strict: false }, {}],
  })
  expect(own.input).toEqual([{ role: 'user', content: 'Hello' }, kept, call, output])
  expect(own).toMatchObject({ reasoning: { effort: 'none' }, max_output_tokens: 16 })
  expect(foreign.input).toEqual([{ role: 'user', content: 'Hello' }, call, output])
})

test.each([
  [
    'a refusal in words',
    [itemAdded(message), { type: 'response.refusal.delta', output_index: 0, delta: 'No.' }],
    'refusal',
  ],
  [
    'words that came only at the end',
    [itemDone({ ...message, content: [{ type: 'refusal', refusal: 'No.' }] })],
    'refusal',
  ],
  [
    'a message that did not stream',
    [itemDone({ ...message, content: [{ type: 'output_text', text: 'No.' }] })],
    'end_turn',
  ],
])('Responses: %s', async (_, events, stopReason) => {
  await using server = await modelServer()
  server.plays.push(streams(numbered([created, ...events, completed])))
  const sink = recorder()
  const turn = await openAiResponses.model({ baseUrl: server.url }).generate(request(), sink, never)
  expect(turn).toMatchObject({ content: [{ type: 'text', text: 'No.' }], stopReason })
  expect(sink.texts).toEqual(['No.'])
})

test('Responses: one object in place of a stream is read, and a failure in it too', async () => {
  await using server = await modelServer()
  const model = openAiResponses.model({ baseUrl: server.url })
  const output = [
    { ...message, content: [{ type: 'output_text', text: 'Hello' }] },
    { type: 'function_call', call_id: 'c', name: 'get_vms', arguments: '{"node":"pve"}' },
  ]
  const failed = { code: 'context_length_exceeded', message: 'Your input exceeds the context window.' }
  server.plays.push(
    refuses(200, JSON.stringify({ ...responseId, status: 'completed', output, usage })),
    refuses(200, JSON.stringify({ ...responseId, status: 'failed', error: failed, usage })),
  )
  expect(await model.generate(request(), recorder(), never)).toMatchObject({
    content: [{ text: 'Hello' }, { toolName: 'get_vms', toolInput: { node: 'pve' } }],
    stopReason: 'tool_use',
  })
  await expect(model.generate(request(), recorder(), never)).rejects.toMatchObject({
    code: 'model_bad_request',
    isTooLong: true,
    usage: { inputTokens: 70 },
  })
})

test('Responses: what a server refuses is not sent to it again', async () => {
  await using server = await modelServer()
  const model = openAiResponsesModel({ baseUrl: server.url, model: 'm', maxTokens: 64 })
  const says = streams(openAiResponses.says(['Yes']))
  const refusals = [
    unsupported('Encrypted content is not supported with this model.', 'include'),
    unsupported('Your organization must be verified to generate reasoning summaries.', 'reasoning.summary'),
    unsupported("Unsupported parameter: 'reasoning.effort'", 'reasoning.effort'),
    unsupported("Unsupported parameter: 'temperature' is not supported with this model.", 'temperature'),
    unsupported('Unknown parameter', 'max_output_tokens'),
  ]
  server.plays.push(...refusals.map((body) => refuses(400, body)), says, says)
  const asked = request({ effort: 'high', temperature: 0.2 })
  for (const _ of [1, 2]) await model.generate(asked, recorder(), never)
  expect(server.requests).toHaveLength(7)
  for (const { body } of server.requests.slice(-2))
    for (const field of ['include', 'reasoning', 'temperature', 'max_output_tokens'])
      expect(body).not.toHaveProperty(field)
  // A further refusal is told.
  server.plays.push(refuses(400, unsupported("Invalid 'input[0]'", 'input')))
  await expect(model.generate(asked, recorder(), never)).rejects.toMatchObject({ code: 'model_bad_request' })
})

test.each([
  ['The encrypted content gAAA…AAA= could not be verified.', 'invalid_encrypted_content'],
  ["Item 'rs_1' of type 'reasoning' was provided without its required following item.", null],
])(
  'Responses: reasoning that the server cannot read is left out, and new reasoning goes on: %s',
  async (words, code) => {
    await using server = await modelServer()
    const sealed = (n: number) => ({
      type: 'thinking' as const,
      text: 'Hm',
      signature: JSON.stringify({ id: `rs_${n}`, encrypted_content: `e${n}` }),
    })
    const model = openAiResponses.model({ baseUrl: server.url })
    const said = (n: number) => ({
      role: 'assistant' as const,
      model: model.id,
      content: [sealed(n), { type: 'text' as const, text: 'Yes.' }],
    })
    const no = JSON.stringify({ error: { message: words, type: 'invalid_request_error', param: null, code } })
    const says = streams(openAiResponses.says(['Yes']))
    server.plays.push(refuses(400, no), says, says)
    const messages = [asks('Hello'), said(1), asks('And?')]
    await model.generate(request({ messages }), recorder(), never)
    await model.generate(request({ messages: [...messages, said(2), asks('So?')] }), recorder(), never)
    const sent = server.requests.map(({ body }) =>
      body.input.flatMap(({ type, id }: { type?: string; id?: string }) => (type === 'reasoning' ? [id] : [])),
    )
    expect(sent).toEqual([['rs_1'], [], ['rs_2']])
    for (const { body } of server.requests) expect(body).toHaveProperty('reasoning')
  },
)

test('a temperature goes to models that take one, and headers of a provider with each request', async () => {
  await using server = await modelServer()
  const reached = { baseUrl: server.url, apiKey: secretKey, headers: { 'x-team': 'home' } }
  const sent = async (kind: 'anthropic' | 'openai-chat' | 'openai-responses', model: string) => {
    const dialect = { anthropic, 'openai-chat': openAiCompatible, 'openai-responses': openAiResponses }[kind]
    server.plays.push(streams(dialect.says(['Yes'])))
    const made = servedModel({ provider: 'mine', kind, model, ...reached })
    expect(made.id).toBe(`mine/${model}`)
    await made.generate(request({ temperature: 0.3 }), recorder(), never)
    const last = server.requests.at(-1)
    expect(last?.headers).toMatchObject({ 'x-team': 'home', authorization: `Bearer ${secretKey}` })
    return last?.body.temperature
  }
  expect(await sent('anthropic', 'claude-sonnet-5-5')).toBeUndefined()
  expect(await sent('openai-chat', 'qwen3:14b')).toBe(0.3)
  expect(await sent('openai-chat', 'openai/gpt-5.2')).toBeUndefined()
  expect(await sent('openai-responses', 'gpt-4.1')).toBe(0.3)
  expect(await sent('openai-responses', 'o3')).toBeUndefined()
  // A server may refuse it all the same.
  server.plays.push(refuses(400, unsupported("Unsupported value: 'temperature' does not support 0.3.", 'temperature')))
  expect(await sent('openai-chat', 'odd')).toBeUndefined()
})
