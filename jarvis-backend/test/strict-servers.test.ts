import type { Content } from 'protocol'
import { expect, test } from 'vitest'
import type { Message } from '../src/agent/model.ts'
import { learnedInMemory } from '../src/providers/learned.ts'
import { openAiCompatibleModel } from '../src/providers/openai-compatible/model.ts'
import { modelServer, refuses, streams } from './contracts/model-server.ts'
import { chatServers, refusedBy } from './contracts/strict-servers.ts'

const never = new AbortController().signal
const sink = { text() {}, thinking() {} }
const events = [
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Yes' }, finish_reason: 'stop' }] })}\n\n`,
  'data: [DONE]\n\n',
]
const call = (id: string, more: object = {}): Content => ({
  type: 'tool_call',
  toolUseId: id,
  toolName: 'get_vms',
  toolInput: {},
  ...more,
})
const results = (id: string, text = ''): Message => ({
  role: 'user',
  text,
  results: [{ toolUseId: id, toolName: 'get_vms', text: 'Two.', isError: false }],
})
const sealed = (seal: string) => ({ extra: { google: { thought_signature: seal } } })
/** A history of other models: a call, a person's word after its result, and one call signed by none that still knows it. */
const messages: Message[] = [
  { role: 'user', results: [], text: 'Which guests are stopped?' },
  { role: 'assistant', model: 'other/m', content: [call('tu_1', sealed('another’s'))] },
  results('tu_1', 'Then tell me why.'),
  { role: 'assistant', model: 'openai/m', content: [call('tu_2', sealed('expired'))] },
  results('tu_2'),
]
const request = { system: 'S', messages, tools: [], mayCallTools: true }

test.each(chatServers)(
  'a history is brought into the form that a strict server takes, which is remembered: %s',
  async (name) => {
    await using server = await modelServer()
    for (let i = 0; i < 9; i += 1)
      server.plays.push((response, asked) => {
        const refused = refusedBy(name, asked.body)
        const play = refused === undefined ? streams(events) : refuses(refused.status, JSON.stringify(refused.json))
        play(response, asked)
      })
    const learned = learnedInMemory()
    const model = openAiCompatibleModel({ baseUrl: server.url, model: 'm', learned })
    expect((await model.generate(request, sink, never)).content).toMatchObject([{ text: 'Yes' }])
    const asked = server.requests.length
    expect(asked).toBeLessThanOrEqual(6)
    await model.generate(request, sink, never)
    expect(server.requests).toHaveLength(asked + 1)
    const restarted = openAiCompatibleModel({ baseUrl: server.url, model: 'm', learned })
    await restarted.generate(request, sink, never)
    expect(server.requests).toHaveLength(asked + 2)
    expect(server.requests.at(-1)?.body).toEqual(server.requests.at(-2)?.body)
  },
)

test('a server that refuses every form is quoted, and the form that was first stays', async () => {
  await using server = await modelServer()
  const model = openAiCompatibleModel({ baseUrl: server.url, model: 'm' })
  const no = refuses(400, JSON.stringify({ error: { message: 'Invalid content: it must be a string.' } }))
  server.plays.push(no, no, no, streams(events))
  await expect(model.generate(request, sink, never)).rejects.toMatchObject({ code: 'model_bad_request' })
  await model.generate(request, sink, never)
  expect(server.requests.map(({ body }) => body.messages[2].content)).toEqual(['', null, '(calls tools)', ''])
})
