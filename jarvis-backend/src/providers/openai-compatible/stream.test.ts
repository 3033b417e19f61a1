import { noUsage } from 'protocol'
import { expect, test } from 'vitest'
import { ModelError } from '../../agent/model.ts'
import { patienceMs } from '../openai-api/service.ts'
import { explained } from './model.ts'
import { chatReader } from './stream.ts'

const provider = { name: 'P', host: 'p', keyName: 'K', urlName: 'U', secrets: [] }

function read(chunks: object[], mayCall = true) {
  const said: string[] = []
  const sink = { text: (t: string) => void said.push(t), thinking: (t: string) => void said.push(`(${t})`) }
  const reader = chatReader(provider, sink, mayCall)
  for (const chunk of chunks) reader.take(JSON.stringify(chunk))
  return { said, reader }
}
const delta = (part: object) => ({ choices: [{ index: 0, delta: part }] })
const stop = (finish_reason: string) => ({ choices: [{ delta: {}, finish_reason }] })
const call = (part: object, name?: string, json?: string | object) =>
  delta({
    tool_calls: [{ ...part, function: { ...(name && { name }), ...(json !== undefined && { arguments: json }) } }],
  })
const inputs = (chunks: object[]) =>
  read([...chunks, stop('tool_calls')])
    .reader.turn()
    .content.map((piece) => piece.type === 'tool_call' && [piece.toolName, piece.toolInput])

test.each<[string, object[]]>([
  [
    'their index',
    [
      call({ index: 0, id: 'x' }, 'a', '{"n"'),
      call({ index: 1, id: 'x' }, 'b', '{}'),
      call({ index: 0 }, undefined, ':1}'),
    ],
  ],
  [
    'ids, with one index for all',
    [call({ index: 0, id: 'x' }, 'a', '{"n":1}'), call({ index: 0, id: 'y' }, 'b', '{}')],
  ],
  [
    'names, with one index and id for all',
    [call({ index: 0, id: 'x' }, 'a', '{"n":1}'), call({ index: 0, id: 'x' }, 'b', '{}')],
  ],
  ['names, with one index and no id', [call({ index: 0 }, 'a', '{"n":1}'), call({ index: 0 }, 'b', '{}')]],
  ['ids, with no index', [call({ id: 'x' }, 'a', '{"n"'), call({}, undefined, ':1}'), call({ id: 'y' }, 'b', '{}')]],
  [
    'index, with a new id in each delta',
    [
      call({ index: 0, id: 'x' }, 'a', '{"n"'),
      call({ index: 0, id: 'z' }, undefined, ':1}'),
      call({ index: 1, id: 'y' }, 'b', '{}'),
    ],
  ],
  [
    'index, with name and id repeated',
    [
      call({ index: 0, id: 'x' }, 'a', '{"n"'),
      call({ index: 0, id: 'x' }, 'a', ':1}'),
      call({ index: 1, id: 'y' }, 'b', ''),
    ],
  ],
  ['names, with objects for arguments', [call({ index: 0 }, 'a', { n: 1 }), call({ index: 0 }, 'b', {})]],
  ['index, with arguments encoded twice', [call({ index: 0 }, 'a', '"{\\"n\\":1}"'), call({ index: 1 }, 'b', 'null')]],
])('calls are told apart by %s', (_, chunks) => {
  expect(inputs(chunks)).toEqual([
    ['a', { n: 1 }],
    ['b', {}],
  ])
})

test('reasoning is shown and kept unsigned, under both of its names', () => {
  const { said, reader } = read([
    delta({ reasoning_content: 'Let me ' }),
    delta({ reasoning: 'see' }),
    delta({ content: 'Yes.' }),
    stop('stop'),
  ])
  expect(said).toEqual(['(Let me )', '(see)', 'Yes.'])
  expect(reader.turn().content).toEqual([
    { type: 'thinking', text: 'Let me see', isWantedBack: true },
    { type: 'text', text: 'Yes.' },
  ])
})

test('what comes with a call is kept with it', () => {
  const extra_content = { google: { thought_signature: 'c2ln' } }
  const { reader } = read([
    delta({ reasoning_content: 'Hm' }),
    delta({ tool_calls: [{ index: 0, extra_content, function: { name: 'a', arguments: '{}' } }] }),
    stop('stop'),
  ])
  expect(reader.turn().content).toMatchObject([
    { type: 'thinking', text: 'Hm', isWantedBack: true },
    { toolName: 'a', extra: extra_content },
  ])
})

test.each<[string, object[]]>([
  [
    'parts',
    [
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
      delta({ content: [{ type: 'text', text: 'Yes.' }] }),
    ],
  ],
  ['one message', [{ choices: [{ message: { reasoning: 'Hm', content: 'Yes.' } }] }]],
])('what comes as %s is read', (_, chunks) => {
  const { said, reader } = read([...chunks, stop('stop')])
  expect(said.toSorted()).toEqual(['(Hm)', 'Yes.'])
  expect(reader.turn().content).toEqual([
    { type: 'thinking', text: 'Hm' },
    { type: 'text', text: 'Yes.' },
  ])
})

test.each(['reasoning_content', 'reasoning', 'reasoning_text', 'thinking'])('%s is reasoning', (name) => {
  const { said, reader } = read([delta({ [name]: 'Hm' }), delta({ content: 'Yes.' }), stop('stop')])
  expect(said).toEqual(['(Hm)', 'Yes.'])
  expect(reader.turn().content).toMatchObject([{ type: 'thinking', text: 'Hm' }, { text: 'Yes.' }])
})

test.each<[string, object[]]>([
  [
    'a whole message',
    [{ choices: [{ message: { reasoning: 'Hm.', content: 'VM 105 is stopped. Nothing else was changed.' } }] }],
  ],
  [
    'a whole message beside an empty delta',
    [
      {
        choices: [
          { delta: {}, message: { content: 'VM 105 is stopped. Nothing else was changed.' }, finish_reason: 'stop' },
        ],
      },
    ],
  ],
  ['its beginning', [{ choices: [{ message: { content: 'VM 105 is stopped.' } }] }]],
  ['other words of the same', [{ choices: [{ message: { content: 'VM 105 is stopped .' } }] }]],
  ['a last delta with all of it', [delta({ content: 'VM 105 is stopped. Nothing else was changed.' })]],
])('an answer that streamed is not said twice by %s', (_, chunks) => {
  const { reader } = read([
    delta({ reasoning: 'Hm.' }),
    delta({ content: 'VM 105 is stopped. ' }),
    delta({ content: 'Nothing else was changed.' }),
    ...chunks,
    stop('stop'),
  ])
  expect(reader.turn().content).toEqual([
    { type: 'thinking', text: 'Hm.' },
    { type: 'text', text: 'VM 105 is stopped. Nothing else was changed.' },
  ])
})

test('a whole message ends what had streamed in part', () => {
  const { said } = read([delta({ content: 'VM 105' }), { choices: [{ message: { content: 'VM 105 is stopped.' } }] }])
  expect(said).toEqual(['VM 105', ' is stopped.'])
})

test('a call without arguments is whole where the server says so alone', () => {
  const asked = (...chunks: object[]) => {
    const { reader } = read([call({ index: 0, id: 'x' }, 'a', ''), ...chunks])
    reader.take('[DONE]')
    return reader.turn().content.map((piece) => piece.type === 'tool_call' && (piece.malformed ?? piece.toolInput))
  }
  expect(asked(stop('tool_calls'))).toEqual([{}])
  expect(asked(stop('function_call'))).toEqual([{}])
  const cut = [expect.stringContaining('did not come')]
  expect([asked(), asked(stop('stop'))]).toEqual([cut, cut])
  expect(asked(call({ index: 0 }, undefined, '{}'))).toEqual([{}])
  const message = { tool_calls: [{ id: 'y', function: { name: 'b' } }] }
  expect(asked({ choices: [{ message, finish_reason: 'stop' }] })).toHaveLength(2)
})

test('a call that is cut by the limit is named, and is no part of the reply', () => {
  const { reader } = read([delta({ content: 'Now.' }), call({ index: 0, id: 'x' }, 'a', '{"n":'), stop('length')])
  expect(reader.turn()).toMatchObject({ content: [{ text: 'Now.' }], stopReason: 'max_tokens', cutCall: 'a' })
})

test.each([
  [
    'an object that is one',
    { object: 'error', message: 'No such model', type: 'NotFoundError', code: 404 },
    'model_unfit',
  ],
  ['a finish reason', stop('error'), 'model_stream_broken'],
])('a failure told as %s is one', (_, chunk, code) => {
  expect(() => read([delta({ content: 'Hi' }), chunk])).toThrow(expect.objectContaining({ code }))
})

test("a refusal's words are text", () => {
  const { said, reader } = read([delta({ content: null, refusal: 'I cannot.' }), stop('stop')])
  expect(said).toEqual(['I cannot.'])
  expect(reader.turn()).toMatchObject({ content: [{ text: 'I cannot.' }], stopReason: 'end_turn' })
})

test.each([
  ['stop', 'tool_use'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['length', 'max_tokens'],
  ['content_filter', 'refusal'],
])('finish reason %s with a whole call means %s', (wire, ours) => {
  expect(read([call({ index: 0 }, 'a', '{}'), stop(wire)]).reader.turn().stopReason).toBe(ours)
})

test('a stream is whole with [DONE] or a finish reason, and broken with neither', () => {
  expect(read([delta({ content: 'Hi' }), stop('stop')]).reader.turn().stopReason).toBe('end_turn')
  const { reader } = read([delta({ content: 'Hi' })])
  expect(() => reader.turn()).toThrow(ModelError)
  expect(reader.take('[DONE]')).toBe(true)
  expect(reader.turn().stopReason).toBe('end_turn')
  const { reader: silent } = read([{ choices: [] }])
  expect(silent.take('[DONE]')).toBe(true)
  expect(() => silent.turn()).toThrow('ended early')
})

test('a server that counts nothing costs nothing', () => {
  const { reader } = read([{ choices: [], usage: null }, stop('stop')])
  expect(reader.turn().usage).toEqual({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 })
})

test.each(['9', 'many', -1, 1.5, 1e300, 2 ** 53, true, {}, [9], null])('a count of %j is passed over', (odd) => {
  const details = { prompt_tokens_details: { cached_tokens: odd } }
  const whole = { prompt_tokens: 10, completion_tokens: 2 }
  const usageOf = (...usages: unknown[]) =>
    read([...usages.map((usage) => ({ usage })), stop('stop')]).reader.turn().usage
  expect(usageOf({ prompt_tokens: odd, completion_tokens: odd, ...details })).toEqual(noUsage)
  expect(usageOf({ ...whole, ...details })).toEqual({ ...noUsage, inputTokens: 10, outputTokens: 2 })
  expect(usageOf({ ...whole, prompt_tokens_details: odd })).toEqual({ ...noUsage, inputTokens: 10, outputTokens: 2 })
})

test.each(['many', 9, [9], null])('a usage that is %j leaves the one before it', (odd) => {
  const { reader } = read([{ usage: { prompt_tokens: 10 } }, { usage: odd }, stop('stop')])
  expect(reader.turn().usage).toEqual({ ...noUsage, inputTokens: 10 })
})

test.each([7, null, {}, ['x'], true])('words and names that are %j are passed over', (odd) => {
  const { reader, said } = read([
    { choices: null },
    { choices: [{ delta: null, finish_reason: odd }] },
    delta({ content: odd, refusal: odd, reasoning_content: odd, reasoning: odd, tool_calls: null }),
    delta({ content: 'Yes.' }),
    delta({ tool_calls: [{ index: odd, id: odd, function: { name: odd, arguments: '{"n"' } }] }),
    delta({ tool_calls: [{ index: odd, id: odd, function: { name: odd, arguments: ':1}' } }, { function: null }] }),
    stop('tool_calls'),
  ])
  expect(said).toEqual(['Yes.'])
  expect(reader.turn().content).toEqual([
    { type: 'text', text: 'Yes.' },
    { type: 'tool_call', toolUseId: expect.any(String), toolName: '', toolInput: { n: 1 } },
  ])
})

test('tools that a model does not take over this API are explained', () => {
  const told = 'Function tools with reasoning_effort are not supported. Please use /v1/responses instead.'
  const error = new ModelError('model_bad_request', told, { isRetryable: false })
  expect(explained(error, 'gpt-5.4-mini')).toMatchObject({ message: expect.stringContaining('kind openai-responses') })
  const other = new ModelError('model_bad_request', 'Too long.', { isRetryable: false })
  expect(explained(other, 'gpt-5.4')).toBe(other)
})

test('a server of one’s own may think for ten minutes before its first word', () => {
  expect([patienceMs('api.openai.com'), patienceMs('127.0.0.1')]).toEqual([120_000, 600_000])
})

test.each<[number, string, string]>([
  [1002, 'rate limit', 'model_rate_limited'],
  [1004, 'login fail', 'model_auth'],
  [1008, 'insufficient balance', 'model_quota'],
  [1013, '', 'model_overloaded'],
  [2013, 'invalid params, context window exceeds limit', 'model_bad_request'],
])('MiniMax’s own number %d in a 200 is the refusal that it means', (status_code, status_msg, code) => {
  expect(() => read([{ choices: null, base_resp: { status_code, status_msg } }])).toThrow(
    expect.objectContaining({
      code,
      isTooLong: status_code === 2013,
      message: expect.stringContaining(status_msg || 'MiniMax’s error 1013'),
    }),
  )
})

test('MiniMax’s number for success is no refusal', () => {
  const { reader } = read([
    delta({ content: 'Yes.' }),
    { ...stop('stop'), base_resp: { status_code: 0, status_msg: '' } },
  ])
  expect(reader.turn().content).toEqual([{ type: 'text', text: 'Yes.' }])
})
