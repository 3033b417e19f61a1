import { noUsage } from 'protocol'
import { expect, test } from 'vitest'
import { ModelError } from '../../agent/model.ts'
import { anthropicReader } from './stream.ts'

const provider = { name: 'P', host: 'p', keyName: 'K', urlName: 'U', secrets: [] }

function read(...events: object[]) {
  const said: string[] = []
  const sink = { text: (t: string) => said.push(`text ${t}`), thinking: (t: string) => said.push(`thinking ${t}`) }
  const reader = anthropicReader(
    provider,
    { text: (t) => void sink.text(t), thinking: (t) => void sink.thinking(t) },
    true,
  )
  for (const event of events) reader.take(JSON.stringify(event))
  return { reader, said }
}
const opens = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
const grows = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta })
const ends = (stop_reason: string | null, usage?: object) => [
  { type: 'message_delta', delta: { stop_reason }, usage },
  { type: 'message_stop' },
]

test('thinking streams, and is kept with its signature', () => {
  const { reader, said } = read(
    opens(0, { type: 'thinking', thinking: '', signature: '' }),
    grows(0, { type: 'thinking_delta', thinking: 'Let me ' }),
    grows(0, { type: 'thinking_delta', thinking: 'see' }),
    grows(0, { type: 'signature_delta', signature: 'sig' }),
    opens(1, { type: 'thinking', thinking: '', signature: '' }),
    grows(1, { type: 'signature_delta', signature: 'sig-2' }),
    opens(2, { type: 'redacted_thinking', data: 'opaque' }),
    opens(3, { type: 'text', text: '' }),
    grows(3, { type: 'text_delta', text: 'Yes.' }),
    ...ends('end_turn'),
  )
  expect(said).toEqual(['thinking Let me ', 'thinking see', 'text Yes.'])
  expect(reader.turn().content).toEqual([
    { type: 'thinking', text: 'Let me see', signature: 'sig' },
    { type: 'thinking', text: '', signature: 'sig-2' },
    { type: 'redacted_thinking', data: 'opaque' },
    { type: 'text', text: 'Yes.' },
  ])
})

const delta = (end: string) => `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${end}`
test.each([
  ['plain', delta('Good evening, sir. ☕"}}')],
  ['padded', delta('Hello"}      }')],
  ['escaped', delta(String.raw`a \"quote\", a line\n and \u00e9"}}`)],
  ['with more behind it', delta('a","citations":null}}')],
  ['with a text twice', delta('a","text":"b"}}')],
  ['in another order', '{"index":0,"delta":{"text":"x","type":"text_delta"},"type":"content_block_delta"}'],
])('a piece of text is what JSON says it is: %s', (_, data) => {
  const { reader, said } = read(opens(0, { type: 'text', text: '' }))
  reader.take(data)
  expect(said).toEqual([`text ${(JSON.parse(data) as { delta: { text: string } }).delta.text}`])
})

test.each([
  ['a line that is not escaped', delta('a\nb"}}')],
  ['an end that is missing', delta('a"}')],
  ['a number that is none', delta('a"}}').replace(':0,', ':00,')],
])('%s is no JSON', (_, data) => {
  const { reader } = read(opens(0, { type: 'text', text: '' }))
  expect(() => reader.take(data)).toThrow(TypeError)
})

test('events, blocks and deltas of unknown types are passed over', () => {
  const { reader, said } = read(
    { type: 'ping' },
    { type: 'novelty', index: 0 },
    opens(0, { type: 'server_tool_use', id: 's', name: 'web_search' }),
    grows(0, { type: 'input_json_delta', partial_json: '{"query"' }),
    opens(1, { type: 'text', text: 'Start' }),
    grows(1, { type: 'citations_delta', citation: {} }),
    grows(7, { type: 'text_delta', text: 'lost' }),
    ...ends('end_turn'),
  )
  expect(said).toEqual(['text Start'])
  expect(reader.turn().content).toEqual([{ type: 'text', text: 'Start' }])
})

test('arguments that come whole with the start of a call are taken', () => {
  const { reader } = read(opens(0, { type: 'tool_use', name: 'stop_vm', input: { vmid: 101 } }), ...ends('tool_use'))
  expect(reader.turn().content).toMatchObject([{ toolInput: { vmid: 101 } }])
})

test('arguments that come whole and are nested too deep are malformed', () => {
  const { reader } = read()
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  reader.take(`{"type":"content_block_start","content_block":{"type":"tool_use","name":"a","input":{"a":${nested}}}}`)
  for (const event of ends('tool_use')) reader.take(JSON.stringify(event))
  expect(reader.turn().content).toMatchObject([{ toolInput: {}, malformed: expect.stringContaining('levels deep') }])
})

test('arguments that come whole are not cut off by the token limit', () => {
  const call = opens(0, { type: 'tool_use', name: 'stop_vm', input: { vmid: 101 } })
  expect(read(call, ...ends('max_tokens')).reader.turn().content).toMatchObject([{ toolInput: { vmid: 101 } }])
  const cut = read(call, grows(0, { type: 'input_json_delta', partial_json: '{"vm' }), ...ends('max_tokens'))
  expect(cut.reader.turn().content).toEqual([])
})

test.each([
  ['end_turn', 'end_turn'],
  ['stop_sequence', 'end_turn'],
  ['max_tokens', 'max_tokens'],
  ['model_context_window_exceeded', 'max_tokens'],
  ['refusal', 'refusal'],
  ['pause_turn', 'pause_turn'],
  ['tool_use', 'end_turn'],
  ['something_new', 'end_turn'],
  ['constructor', 'end_turn'],
  [null, 'end_turn'],
])('stop reason %s without a call means %s', (wire, ours) => {
  expect(read(...ends(wire)).reader.turn().stopReason).toBe(ours)
})

test('calls of a refused turn are dropped', () => {
  const { reader } = read(opens(0, { type: 'tool_use', name: 'stop_vm', input: {} }), ...ends('refusal'))
  expect(reader.turn()).toMatchObject({ content: [], stopReason: 'refusal' })
})

const start = {
  type: 'message_start',
  message: {
    usage: { input_tokens: 5, cache_creation_input_tokens: 7, cache_read_input_tokens: 11, output_tokens: 1 },
  },
}

test('usage is cumulative, and what a later event leaves out stands', () => {
  const { reader } = read(
    start,
    { type: 'message_delta', delta: {}, usage: { output_tokens: 20, input_tokens: null } },
    ...ends('end_turn', { output_tokens: 30 }),
  )
  expect(reader.turn().usage).toEqual({ inputTokens: 5, outputTokens: 30, cacheReadTokens: 11, cacheWriteTokens: 7 })
})

test.each(['9', 'many', -1, 1.5, 1e300, 2 ** 53, true, {}, [9], null])('a count of %j is passed over', (odd) => {
  const counts = {
    input_tokens: odd,
    output_tokens: odd,
    cache_read_input_tokens: odd,
    cache_creation_input_tokens: odd,
  }
  const usage = { inputTokens: 5, outputTokens: 1, cacheReadTokens: 11, cacheWriteTokens: 7 }
  expect(read(start, ...ends('end_turn', counts)).reader.turn().usage).toEqual(usage)
  expect(read({ ...start, message: { usage: counts } }, ...ends('end_turn')).reader.turn().usage).toEqual(noUsage)
  expect(read(start, { type: 'message_delta', delta: null, usage: odd }, ...ends(null)).reader.turn().usage).toEqual(
    usage,
  )
})

test.each([7, null, {}, ['x'], true])('words and names that are %j are passed over', (odd) => {
  const { reader, said } = read(
    opens(0, { type: 'text', text: odd }),
    grows(0, { type: 'text_delta', text: odd }),
    grows(0, { type: 'text_delta', text: 'Yes.' }),
    opens(1, { type: 'thinking', thinking: odd }),
    grows(1, { type: 'thinking_delta', thinking: odd }),
    opens(2, { type: 'redacted_thinking', data: odd }),
    opens(3, { type: 'tool_use', name: odd, input: null }),
    opens(4, { type: odd, text: 'lost' }),
    { type: odd },
    { type: 'message_delta', delta: { stop_reason: odd } },
    { type: 'message_stop' },
  )
  expect(said).toEqual(['text Yes.'])
  expect(reader.turn().content).toEqual([
    { type: 'text', text: 'Yes.' },
    { type: 'thinking', text: '' },
    { type: 'tool_call', toolUseId: expect.any(String), toolName: '', toolInput: {} },
  ])
})

test('a broken stream tells what it cost so far', () => {
  const usage = { inputTokens: 5, outputTokens: 1, cacheReadTokens: 11, cacheWriteTokens: 7 }
  const failures = [
    () => read(start).reader.turn(),
    () => read(start, { type: 'error', error: { type: 'overloaded_error' } }),
  ]
  for (const fail of failures) {
    try {
      fail()
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(ModelError)
      expect(error).toMatchObject({ usage })
    }
  }
})
