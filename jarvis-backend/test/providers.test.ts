import { anthropicModel, openAiCompatibleModel } from '../src/providers/index.ts'
import { type Dialect, modelContract, secretKey } from './contracts/model.ts'
import { refuses } from './contracts/model-server.ts'

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
  error: (message) => JSON.stringify({ error: { message, type: 'error', code: null } }),
  spent: refuses(
    429,
    JSON.stringify({ error: { message: 'You exceeded your current quota.', code: 'insufficient_quota' } }),
  ),
}

modelContract(anthropic)
modelContract(openAiCompatible)
