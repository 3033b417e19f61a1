import type { Content } from 'protocol'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Message, ModelRequest } from '../../agent/model.ts'
import { responsesRequest } from './request.ts'

const id = z.string().min(1).max(64)
const text = z.string().min(1)
const Item = z.union([
  z.strictObject({ role: z.enum(['user', 'assistant']), content: text }),
  z.strictObject({
    type: z.literal('function_call'),
    call_id: id,
    name: z.string().regex(/^[\w-]{1,64}$/),
    arguments: text,
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    call_id: id,
    output: z.union([
      text,
      z.array(
        z.union([
          z.strictObject({ type: z.literal('input_text'), text }),
          z.strictObject({
            type: z.literal('input_image'),
            detail: z.literal('auto'),
            image_url: z.string().startsWith('data:image/'),
          }),
        ]),
      ),
    ]),
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id,
    summary: z.array(z.strictObject({ type: z.literal('summary_text'), text })),
    encrypted_content: text,
  }),
])
/** The API as its documentation has it: it refuses every other field. */
const Body = z.strictObject({
  model: text,
  stream: z.literal(true),
  store: z.literal(false),
  instructions: text.optional(),
  include: z.tuple([z.literal('reasoning.encrypted_content')]).optional(),
  reasoning: z
    .strictObject({
      effort: z.enum(['none', 'low', 'medium', 'high']).optional(),
      summary: z.literal('auto').optional(),
    })
    .optional(),
  max_output_tokens: z.int().min(16).optional(),
  temperature: z.number().min(0).max(2).optional(),
  input: z.array(Item).min(1),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        name: text,
        description: z.string(),
        parameters: z.looseObject({ type: z.literal('object') }),
        strict: z.literal(false),
      }),
    )
    .optional(),
  tool_choice: z.literal('none').optional(),
})

const user = (said: string): Message => ({ role: 'user', results: [], text: said })
const answers = (...ids: string[]): Message => ({
  role: 'user',
  text: '',
  results: ids.map((toolUseId) => ({ toolUseId, toolName: 'get_vms', text: ' ', isError: false })),
})
const by = (model: string, ...content: Content[]): Message => ({ role: 'assistant', content, model })
const call = (toolUseId: string): Content => ({ type: 'tool_call', toolUseId, toolName: 'get vms', toolInput: {} })
const sealed = (name: string, said = ''): Content => ({
  type: 'thinking',
  text: said,
  signature: JSON.stringify({ id: name, encrypted_content: 'gAAA=' }),
})
const tools = [{ name: 'get_vms', description: '', inputSchema: { type: 'object' } }]
const own = 'openai/gpt-5.4'

/** The kinds of the items, in order. */
function itemsOf(part: Partial<ModelRequest>, model = 'gpt-5.4'): string[] {
  const request: ModelRequest = { system: 'S', messages: [user('Hello')], tools, mayCallTools: true, ...part }
  const body = responsesRequest(request, { id: `openai/${model}`, model, maxTokens: 8, refused: new Set() })
  const { input } = Body.parse(body)
  return input.map((item) => ('role' in item ? item.role : item.type === 'reasoning' ? item.id : item.type))
}

test.each<[why: string, part: Partial<ModelRequest>, items: string[]]>([
  ['a first question', { system: ' ' }, ['user']],
  [
    'calls with their reasoning, each in its place',
    { messages: [user('Hi'), by(own, sealed('rs_1', 'Hm'), call('a'), sealed('rs_2'), call('b')), answers('a', 'b')] },
    ['user', 'rs_1', 'function_call', 'rs_2', 'function_call', 'function_call_output', 'function_call_output'],
  ],
  [
    'reasoning that nothing follows is left out',
    { messages: [user('Hi'), by(own, { type: 'text', text: 'Yes' }, sealed('rs_1')), user('Go on')] },
    ['user', 'assistant', 'user'],
  ],
  [
    "another model's reasoning, and what is no reasoning of this API",
    {
      messages: [
        user('Hi'),
        by('anthropic/claude', { type: 'redacted_thinking', data: 'x' }, sealed('rs_1'), call('a')),
        answers('a'),
        by(own, { type: 'thinking', text: 'Hm', signature: 'EqQB' }, { type: 'thinking', text: 'Hm' }, call('b')),
        answers('b'),
      ],
    },
    ['user', 'function_call', 'function_call_output', 'function_call', 'function_call_output'],
  ],
  [
    'a picture of a tool',
    {
      messages: [
        by(own, call('a')),
        {
          role: 'user',
          text: 'And?',
          results: [
            {
              toolUseId: 'a',
              toolName: 'get_vms',
              text: 'A picture.',
              isError: false,
              images: [{ mimeType: 'image/png', data: Buffer.from('x') }],
            },
          ],
        },
      ],
    },
    ['user', 'function_call', 'function_call_output', 'user'],
  ],
  ['the last answer, without calls', { mayCallTools: false, effort: 'off', maxOutputTokens: 4 }, ['user']],
])('the API takes each request: %s', (_, part, items) => {
  expect(itemsOf(part)).toEqual(items)
})

test('a model that does not reason is asked for none, and takes a temperature', () => {
  const request: ModelRequest = {
    system: '',
    messages: [user('Hi')],
    tools: [],
    mayCallTools: true,
    effort: 'high',
    temperature: 1,
  }
  const sent = (model: string) =>
    responsesRequest(request, { id: `x/${model}`, model, maxTokens: undefined, refused: new Set() })
  expect(sent('gpt-4.1')).toEqual({
    model: 'gpt-4.1',
    stream: true,
    store: false,
    temperature: 1,
    input: [{ role: 'user', content: 'Hi' }],
  })
  expect(sent('gpt-5.4')).toMatchObject({ reasoning: { effort: 'high', summary: 'auto' } })
})

test('the form of the answer and a forced call are asked for, unless no tool may be called', () => {
  const request = {
    system: '',
    messages: [user('Hi')],
    mayCallTools: true,
    toolChoice: { name: 'get_vms' },
    tools: [{ name: 'get_vms', description: 'x', inputSchema: { type: 'object' } }],
    format: { type: 'json_schema', name: 'a', schema: { type: 'object' } },
  } satisfies ModelRequest
  const sent = (part: Partial<ModelRequest>) =>
    responsesRequest({ ...request, ...part }, { id: own, model: 'gpt-4.1', maxTokens: undefined, refused: new Set() })
  expect(sent({})).toMatchObject({
    tool_choice: { type: 'function', name: 'get_vms' },
    text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: false } },
  })
  expect(sent({ toolChoice: 'any', format: { type: 'json_object' } })).toMatchObject({
    tool_choice: 'required',
    text: { format: { type: 'json_object' } },
  })
  expect(sent({ mayCallTools: false }).tool_choice).toBe('none')
})
