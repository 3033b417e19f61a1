import type { Content } from 'protocol'
import { expect, test } from 'vitest'
import type { Message, ModelRequest } from '../../agent/model.ts'
import { sentId } from '../conversation.ts'
import { firstForm } from './form.ts'
import { chatRequest } from './request.ts'

const options = {
  id: 'openai/m',
  model: 'm',
  maxTokens: undefined,
  isOpenAi: false,
  form: firstForm('m', false, false),
  refused: new Set<never>(),
}
const tools = [{ name: 'get_vms', description: 'x', inputSchema: { type: 'object' } }]
const body = (messages: Message[], part: Partial<ModelRequest> = {}) =>
  chatRequest({ system: 'S', messages, tools, mayCallTools: true, ...part }, options)
const user = (text: string, results: string[] = [], context?: string): Message => ({
  role: 'user',
  results: results.map((id) => ({ toolUseId: id, toolName: 'get_vms', text: `out ${id}`, isError: false })),
  text,
  ...(context !== undefined && { context }),
})
const assistant = (...content: Content[]): Message => ({ role: 'assistant', content, model: 'openai/m' })
const call = (toolUseId: string, toolInput = {}): Content => ({
  type: 'tool_call',
  toolUseId,
  toolName: 'get_vms',
  toolInput,
})

test('a request holds these fields and no other', () => {
  expect(body([user('Hi')])).toEqual({
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'system', content: 'S' },
      { role: 'user', content: 'Hi' },
    ],
    tools: [{ type: 'function', function: { name: 'get_vms', description: 'x', parameters: { type: 'object' } } }],
  })
})

test('the token limit has the name its server knows', () => {
  const request = { system: 'S', messages: [user('Hi')], tools: [], mayCallTools: true }
  const limits = (part: object) => {
    const { max_tokens, max_completion_tokens } = chatRequest(request, { ...options, ...part })
    return [max_tokens, max_completion_tokens]
  }
  expect(limits({ maxTokens: 9 })).toEqual([9, undefined])
  expect(limits({ maxTokens: 9, isOpenAi: true })).toEqual([undefined, 9])
  expect(limits({ isOpenAi: true })).toEqual([undefined, undefined])
})

test('every call is answered right after its turn, before any words', () => {
  const turn = assistant({ type: 'text', text: 'Let me see.' }, call('a', { node: 'pve' }), call('b'))
  expect(body([user('Hi'), turn, user('And?', ['a', 'b'])]).messages.slice(2)).toEqual([
    {
      role: 'assistant',
      content: 'Let me see.',
      tool_calls: [
        { id: sentId('a'), type: 'function', function: { name: 'get_vms', arguments: '{"node":"pve"}' } },
        { id: sentId('b'), type: 'function', function: { name: 'get_vms', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: sentId('a'), content: 'out a' },
    { role: 'tool', tool_call_id: sentId('b'), content: 'out b' },
    { role: 'user', content: 'And?' },
  ])
})

test('Kimi is sent the form of ids that it makes itself, counted over the conversation', () => {
  const turns = [
    user('Hi'),
    assistant(call('a'), call('b')),
    user('', ['a', 'b']),
    assistant(call('c')),
    user('', ['c']),
  ]
  const request = { system: 'S', messages: turns, tools, mayCallTools: true }
  const { messages } = chatRequest(request, { ...options, model: 'moonshotai/Kimi-K2-Instruct' })
  expect(messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []))).toEqual([
    'functions.get_vms:0',
    'functions.get_vms:1',
    'functions.get_vms:2',
  ])
})

test('thinking never goes back, and a turn of nothing else is dropped', () => {
  const thought: Content = { type: 'thinking', text: 'Hm', signature: 's' }
  expect(
    body([user('Hi'), assistant(thought, { type: 'redacted_thinking', data: 'x' }), user('So?')]).messages,
  ).toEqual([
    { role: 'system', content: 'S' },
    { role: 'user', content: 'Hi\n\nSo?' },
  ])
  expect(body([user('Hi'), assistant(thought, call('a')), user('', ['a'])]).messages[2]).toMatchObject({
    content: null,
  })
})

test('the live context follows the words it belongs to, as one string', () => {
  expect(body([user('Hi', [], 'pve is online')]).messages[1]).toEqual({ role: 'user', content: 'Hi\n\npve is online' })
})

test('where no tool may be called, OpenAI is told so, and any other server is told of no tools', () => {
  const messages = [user('Hi'), assistant(call('a')), user('', ['a'])]
  const last = { system: 'S', messages, tools, mayCallTools: false }
  expect(chatRequest(last, { ...options, isOpenAi: true })).toMatchObject({ tools: [{}], tool_choice: 'none' })
  const request = chatRequest(last, options)
  expect(request).not.toHaveProperty('tools')
  expect(request).not.toHaveProperty('tool_choice')
  expect(request.messages[2]).toMatchObject({ tool_calls: [{ id: sentId('a') }] })
  expect(body([user('Hi')], { tools: [], mayCallTools: false })).not.toHaveProperty('tool_choice')
})

const format = { type: 'json_schema', name: 'a', schema: { type: 'object' }, isStrict: true } as const

test('the form of the answer and a forced call are asked for, unless no tool may be called', () => {
  expect(body([user('Hi')], { toolChoice: 'any', format })).toMatchObject({
    tool_choice: 'required',
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' }, strict: true } },
  })
  expect(body([user('Hi')], { toolChoice: { name: 'get_vms' }, format: { type: 'json_object' } })).toMatchObject({
    tool_choice: { type: 'function', function: { name: 'get_vms' } },
    response_format: { type: 'json_object' },
  })
  expect(body([user('Hi')], { toolChoice: 'any', mayCallTools: false })).not.toHaveProperty('tool_choice')
})

test('lone surrogates are mended', () => {
  const request = body([user('cut \ud83d'), assistant(call('a', { text: '\udc00' })), user('', ['a'])])
  expect(JSON.stringify(request)).not.toMatch(/\\+ud[89a-f]/)
})

test('what a server sent with its calls goes back to it, and to no other', () => {
  const extra = { google: { thought_signature: 'c2ln' } }
  const thought: Content = { type: 'thinking', text: 'Hm', isWantedBack: true }
  const turn = assistant(thought, { ...call('a'), extra } as Content)
  const sent = (message: Message, part = {}) =>
    chatRequest(
      { system: '', messages: [user('Hi'), message, user('', ['a'])], tools, mayCallTools: true },
      { ...options, ...part },
    ).messages[1]
  expect(sent(turn)).toMatchObject({ reasoning_content: 'Hm', tool_calls: [{ id: sentId('a'), extra_content: extra }] })
  const other = JSON.stringify(sent({ ...turn, model: 'anthropic/m' } as Message))
  expect(other).not.toMatch(/reasoning_content|extra_content/)
  expect(sent(assistant({ type: 'thinking', text: 'Hm' }, call('a')))).not.toHaveProperty('reasoning_content')
  expect(sent(assistant(call('a')), { form: firstForm('m', false, true) })).toMatchObject({ reasoning_content: '' })
  expect(sent(assistant(thought, { type: 'text', text: 'Yes.' }))).toEqual({ role: 'assistant', content: 'Yes.' })
})
