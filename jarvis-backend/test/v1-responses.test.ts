import { createOpenAI } from '@ai-sdk/openai'
import { Agent, OpenAIResponsesModel, run, setTracingDisabled } from '@openai/agents'
import { generateText, type ModelMessage, stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'
import type { Page, SessionSummary } from 'protocol'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createToken, firstCard } from './support/mcp-client.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'
import { decide, openaiOf } from './support/v1.ts'
import { noting, obedient } from './support/v1-model.ts'
import { readResponseStream } from './support/v1-responses-stream.ts'

setTracingDisabled(true)

type Place = { baseURL: string; apiKey: string }
type Response = OpenAI.Responses.Response

const openai = (place: Place) => new OpenAI({ ...place, maxRetries: 0 })
const aiModel = (place: Place) => createOpenAI(place).responses('jarvis')
const agentOf = (place: Place) =>
  new Agent({ name: 'caller', model: new OpenAIResponsesModel(openai(place) as never, 'jarvis') })

/** Asks, and says what its client shows a person as the answer. */
const clients: Record<string, (place: Place, input: string) => Promise<string>> = {
  'openai, in one piece': async (place, input) =>
    (await openai(place).responses.create({ model: 'jarvis', input })).output_text,
  'openai, by iteration': async (place, input) => {
    let said = ''
    for await (const event of await openai(place).responses.create({ model: 'jarvis', input, stream: true }))
      if (event.type === 'response.output_text.delta') said += event.delta
    return said
  },
  'openai, .stream()': async (place, input) =>
    (await openai(place).responses.stream({ model: 'jarvis', input }).finalResponse()).output_text,
  'ai, generateText': async (place, prompt) =>
    (await generateText({ model: aiModel(place), prompt, maxRetries: 0 })).text,
  'ai, streamText': async (place, prompt) => {
    let said = ''
    for await (const part of streamText({ model: aiModel(place), prompt, maxRetries: 0 }).fullStream) {
      if (part.type === 'text-delta') said += part.text
      if (part.type === 'error') throw part.error
    }
    return said
  },
  '@openai/agents': async (place, input) => (await run(agentOf(place), input)).finalOutput ?? '',
  '@openai/agents, streamed': async (place, input) => {
    const result = await run(agentOf(place), input, { stream: true })
    await result.completed
    return result.finalOutput ?? ''
  },
}

test('every client of responses hears the end of a green, an approved, a denied and a black call, and decides nothing', async () => {
  const { tool: noteDown, lines } = noting()
  const jarvis = await startJarvis({ model: obedient(), tools: [noteDown] })
  for (const [name, ask] of Object.entries(clients)) {
    const apiKey = createToken(jarvis, { name: name.replace(/\W+/g, '-').replace(/^-/, '') })
    const place = { baseURL: `${jarvis.url}/v1`, apiKey }
    const says = async (text: string, words: string, meanwhile: Promise<void>[] = []) => {
      const [answer] = await Promise.all([ask(place, text), ...meanwhile])
      expect([name, text, answer]).toEqual([name, text, expect.stringContaining(words)])
    }
    await says('call get_cluster_status {}', 'It came to this')
    await says('call execute_ssh {"node":"pve","command":"df -h; reboot"}', 'Refused')
    const before = lines.length
    await says('call note_down {"line":"late"}', 'Written.', [decide(jarvis, true)])
    await says('call note_down {"line":"denied"}', 'The operator denied this', [decide(jarvis, false)])
    expect([name, lines.slice(before)]).toEqual([name, ['late']])
  }
})

const start = async () => {
  const { tool: noteDown, lines } = noting()
  const model = obedient()
  const jarvis = await startJarvis({ model, tools: [noteDown] })
  return { jarvis, lines, model, client: openaiOf(jarvis) }
}
const typesOf = ({ output }: Response) => output.map(({ type }) => type as string)
const ask = (input: string, more: Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming> = {}) => ({
  model: 'jarvis',
  input,
  ...more,
})
const sessionsOf = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/sessions?source=v1')).json()) as Page<SessionSummary>).items

test('what ran here is an mcp_call, a card is an item of its own, and the response can be fetched again', async () => {
  const { jarvis, client, lines } = await start()
  const asked = { model: 'jarvis', input: 'call note_down {"line":"one"} call get_cluster_status {}' }
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  const stream = client.responses.stream(asked).on('event', (event) => events.push(event))
  const [final] = await Promise.all([stream.finalResponse(), decide(jarvis, true)])
  expect(final).toMatchObject({ object: 'response', status: 'completed', model: 'jarvis', error: null })
  expect(typesOf(final).toSorted()).toEqual(['jarvis:confirmation', 'mcp_call', 'mcp_call', 'message'])
  expect(final.output).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'jarvis:confirmation', status: 'completed', decision: 'approved' }),
      expect.objectContaining({ type: 'mcp_call', server_label: 'jarvis', name: 'note_down', output: 'Written.' }),
    ]),
  )
  expect(final.usage).toEqual({
    input_tokens: 30,
    input_tokens_details: { cached_tokens: 6 },
    total_tokens: 40,
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
  })
  expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_, at) => at))
  expect(lines).toEqual(['one'])

  const again = await client.responses.retrieve(final.id)
  // The helper adds what it parsed.
  expect(final.output).toMatchObject(again.output)
  expect([again.status, again.usage, again.output_text]).toEqual(['completed', final.usage, final.output_text])
  const stranger = openaiOf(jarvis, { name: 'stranger' })
  await expect(stranger.responses.retrieve(final.id)).rejects.toMatchObject({ status: 404 })
  await expect(client.responses.retrieve('resp_nothing')).rejects.toMatchObject({ status: 404 })

  // Nor under an id that joins a session of its own to the run of another token.
  const { id: own } = await stranger.responses.create({ model: 'jarvis', input: 'Hello' })
  const joined = (id: string) => id.replace(/_[^_]+_/, `_${own.split('_')[1]}_`)
  const notFound = { status: 404 }
  await expect(stranger.responses.retrieve(joined(final.id))).rejects.toMatchObject(notFound)
  await expect(stranger.responses.retrieve(joined(final.id), { stream: true })).rejects.toMatchObject(notFound)
  await expect(stranger.responses.cancel(joined(final.id))).rejects.toMatchObject(notFound)
  const item = final.output.find(({ type }) => type === 'mcp_call')?.id ?? ''
  const input = [
    { type: 'item_reference' as const, id: joined(item) },
    { role: 'user' as const, content: 'Go on.' },
  ]
  await expect(stranger.responses.create({ model: 'jarvis', input })).rejects.toMatchObject(notFound)
  const previous = { previous_response_id: joined(final.id), input: 'Go on.' }
  await expect(stranger.responses.create({ model: 'jarvis', ...previous })).rejects.toMatchObject(notFound)
})

test('in the background a response is fetched later, or cancelled with its card', async () => {
  const { jarvis, client, lines } = await start()
  const first = await client.responses.create(ask('call note_down {"line":"later"}', { background: true }))
  expect(first).toMatchObject({ status: 'in_progress', background: true, usage: null })
  const { toolUseId } = await firstCard(jarvis)
  const waiting = await client.responses.retrieve(first.id)
  expect(waiting).toMatchObject({ status: 'in_progress', output: [{ type: 'jarvis:confirmation', decision: null }] })
  // Streamed, while it goes on and when it is over, all of it is told.
  const streamed = async () => {
    const events: OpenAI.Responses.ResponseStreamEvent[] = []
    for await (const event of await client.responses.retrieve(first.id, { stream: true })) events.push(event)
    return events
  }
  const heard = streamed()
  await jarvis.rest(`/api/confirmations/${toolUseId}`, { method: 'POST', json: { confirmed: true } })
  await expect.poll(async () => (await client.responses.retrieve(first.id)).status).toBe('completed')
  expect(lines).toEqual(['later'])
  for (const events of [await heard, await streamed()]) {
    expect(events[0]).toMatchObject({ type: 'response.created', response: { id: first.id } })
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id: first.id, status: 'completed' } })
    expect(events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')).toContain(
      'Written.',
    )
  }
  await expect(client.responses.retrieve(first.id, { stream: true, starting_after: 3 })).rejects.toMatchObject({
    status: 400,
    param: 'starting_after',
  })

  const second = await client.responses.create(ask('call note_down {"line":"never"}', { background: true }))
  const card = await firstCard(jarvis)
  expect(await client.responses.cancel(second.id)).toMatchObject({ id: second.id, status: 'cancelled' })
  const { items } = (await (await jarvis.rest('/api/confirmations')).json()) as Page<{ toolUseId: string }>
  expect(items.find((one) => one.toolUseId === card.toolUseId)).toMatchObject({ decision: 'cancelled' })
  expect((await client.responses.cancel(first.id)).status).toBe('completed')
  expect(lines).toEqual(['later'])
})

test('the same body again joins the response that was begun', async () => {
  const { jarvis, client, lines, model } = await start()
  const asked = ask('call note_down {"line":"once"}')
  const both = Promise.all([client.responses.create(asked), client.responses.create(asked)])
  await decide(jarvis, true)
  const [one, other] = await both
  expect(other.id).toBe(one.id)
  expect(other.output).toEqual(one.output)
  expect([lines, model.requests.length]).toEqual([['once'], 2])
})

test('a response goes on from an earlier one in its session; a second child is a branch of it', async () => {
  const { jarvis, client, model } = await start()
  const first = await client.responses.create(ask('My node is pve.'))
  const second = await client.responses.create(ask('Which one?', { previous_response_id: first.id }))
  expect(second.previous_response_id).toBe(first.id)
  const heard = () => JSON.stringify(model.requests.at(-1)?.messages)
  expect(heard()).toContain('My node is pve.')
  expect(await sessionsOf(jarvis)).toHaveLength(1)

  const child = await client.responses.create(ask('And now?', { previous_response_id: first.id }))
  expect(heard()).toContain('My node is pve.')
  expect(heard()).not.toContain('Which one?')
  expect(await sessionsOf(jarvis)).toHaveLength(2)
  await client.responses.create(ask('Go on.', { previous_response_id: child.id }))
  expect(heard()).toContain('And now?')
  expect(await sessionsOf(jarvis)).toHaveLength(2)
})

test('what a coding program sends besides is passed over by name, and a response in one piece has no items but those that it knows', async () => {
  const { jarvis, model } = await start()
  const token = createToken(jarvis, { name: 'coder' })
  const item = (type: string, more: object) => ({ type, id: `x_${type}`, ...more })
  const response = await fetch(`${jarvis.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'jarvis',
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'k',
      parallel_tool_calls: false,
      reasoning: { effort: 'max', summary: 'auto' },
      text: { verbosity: 'low' },
      tools: [
        { type: 'function', name: 'shell', parameters: { type: 'object', properties: {} } },
        { type: 'custom', name: 'apply_patch', format: { type: 'grammar' } },
        { type: 'local_shell' },
        { type: 'web_search', external_web_access: false },
      ],
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Look.' }] },
        item('reasoning', { summary: [], encrypted_content: 'x' }),
        item('custom_tool_call', { call_id: 'c1', name: 'apply_patch', input: '*** Begin Patch' }),
        item('custom_tool_call_output', { call_id: 'c1', output: 'Done.' }),
        item('local_shell_call', { call_id: 'c2', action: { type: 'exec', command: ['ls'] } }),
        item('local_shell_call_output', { call_id: 'c2', output: { content: 'a', success: true } }),
        item('web_search_call', { status: 'completed' }),
        { role: 'user', content: [{ type: 'input_text', text: 'call get_cluster_status {}' }] },
      ],
    }),
  })
  const answer = (await response.json()) as { output: { type: string }[] }
  expect([response.status, answer.output.map(({ type }) => type)]).toEqual([200, ['message']])
  expect(response.headers.get('jarvis-ignored')).toBe(
    'parallel_tool_calls, store, include, tools.custom, tools.local_shell, tools.web_search',
  )
  const { messages, tools } = model.requests[0] ?? {}
  expect(JSON.stringify(messages)).toContain('*** Begin Patch')
  expect(JSON.stringify(messages)).toContain('success')
  expect(tools?.map(({ name }) => name)).toContain('shell')
})

test('a program runs its own functions, and sends their results to the response before', async () => {
  const { client, model } = await start()
  const light = {
    type: 'function' as const,
    name: 'light',
    description: 'A lamp.',
    strict: false,
    parameters: { type: 'object', properties: {} },
  }
  const first = await client.responses.create(
    ask('call light {"on":true} call get_cluster_status {}', { tools: [light], include: ['jarvis.mcp_call' as never] }),
  )
  const call = first.output.find((item) => item.type === 'function_call')
  expect(call).toMatchObject({ name: 'light', arguments: '{"on":true}' })
  expect(typesOf(first)).toContain('mcp_call')
  const second = await client.responses.create({
    model: 'jarvis',
    tools: [light],
    previous_response_id: first.id,
    input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output: 'The lamp is on.' }],
  })
  expect(second.output_text).not.toBe('')
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('The lamp is on.')
})

test('the SDK that refers to earlier items, and loops over its own tools, is understood', async () => {
  const { jarvis, model } = await start()
  const place = { baseURL: `${jarvis.url}/v1`, apiKey: createToken(jarvis, { name: 'ai' }) }
  const messages: ModelMessage[] = [{ role: 'user', content: 'call get_cluster_status {}' }]
  const first = await generateText({ model: aiModel(place), messages, maxRetries: 0 })
  expect(first.finishReason).toBe('stop')
  messages.push(...first.response.messages, { role: 'user', content: 'Thanks.' })
  const second = await generateText({ model: aiModel(place), messages, maxRetries: 0 })
  expect(second.text).toBe('You said: Thanks.')
  expect(JSON.stringify(second.request.body)).toContain('item_reference')
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(first.text.slice(0, 40))

  let switched = 0
  const { text } = await generateText({
    model: aiModel(place),
    prompt: 'call light {"on":true}',
    stopWhen: stepCountIs(3),
    maxRetries: 0,
    tools: {
      light: tool({
        description: 'A lamp.',
        inputSchema: z.object({ on: z.boolean() }),
        execute() {
          switched += 1
          return 'The lamp is on.'
        },
      }),
    },
  })
  expect([text, switched]).toEqual([expect.stringContaining('The lamp is on.'), 1])
})

test('a request that cannot be served is refused with the field that is wrong, in OpenAI’s form', async () => {
  const { jarvis, client } = await start()
  const token = createToken(jarvis, { name: 'by-hand' })
  const post = async (body: unknown, path = '') => {
    const response = await fetch(`${jarvis.url}/v1/responses${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as { error: { param: string; message: string } } }
  }
  const user = { role: 'user', content: 'Hi' }
  const approval = { type: 'mcp_approval_response', approval_request_id: 'jc_x', approve: true }
  const image = { role: 'user', content: [{ type: 'input_image', image_url: 'http://10.0.0.1/x.png' }] }
  const elsewhere = await client.responses.create(ask('Hi'))
  for (const [body, status, param, words] of [
    [{ model: 'jarvis' }, 400, 'input', 'input'],
    [{ model: 'gpt-4o', input: 'Hi' }, 404, 'model', 'There is no model'],
    [{ model: 'jarvis', input: [user, approval] }, 400, 'input[1]', 'dashboard'],
    [{ model: 'jarvis', input: [image] }, 400, 'input[0].content[0]', 'by its address'],
    ...['data:image/png;base64,!', 'data:image/svg+xml;base64,PHN2Zy8+', 'file:///etc/passwd'].map(
      (image_url) =>
        [
          { model: 'jarvis', input: [{ role: 'user', content: [{ type: 'input_image', image_url }] }] },
          ...([400, 'input[0].content[0]', ''] as const),
        ] as const,
    ),
    [{ model: 'jarvis', input: [user, { type: 'made_up_call' }] }, 400, 'input[1]', 'made_up_call'],
    [{ model: 'jarvis', input: 'Hi', functions: [{ name: 'f' }] }, 400, 'functions', 'tools'],
    [{ model: 'jarvis', input: [{ type: 'item_reference', id: 'msg_x' }, user] }, 404, 'input[0]', 'no item'],
    [
      { model: 'jarvis', input: [{ type: 'item_reference', id: elsewhere.output[0]?.id }, user] },
      ...([404, 'input[0]', 'no item'] as const),
    ],
    [{ model: 'jarvis', input: 'Hi', previous_response_id: elsewhere.id }, 404, 'previous_response_id', 'no response'],
    [{ model: 'jarvis', input: 'Hi', tools: [{ type: 'mcp' }] }, 400, 'tools[0].type', 'mcp'],
    [{ model: 'jarvis', input: 'Hi', metadata: { a: 1 } }, 400, 'metadata.a', 'string'],
    [{ model: 'jarvis', input: 'Hi', text: { format: { type: 'json_object' } } }, 400, 'text.format', 'cannot be held'],
    [
      { model: 'jarvis', input: 'Hi', text: { format: { type: 'json_schema' } } },
      400,
      'text.format.name',
      'text.format',
    ],
    [{ model: 'jarvis', input: 'Hi', tool_choice: 'required' }, 400, 'tool_choice', 'no tools'],
    [{ model: 'jarvis', input: 'Hi', conversation: 'conv_1' }, 400, 'conversation', 'previous_response_id'],
    [{ model: 'jarvis/plain', input: 'Hi', background: true }, 400, 'background', 'keeps nothing'],
    [
      { model: 'jarvis/plain', input: 'Hi', previous_response_id: 'resp_x' },
      400,
      'previous_response_id',
      'keeps nothing',
    ],
  ] as const) {
    const answer = await post(body)
    expect([JSON.stringify(body), answer.status, answer.body.error.param, answer.body.error.message]).toEqual([
      JSON.stringify(body),
      status,
      param,
      expect.stringContaining(words),
    ])
  }
  expect((await post({}, `/${elsewhere.id}/cancel`)).status).toBe(404)
  expect(await post({ model: 'jarvis', input: [] }, '/compact')).toMatchObject({
    status: 400,
    body: { error: { code: 'not_supported', message: expect.stringContaining('folds') } },
  })
  await expect(client.responses.delete(elsewhere.id)).rejects.toMatchObject({ status: 405, code: 'not_supported' })
  expect((await post({}, '/x/y/z')).status).toBe(404)
})

test('every stream of responses is read by the strictest reader, and no stream with a mistake is', async () => {
  const { jarvis } = await start()
  const token = createToken(jarvis, { name: 'by-hand' })
  const light = { type: 'function', name: 'light', parameters: { type: 'object', properties: {} } }
  const read = async (body: object, besides: () => Promise<void> = async () => {}) => {
    const response = await fetch(`${jarvis.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'jarvis', stream: true, ...body }),
    })
    const [bytes] = await Promise.all([response.text(), besides()])
    return bytes
  }
  const green = await read({ input: 'think of Hello' })
  const reasoning = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Let me see.' }] }
  const message = { type: 'message', content: [{ text: 'You said: think of Hello' }] }
  const answer = readResponseStream(green)
  expect(answer.output).toMatchObject([reasoning, message])
  // A later read has the same items.
  const own = await fetch(`${jarvis.url}/v1/responses/${answer.id}`, { headers: { authorization: `Bearer ${token}` } })
  expect((await own.json()) as Response).toMatchObject({ output: answer.output })
  const plain = readResponseStream(await read({ input: 'Hello', model: 'jarvis/plain' }))
  expect(plain).toMatchObject({
    model: 'jarvis/plain',
    store: false,
    output: [{ content: [{ text: 'You said: Hello' }] }],
  })
  const called = await read({ input: 'think call light {"on":true} call get_cluster_status {}', tools: [light] })
  expect(readResponseStream(called).output.map(({ type }) => type)).toEqual(['reasoning', 'mcp_call', 'function_call'])
  const red = await read({ input: 'call note_down {"line":"one"}' }, () => decide(jarvis, true))
  const refused = await read({ input: 'call note_down {"line":"two"}' }, () => decide(jarvis, false))
  for (const [bytes, status] of [
    [red, 'completed'],
    [refused, 'failed'],
  ] as const)
    expect(readResponseStream(bytes).output).toMatchObject([
      { type: 'jarvis:confirmation' },
      { type: 'mcp_call', status },
      { type: 'message' },
    ])

  /** Events by their place, from the end where it is negative; the last is `[DONE]`. */
  const blocks = (bytes: string) => bytes.slice(0, -2).split('\n\n')
  const joined = (of: string[]) => of.map((block) => `${block}\n\n`).join('')
  const numbered = (of: string[]) => {
    let at = 0
    return joined(of.map((block) => block.replace(/"sequence_number":\d+/, () => `"sequence_number":${at++}`)))
  }
  const placeOf = (bytes: string, name: string) =>
    blocks(bytes).findIndex((block) => block.startsWith(`event: response.${name}\n`))
  const without = (bytes: string, name: string) => numbered(blocks(bytes).toSpliced(placeOf(bytes, name), 1))
  const twice = (bytes: string, name: string) => {
    const at = placeOf(bytes, name)
    return numbered(blocks(bytes).toSpliced(at, 0, blocks(bytes)[at] ?? ''))
  }
  const change = (bytes: string, name: string, from: string | RegExp, to: string) => {
    const at = placeOf(bytes, name)
    const changed = blocks(bytes)[at]?.replace(from, to) ?? ''
    expect([name, String(from), changed]).not.toEqual([name, String(from), blocks(bytes)[at]])
    return joined(blocks(bytes).with(at, changed))
  }
  const named = ['created', 'in_progress', 'output_item.added', 'content_part.added', 'output_text.done']
  const more = ['content_part.done', 'output_item.done', 'completed', 'reasoning_summary_part.added']
  const ofCalls = ['mcp_call.in_progress', 'mcp_call_arguments.done', 'mcp_call.completed']
  const mutants: [mistake: string, bytes: string][] = [
    ...[...named, ...more, 'reasoning_summary_text.done', 'reasoning_summary_part.done'].flatMap(
      (name): [string, string][] => [
        [`no ${name}`, without(green, name)],
        [`two ${name}`, twice(green, name)],
      ],
    ),
    ...[...ofCalls, 'function_call_arguments.delta', 'function_call_arguments.done'].map((name): [string, string] => [
      `no ${name}`,
      without(called, name),
    ]),
    ['no piece of the text', without(green, 'output_text.delta')],
    ['a piece twice', twice(green, 'output_text.delta')],
    ['a piece of a thought twice', twice(green, 'reasoning_summary_text.delta')],
    ['a number left out', change(green, 'output_text.delta', /"sequence_number":(\d+)/, '"sequence_number":1$1')],
    ['data without a name', change(green, 'output_text.delta', /^event: .*\n/, '')],
    ['another name', change(green, 'output_text.delta', /^event: \S+/, 'event: response.output_text')],
    ['an event of our own', change(green, 'output_text.delta', /response\.output_text\.delta/g, 'jarvis.said')],
    ['an unknown field', change(green, 'output_text.delta', '"delta"', '"jarvis":1,"delta"')],
    ['an empty piece', change(green, 'output_text.delta', /"delta":"[^"]*"/, '"delta":""')],
    ['another item’s piece', change(green, 'output_text.delta', /"item_id":"/, '"item_id":"x')],
    ['another text at its end', change(green, 'output_text.done', /"text":"/, '"text":"x')],
    ['another text in the part', change(green, 'content_part.done', /"text":"/, '"text":"x')],
    ['another text in the item', change(green, 'completed', /"text":"You/, '"text":"x')],
    ['another id at the end', change(green, 'completed', '"id":"resp_', '"id":"resp_x')],
    ['another model at the end', change(green, 'completed', '"model":"jarvis"', '"model":"gpt-4o"')],
    ['the time in ms', green.replaceAll(/"created_at":(\d+)/g, '"created_at":$1000')],
    ['no time of its end', change(green, 'completed', /"completed_at":\d+/, '"completed_at":null')],
    ['an end that goes on', change(green, 'completed', '"status":"completed"', '"status":"in_progress"')],
    ['no usage', change(green, 'completed', /"usage":\{.*\}(?=,"metadata)/, '"usage":null')],
    ['a total that is none', change(green, 'completed', /"total_tokens":/, '"total_tokens":1')],
    ['usage before the end', change(green, 'created', '"usage":null', '"usage":{}')],
    ['our own call as a function_call', change(called, 'output_item.added', '"reasoning"', '"function_call"')],
    ['arguments as an object', called.replaceAll('"{\\"on\\":true}"', '{"on":true}')],
    ['an approval for the client', red.replaceAll('jarvis:confirmation', 'mcp_approval_request')],
    ['an id line', green.replace('event: ', 'id: 1\nevent: ')],
    ['a comment with one line end', green.replace('\n\nevent', '\n\n: waiting\nevent')],
    ['no [DONE]', joined(blocks(green).slice(0, -1))],
    ['two [DONE]', `${green}data: [DONE]\n\n`],
    ['something after [DONE]', `${green}: bye\n\n`],
    ['cut within an event', green.slice(0, -30)],
  ]
  const accepted = mutants.filter(([, bytes]) => {
    try {
      readResponseStream(bytes)
      return true
    } catch {
      return false
    }
  })
  expect(accepted.map(([mistake]) => mistake)).toEqual([])
})
