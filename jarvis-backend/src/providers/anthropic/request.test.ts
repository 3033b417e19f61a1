import type Anthropic from '@anthropic-ai/sdk'
import type { Content, Effort } from 'protocol'
import { expect, test } from 'vitest'
import type { Message, ModelRequest } from '../../agent/model.ts'
import { sentId } from '../conversation.ts'
import { anthropicEncoder, type ClaudeOnly, type Refused } from './request.ts'

const options = { id: 'anthropic/a', model: 'a', maxTokens: 500 }
const tools = ['get_vms', 'stop_vm'].map((name) => ({ name, description: 'x', inputSchema: { type: 'object' } }))
const given = (messages: Message[], part: Partial<ModelRequest> = {}) => ({
  system: 'S',
  messages,
  tools,
  mayCallTools: true,
  ...part,
})
const none: Refused = { thinking: new Set(), effort: new Set() }
const encoded = (request: ModelRequest, refused = none) => anthropicEncoder(options)(request, refused)
const parsed = ({ body }: { body: Buffer }) => JSON.parse(body.toString()) as Anthropic.MessageCreateParamsStreaming
const body = (messages: Message[], part: Partial<ModelRequest> = {}) => parsed(encoded(given(messages, part)))
const user = (text: string, results: string[] = [], context?: string): Message => ({
  role: 'user',
  results: results.map((id) => ({ toolUseId: id, toolName: 'get_vms', text: `out ${id}`, isError: id === 'bad' })),
  text,
  ...(context !== undefined && { context }),
})
const assistant = (content: Content[], model = 'anthropic/a'): Message => ({ role: 'assistant', content, model })
const says = (text: string) => assistant([{ type: 'text', text }])
const call = (toolUseId: string, toolInput = {}): Content => ({
  type: 'tool_call',
  toolUseId,
  toolName: 'get_vms',
  toolInput,
})
const cache_control = { type: 'ephemeral' }

test('a request holds these fields and no other', () => {
  expect(body([user('Hi')])).toEqual({
    model: 'a',
    max_tokens: 500,
    stream: true,
    system: [{ type: 'text', text: 'S', cache_control }],
    tools: [
      { name: 'get_vms', description: 'x', input_schema: { type: 'object' } },
      { name: 'stop_vm', description: 'x', input_schema: { type: 'object' }, cache_control },
    ],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control }] }],
  })
})

test('a schema is asked for beside the effort, and a forced call ends thinking', () => {
  const format = { type: 'json_schema', name: 'a', schema: { type: 'object' } } as const
  expect(body([user('Hi')], { format, effort: 'low' })).toMatchObject({
    output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } },
  })
  expect(body([user('Hi')], { toolChoice: { name: 'get_vms' }, effort: 'high' })).toMatchObject({
    tool_choice: { type: 'tool', name: 'get_vms' },
    thinking: { type: 'disabled' },
  })
  expect(body([user('Hi')], { toolChoice: 'any' }).tool_choice).toEqual({ type: 'any' })
  expect(body([user('Hi')], { toolChoice: 'any', mayCallTools: false }).tool_choice).toEqual({ type: 'none' })
})

test('what is encoded once is encoded anew when it changes', () => {
  const encode = anthropicEncoder(options)
  const first = { system: 'S', messages: [user('Hi')], tools, mayCallTools: true }
  const variants = [
    {},
    { messages: [user('Hi'), says('Yes'), user('“Ho”', [], '🛰️')] },
    { system: 'T' },
    { tools: tools.slice(1) },
    { mayCallTools: false },
    {},
    { tools: [], messages: [user('Hi'), assistant([call('a')]), user('', ['a'])] },
    { tools: [] },
  ]
  for (const part of variants) {
    const request = { ...first, ...part }
    expect(encode(request, none)).toEqual(encoded(request))
  }
})

test('how much to think is asked for as the request says, else as is usual, else not at all', () => {
  const asked = (effort: Effort | undefined, usual: Effort | undefined, refused = none) => {
    const { output_config } = parsed(
      anthropicEncoder({ ...options, effort: usual })(
        given([user('Hi')], effort === undefined ? {} : { effort }),
        refused,
      ),
    )
    return output_config?.effort
  }
  expect([asked('low', 'high'), asked(undefined, 'high'), asked(undefined, undefined)]).toEqual([
    'low',
    'high',
    undefined,
  ])
  expect(asked('low', 'high', { ...none, effort: new Set<Effort>(['low']) })).toBeUndefined()
})

test('with a budget, a turn that called tools without thinking goes on without', () => {
  const encode = anthropicEncoder({ ...options, model: 'claude-opus-4-5', effort: 'low' })
  const loop = (content: Content[]) => [...hi, assistant(content), user('', ['a'])]
  const { digest } = encode(given(hi), none)
  const thought = thinking.map((piece) => ({ ...piece, after: digest }) as Content)
  const typeOf = (messages: Message[]) => parsed(encode(given(messages), none)).thinking?.type
  expect(typeOf(loop([...thought, call('a')]))).toBe('enabled')
  expect(typeOf(loop([call('a')]))).toBeUndefined()
})

test('all results stand in one user message, first and in order', () => {
  const { messages } = body([user('Hi'), assistant([call('a'), call('bad')]), user('And then?', ['a', 'bad'])])
  expect(messages.slice(1)).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: sentId('a'), name: 'get_vms', input: {} },
        { type: 'tool_use', id: sentId('bad'), name: 'get_vms', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: sentId('a'), content: 'out a' },
        { type: 'tool_result', tool_use_id: sentId('bad'), content: 'out bad', is_error: true },
        { type: 'text', text: 'And then?', cache_control },
      ],
    },
  ])
})

test('user messages in a row become one, results first', () => {
  const { messages } = body([
    user('Hi'),
    assistant([call('a')]),
    user('', ['a']),
    says(' \n'),
    user('Still there?', [], 'All well.'),
    user('Hello?'),
  ])
  expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user'])
  expect(messages[2]?.content).toEqual([
    { type: 'tool_result', tool_use_id: sentId('a'), content: 'out a' },
    { type: 'text', text: 'Still there?' },
    { type: 'text', text: 'All well.' },
    { type: 'text', text: 'Hello?', cache_control },
  ])
})

test('no text is ever blank', () => {
  const blank: Message = {
    role: 'user',
    results: [{ toolUseId: 'a', toolName: 't', text: ' ', isError: true }],
    text: '',
  }
  const { messages, system } = body(
    [user('Hi', [], '  '), assistant([{ type: 'text', text: '\n' }, call('a')]), blank],
    {
      system: ' ',
    },
  )
  expect(system).toBeUndefined()
  expect(messages.map((message) => message.content)).toEqual([
    [{ type: 'text', text: 'Hi', cache_control }],
    [expect.objectContaining({ type: 'tool_use' })],
    [{ type: 'tool_result', tool_use_id: sentId('a'), content: '(no output)', is_error: true, cache_control }],
  ])
})

const thinking: Content[] = [
  { type: 'thinking', text: '', signature: 'sig-1' },
  { type: 'thinking', text: ' as it was \ud83d', signature: 'sig-2' },
  { type: 'redacted_thinking', data: 'opaque' },
]
/** The model's thinking after these messages. */
const after = (messages: Message[], part: Partial<ModelRequest> = {}): Content[] => {
  const { digest } = encoded(given(messages, part))
  return thinking.map((piece) => ({ ...piece, after: digest }) as Content)
}
const sent = [
  { type: 'thinking', thinking: '', signature: 'sig-1' },
  { type: 'thinking', thinking: ' as it was \ud83d', signature: 'sig-2' },
  { type: 'redacted_thinking', data: 'opaque' },
]
const yes: Content = { type: 'text', text: 'Yes.' }
const hi = [user('Hi', [], 'live')]

test('thinking goes back verbatim behind what it followed on, in later questions too', () => {
  const calls = [...hi, assistant([...after(hi), call('a')]), user('', ['a'])]
  const answered = [...calls, assistant([...after(calls), yes]), user('Go on')]
  const { messages } = body(answered)
  expect(messages[1]?.content).toEqual([...sent, { type: 'tool_use', id: sentId('a'), name: 'get_vms', input: {} }])
  expect(messages[3]?.content).toEqual([...sent, { type: 'text', text: 'Yes.' }])
})

test('a paused turn keeps the thinking of all its replies', () => {
  const paused = [...hi, assistant([...after(hi), { type: 'text', text: 'Let me see' }])]
  const { messages } = body([...paused, assistant([...after(paused), yes]), user('Go on')])
  expect(messages[1]?.content).toEqual([...sent, { type: 'text', text: 'Let me see' }, ...sent, yes])
})

test.each<[string, Message[], Partial<ModelRequest>?]>([
  ['from another model', [...hi, assistant([...after(hi), yes], 'anthropic/b')]],
  ['from another provider', [...hi, assistant([...after(hi), yes], 'openai/a')]],
  ['unsigned', [...hi, assistant([{ type: 'thinking', text: 'Hm' }, yes])]],
  ['of an older release', [...hi, assistant([...thinking, yes])]],
  ['at the end of a turn', [...hi, assistant([yes, ...after(hi)])]],
  ['behind other instructions', [...hi, assistant([...after(hi), yes])], { system: 'T' }],
  ['behind other tools', [...hi, assistant([...after(hi), yes])], { tools: tools.slice(1) }],
  ['behind another message', [user('Ho', [], 'live'), assistant([...after(hi), yes])]],
  ['behind another state of the cluster', [user('Hi', [], 'new'), assistant([...after(hi), yes])]],
  ['behind fewer messages', [...hi, assistant([...after([...hi, says('Yes.'), ...hi]), yes])]],
])('thinking that is %s is dropped', (_, messages, part) => {
  expect(body([...messages, user('Go on')], part).messages[1]?.content).toEqual([{ type: 'text', text: 'Yes.' }])
})

test('dropped thinking takes that after it along, and not that which followed on the rest', () => {
  const first = [...hi, assistant([...after(hi), yes]), user('And?')]
  const all = [...first, assistant([...after(first), yes]), user('So?')]
  const other = { system: 'T' }
  expect(JSON.stringify(body(all, other).messages)).not.toContain('sig-1')
  const later = [...all, assistant([...after(all, other), yes]), user('Then?')]
  expect(body(later, other).messages.map(({ content }) => JSON.stringify(content).includes('sig-1'))).toEqual([
    false,
    false,
    false,
    false,
    false,
    true,
    false,
  ])
})

test('thinking that was refused once is named, and does not go back again', () => {
  const messages = [...hi, assistant([...after(hi), yes]), user('Go on')]
  const { thinking: named } = encoded(given(messages))
  expect(named).toHaveLength(1)
  const again = encoded(given(messages), { thinking: new Set(named), effort: new Set() })
  expect(again.thinking).toEqual([])
  expect(parsed(again).messages[1]?.content).toEqual([{ type: 'text', text: 'Yes.' }])
})

test('a turn of nothing but thinking is dropped whole', () => {
  expect(body([user('Hi'), assistant(thinking, 'anthropic/b'), user('So?')]).messages).toHaveLength(1)
  expect(body([user('Hi'), assistant(thinking), user('So?')]).messages).toHaveLength(1)
})

test('a paused turn goes back as it is, at the end', () => {
  const { messages } = body([user('Hi'), says('Let me see')])
  expect(messages.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Let me see' }] })
})

const marks = (value: unknown) => JSON.stringify(value).split('"cache_control"').length - 1

test('four cache breakpoints at most: tools, system and the ends of the last two user messages', () => {
  const long = [
    user('One', [], 'live'),
    says('1'),
    user('Two', [], 'live'),
    assistant([call('a')]),
    user('', ['a']),
    assistant([call('b')]),
    user('', ['b']),
  ]
  const request = body(long)
  expect(marks(request)).toBe(4)
  expect(request.messages.map(marks)).toEqual([0, 0, 0, 0, 1, 0, 1])
})

test('the cluster as it was at a message stays in its history, so it lies before the breakpoint', () => {
  expect(body(hi).messages[0]?.content).toEqual([
    { type: 'text', text: 'Hi' },
    { type: 'text', text: 'live', cache_control },
  ])
})

test('the prefix never changes as the conversation grows', () => {
  const stripped = (messages: Message[]) =>
    JSON.stringify(body(messages).messages).replaceAll(',"cache_control":{"type":"ephemeral"}', '').slice(0, -1)
  let messages = hi
  for (const id of ['a', 'b', 'c']) {
    const calls = [...messages, assistant([...after(messages), call(id)]), user('', [id])]
    const answered = [...calls, assistant([...after(calls), yes]), user('Go on', [], 'live')]
    expect(stripped(calls).startsWith(stripped(messages))).toBe(true)
    expect(stripped(answered).startsWith(stripped(calls))).toBe(true)
    messages = answered
  }
})

test('lone surrogates are mended, in nested arguments too', () => {
  const { messages } = body([
    user('cut \ud83d'),
    assistant([call('a', { list: [{ text: '\udc00!' }] })]),
    user('', ['a']),
  ])
  expect(JSON.stringify(messages)).not.toMatch(/\\ud[89a-f]/)
  expect(messages[1]?.content).toMatchObject([{ input: { list: [{ text: '\ufffd!' }] } }])
})

test('a name the model made up is made acceptable', () => {
  const odd: Content = { type: 'tool_call', toolUseId: 'a', toolName: 'get vms.now()', toolInput: {} }
  const { messages } = body([user('Hi'), assistant([odd]), user('', ['a'])])
  expect(messages[1]?.content).toMatchObject([{ name: 'get_vms_now__' }])
})

test('where no tool may be called, tools stay declared and the choice is none', () => {
  expect(body([user('Hi')], { mayCallTools: false })).toMatchObject({ tools: [{}, {}], tool_choice: { type: 'none' } })
  expect(body([user('Hi')], { tools: [] })).not.toHaveProperty('tools')
  expect(body([user('Hi')], { tools: [] })).not.toHaveProperty('tool_choice')
})

test('calls in the history keep their tools declared even where none are given', () => {
  const history = [user('Hi'), assistant([call('a'), call('b')]), user('', ['a', 'b'])]
  expect(body(history, { tools: [] })).toMatchObject({
    tools: [{ name: 'get_vms', input_schema: { type: 'object' } }],
    tool_choice: { type: 'none' },
  })
})

test('a picture goes with its result', () => {
  const data = Buffer.from('picture')
  const result = { toolUseId: 'a', toolName: 't', text: '[image, 1 kB, image/png]', isError: false }
  const messages: Message[] = [
    user('Hi'),
    assistant([call('a')]),
    { role: 'user', text: '', results: [{ ...result, images: [{ mimeType: 'image/png', data }] }] },
  ]
  expect(body(messages).messages[2]?.content).toMatchObject([
    {
      content: [
        { type: 'text', text: '[image, 1 kB, image/png]' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: data.toString('base64') } },
      ],
    },
  ])
})

test('a server that does not know Claude’s own form is sent the system prompt as a text, and no marks', () => {
  const encode = anthropicEncoder({ id: 'lab/m', model: 'm', maxTokens: 100 })
  const request = {
    system: 'S',
    messages: [{ role: 'user' as const, results: [], text: 'Hi' }],
    tools: [],
    mayCallTools: true,
  }
  const sent = (...parts: ClaudeOnly[]) =>
    JSON.parse(encode(request, { thinking: new Set(), effort: new Set(), form: new Set(parts) }).body.toString())
  const cache_control = { type: 'ephemeral' }
  expect(sent().system).toEqual([{ type: 'text', text: 'S', cache_control }])
  expect(sent('cache_control')).toMatchObject({
    system: [{ type: 'text', text: 'S' }],
    messages: [{ content: [{ type: 'text', text: 'Hi' }] }],
  })
  expect(JSON.stringify(sent('cache_control'))).not.toContain('cache_control')
  expect(sent('system list').system).toBe('S')
})
