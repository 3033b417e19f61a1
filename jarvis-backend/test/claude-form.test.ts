import { expect, test } from 'vitest'
import { anthropicModel } from '../src/providers/index.ts'
import { learnedInMemory } from '../src/providers/learned.ts'
import { modelServer, refuses, streams } from './contracts/model-server.ts'

const event = (data: { type: string } & Record<string, unknown>) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const yes = streams([
  event({ type: 'message_start', message: { id: 'msg_1', usage: { input_tokens: 9, output_tokens: 1 } } }),
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Yes' } }),
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }),
  event({ type: 'message_stop' }),
])
const never = new AbortController().signal
const sink = { text() {}, thinking() {} }
const request = {
  system: 'S',
  messages: [{ role: 'user' as const, results: [], text: 'Hi' }],
  tools: [{ name: 'get_vms', description: 'x', inputSchema: { type: 'object' } }],
  mayCallTools: true,
}
const claude = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } })

test.each<[status: number, said: object, part: 'cache_control' | 'system']>([
  [400, claude('tools.0.cache_control: Extra inputs are not permitted'), 'cache_control'],
  [
    422,
    { detail: [{ loc: ['body', 'system', 0, 'cache_control'], msg: 'extra fields not permitted' }] },
    'cache_control',
  ],
  [400, claude('Unknown field: cache_control'), 'cache_control'],
  [422, { detail: [{ loc: ['body', 'system'], msg: 'Input should be a valid string' }] }, 'system'],
  [400, claude('system: expected string, received array'), 'system'],
  [400, claude('json: cannot unmarshal array into Go struct field MessagesRequest.system of type string'), 'system'],
  [500, { error: "'list' object has no attribute 'strip'" }, 'system'],
])(
  'a server with Claude’s API that refuses a part of its form is asked without it, also after a restart: %i %j',
  async (status, said, part) => {
    await using server = await modelServer()
    server.plays.push(refuses(status, JSON.stringify(said)), yes, yes)
    const learned = learnedInMemory()
    const model = () => anthropicModel({ name: 'lab', baseUrl: server.url, model: 'm', maxTokens: 100, learned })
    for (let i = 0; i < 2; i += 1) {
      const turn = await model().generate(request, sink, never)
      expect(turn.content).toEqual([{ type: 'text', text: 'Yes' }])
    }
    expect(server.requests).toHaveLength(3)
    const [first, ...others] = server.requests.map(({ body }) => body)
    expect(first).toMatchObject({ system: [{ text: 'S' }] })
    for (const body of others) {
      if (part === 'system') expect(body.system).toBe('S')
      else expect(JSON.stringify(body)).not.toContain('cache_control')
    }
  },
)
