import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ModelKind } from 'protocol'
import { foldingSystem } from '../../src/agent/context/prose.ts'
import { type Refused, refusedBy, refusedByAnthropic, refusedByResponses } from '../contracts/strict-servers.ts'
import { toolsRefusedBy } from '../contracts/strict-tools.ts'

// biome-ignore lint/suspicious/noExplicitAny: the wire
type Body = any
type Call = { name: string; input: object }
export type Reply = { text: string } | { calls: readonly Call[] } | 'fails' | 'holds'
/** A request as a server heard it: a person's newest words, and the number of results since. */
export type Heard = { said: string; results: number; isFold: boolean }
export type Brain = (heard: Heard, by: string) => Reply

export type StandIn = {
  name: string
  kind: ModelKind
  model: string
  /** The refusal of a request's fields and history. */
  refuses(body: Body): Refused | undefined
  /** The events of a reply, in its own form. */
  streams(reply: Exclude<Reply, string>, n: number): string[]
  /** Its words where the conversation is longer than it reads. */
  tooLong: Refused
  /** Its words where it cannot answer at all. */
  fails: Refused
}

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const event = (value: { type: string; [key: string]: unknown }) => `event: ${value.type}\n${data(value)}`
const error = (message: string, more: object = {}) => ({ error: { message, type: 'invalid_request_error', ...more } })
const google = (message: string, status = 'INVALID_ARGUMENT') => [{ error: { code: 400, message, status } }]
const claude = (message: string, type = 'invalid_request_error') => ({ type: 'error', error: { type, message } })
const said = (status: number, json: unknown): Refused => ({ status, json })
const first = (...found: (Refused | undefined)[]) => found.find((one) => one !== undefined)

// Chat Completions.

const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
  data({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  })
const usage = { prompt_tokens: 900, completion_tokens: 20, total_tokens: 920 }
const counted = data({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage })
const done = 'data: [DONE]\n\n'
type ChatForm = {
  /** The id of a call. Default: `call_1`. */
  id?: (n: number) => string
  /** The whole call in one chunk, or the name first. */
  isWhole?: boolean
  finish?: string
  /** Before anything else. */
  before?: readonly string[]
  extra?: (n: number) => object
  /** Counts stand in the last chunk instead of one of their own. */
  countsAtEnd?: boolean
  content?: null | ''
}
const chatStream =
  ({
    id = (n) => `call_${n}`,
    isWhole = false,
    finish = 'tool_calls',
    before = [],
    extra,
    countsAtEnd = false,
    content = null,
  }: ChatForm = {}): StandIn['streams'] =>
  (reply, n) => {
    const end = (reason: string) =>
      countsAtEnd ? [chunk({ content: '' }, reason, { usage })] : [chunk({}, reason), counted]
    if ('text' in reply)
      return [
        ...before,
        chunk({ role: 'assistant', content: '' }),
        ...reply.text.split(/(?<= )/).map((word) => chunk({ content: word })),
        ...end('stop'),
        done,
      ]
    const calls = reply.calls.flatMap(({ name, input }, index) => {
      const json = JSON.stringify(input)
      const head = (text: string) => ({
        index,
        id: id(10 * n + index),
        type: 'function',
        function: { name, arguments: text },
        ...(index === 0 && extra?.(n)),
      })
      if (isWhole) return [chunk({ tool_calls: [head(json)] })]
      return [
        chunk({ tool_calls: [head('')] }),
        ...[json.slice(0, 3), json.slice(3)]
          .filter(Boolean)
          .map((text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })),
      ]
    })
    return [...before, chunk({ role: 'assistant', content }), ...calls, ...end(finish), done]
  }

/** A server of Chat Completions. @param history its name among the strict servers */
const chat = (
  name: string,
  model: string,
  history: string,
  parts: Pick<StandIn, 'tooLong' | 'fails'> & { form?: ChatForm; fields?: (body: Body) => Refused | undefined },
): StandIn => ({
  name,
  kind: 'openai-chat',
  model,
  tooLong: parts.tooLong,
  fails: parts.fails,
  streams: chatStream(parts.form),
  refuses: (body) =>
    first(
      parts.fields?.(body),
      refusedBy(history, body),
      toolsRefusedBy(
        name,
        (body.tools ?? []).map((tool: Body) => tool.function),
      ),
    ),
})

/** Pydantic's words for a field that is not known. */
const forbids =
  (...fields: string[]) =>
  (body: Body) => {
    const field = fields.find((one) => one in body)
    return field === undefined
      ? undefined
      : said(422, {
          detail: [{ type: 'extra_forbidden', loc: ['body', field], msg: 'Extra inputs are not permitted' }],
        })
  }
const refusesEffort = (json: unknown) => (body: Body) => ('reasoning_effort' in body ? said(400, json) : undefined)
const quota = said(
  429,
  error('You exceeded your current quota, please check your plan.', {
    type: 'insufficient_quota',
    code: 'insufficient_quota',
  }),
)
const nine = (n: number) => `aB${String(n).padStart(7, '0')}`

// Messages.

const claudeStream: StandIn['streams'] = (reply, n) => {
  const blocks =
    'text' in reply
      ? [
          {
            start: { type: 'text', text: '' },
            deltas: reply.text.split(/(?<= )/).map((text) => ({ type: 'text_delta', text })),
          },
        ]
      : reply.calls.map(({ name, input }, i) => ({
          start: { type: 'tool_use', id: `toolu_${n}_${i}`, name, input: {} },
          deltas: [
            { type: 'input_json_delta', partial_json: '' },
            { type: 'input_json_delta', partial_json: JSON.stringify(input) },
          ],
        }))
  const thought = {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      { type: 'thinking_delta', thinking: 'Hm.' },
      { type: 'signature_delta', signature: `ant ${n}` },
    ],
  }
  return [
    event({
      type: 'message_start',
      message: { id: `msg_${n}`, role: 'assistant', content: [], usage: { input_tokens: 900, output_tokens: 1 } },
    }),
    event({ type: 'ping' }),
    ...[thought, ...blocks].flatMap(({ start, deltas }, index) => [
      event({ type: 'content_block_start', index, content_block: start }),
      ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
      event({ type: 'content_block_stop', index }),
    ]),
    event({
      type: 'message_delta',
      delta: { stop_reason: 'text' in reply ? 'end_turn' : 'tool_use' },
      usage: { output_tokens: 20 },
    }),
    event({ type: 'message_stop' }),
  ]
}
const messages = (
  name: string,
  model: string,
  parts: Pick<StandIn, 'tooLong' | 'fails'> & { fields?: (body: Body) => Refused | undefined },
): StandIn => ({
  name,
  kind: 'anthropic',
  model,
  tooLong: parts.tooLong,
  fails: parts.fails,
  streams: claudeStream,
  refuses(body) {
    const marks = JSON.stringify(body).split('"cache_control":').length - 1
    const history = refusedByAnthropic(body)
    return first(
      parts.fields?.(body),
      marks > 4
        ? said(400, claude(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`))
        : undefined,
      history === undefined ? undefined : said(400, claude(history)),
      toolsRefusedBy(
        name,
        (body.tools ?? []).map((tool: Body) => ({ ...tool, parameters: tool.input_schema })),
      ),
    )
  },
})

// Responses.

const responsesStream: StandIn['streams'] = (reply, n) => {
  const base = { id: `resp_${n}`, object: 'response' }
  const items: { item: { type: string; [key: string]: unknown }; deltas: { type: string; delta: string }[] }[] = [
    { item: { type: 'reasoning', id: `rs_${n}`, summary: [], encrypted_content: `oai ${n}` }, deltas: [] },
    ...('text' in reply
      ? [
          {
            item: {
              type: 'message',
              id: `msg_${n}`,
              role: 'assistant',
              content: [{ type: 'output_text', text: reply.text, annotations: [] }],
            },
            deltas: [{ type: 'response.output_text.delta', delta: reply.text }],
          },
        ]
      : reply.calls.map(({ name, input }, i) => ({
          item: {
            type: 'function_call',
            id: `fc_${n}_${i}`,
            call_id: `call_${n}_${i}`,
            name,
            arguments: JSON.stringify(input),
          },
          deltas: [{ type: 'response.function_call_arguments.delta', delta: JSON.stringify(input) }],
        }))),
  ]
  const events = [
    { type: 'response.created', response: { ...base, status: 'in_progress', output: [] } },
    ...items.flatMap(({ item, deltas }, output_index) => [
      {
        type: 'response.output_item.added',
        output_index,
        item: {
          ...item,
          ...(item.type === 'function_call' && { arguments: '' }),
          ...(item.type === 'message' && { content: [] }),
        },
      },
      ...deltas.map((delta) => ({ ...delta, output_index, content_index: 0 })),
      { type: 'response.output_item.done', output_index, item },
    ]),
    {
      type: 'response.completed',
      response: {
        ...base,
        status: 'completed',
        output: items.map(({ item }) => item),
        usage: { input_tokens: 900, output_tokens: 20 },
      },
    },
  ]
  return events.map((one, sequence_number) => event({ ...one, sequence_number }))
}
const responses = (name: string, model: string, parts: Pick<StandIn, 'tooLong' | 'fails'>): StandIn => ({
  name,
  kind: 'openai-responses',
  model,
  ...parts,
  streams: responsesStream,
  refuses(body) {
    const history = refusedByResponses(body)
    return first(
      history === undefined ? undefined : said(400, error(history, { param: 'input' })),
      toolsRefusedBy(name, body.tools ?? []),
    )
  },
})

/** The servers of docs/models.md, as strict as the real ones. */
export const standIns: readonly StandIn[] = [
  chat('llama.cpp', 'default', 'a template of Mistral', {
    tooLong: said(400, {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 90_000,
        n_ctx: 65_536,
      },
    }),
    fails: said(500, { error: { code: 500, message: 'failed to allocate compute buffers', type: 'server_error' } }),
  }),
  chat('Ollama', 'qwen3:14b', 'ollama', {
    tooLong: said(400, error('prompt too long; exceeded max context length by 4096 tokens')),
    fails: said(
      500,
      error('model requires more system memory (9.1 GiB) than is available (7.7 GiB)', { type: 'api_error' }),
    ),
    form: { isWhole: true, content: '' },
  }),
  chat('LM Studio', 'qwen/qwen3-14b', 'LM Studio', {
    tooLong: said(400, {
      error:
        'Trying to keep the first 90000 tokens when context the overflows. However, the model is loaded with context length of only 65536 tokens',
    }),
    fails: said(400, { error: 'Model loading was stopped due to insufficient system resources.' }),
  }),
  chat('vLLM', 'Qwen/Qwen3-14B', 'mistral', {
    tooLong: said(400, {
      object: 'error',
      message:
        "This model's maximum context length is 65536 tokens. However, you requested 90000 tokens in the messages.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    }),
    fails: said(500, {
      object: 'error',
      message: 'CUDA out of memory. Tried to allocate 2.00 GiB.',
      type: 'InternalServerError',
      code: 500,
    }),
    form: { id: (n) => `chatcmpl-tool-${n}abc` },
  }),
  chat('Mistral', 'mistral-large-latest', 'mistral', {
    tooLong: said(400, {
      object: 'error',
      message: 'Prompt contains 90000 tokens and 0 draft tokens, too large for model with 65536 maximum context length',
      type: 'invalid_request_prompt',
      code: '3051',
    }),
    fails: said(402, { detail: 'payment_required' }),
    form: { id: nine, isWhole: true, countsAtEnd: true },
    fields: forbids('stream_options', 'reasoning_effort'),
  }),
  chat('Gemini', 'gemini-3-pro-preview', 'gemini', {
    tooLong: said(
      400,
      google('The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).'),
    ),
    fails: said(
      429,
      google(
        'You exceeded your current quota, please check your plan and billing details. Quota exceeded for metric: generate_requests_per_model_per_day, quotaId: GenerateRequestsPerDayPerProjectPerModel',
        'RESOURCE_EXHAUSTED',
      ),
    ),
    form: {
      id: (n) => `function-call-${n}`,
      isWhole: true,
      finish: 'stop',
      extra: (n) => ({ extra_content: { google: { thought_signature: `gem ${n}` } } }),
    },
  }),
  chat('Vertex', 'google/gemini-3-pro-preview', 'a gateway to Gemini', {
    tooLong: said(400, google('The input token count is 1196265 but model only supports up to 1048575.')),
    fails: said(
      403,
      google('Vertex AI API has not been used in project 123 before or it is disabled.', 'PERMISSION_DENIED'),
    ),
    form: {
      id: (n) => `function-call-${n}`,
      isWhole: true,
      finish: 'stop',
      extra: (n) => ({ extra_content: { google: { thought_signature: `gem ${n}` } } }),
    },
  }),
  chat('Groq', 'openai/gpt-oss-120b', 'openai', {
    tooLong: said(
      400,
      error('Please reduce the length of the messages or completion.', { code: 'context_length_exceeded' }),
    ),
    fails: quota,
    form: { isWhole: true, before: [chunk({ role: 'assistant', reasoning: 'Hm.' })] },
    fields: (body) =>
      first(
        refusesEffort(error('`reasoning_effort` is not supported with this model'))(body),
        JSON.stringify(body.messages).includes('"reasoning_content":')
          ? said(
              400,
              error(
                "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
              ),
            )
          : undefined,
      ),
  }),
  chat('OpenRouter', 'anthropic/claude-sonnet-5-5', 'openai', {
    tooLong: said(400, {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: {
          raw: '{"error":{"message":"This endpoint\'s maximum context length is 200000 tokens. However, you requested about 290000 tokens"}}',
          provider_name: 'X',
        },
      },
    }),
    fails: said(402, {
      error: { message: 'Insufficient credits. Add more using https://openrouter.ai/settings/credits', code: 402 },
    }),
    form: {
      before: [
        ': OPENROUTER PROCESSING\n\n',
        chunk({
          role: 'assistant',
          content: '',
          reasoning: 'Hm.',
          reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }],
        }),
      ],
      countsAtEnd: true,
    },
  }),
  chat('DeepSeek', 'deepseek-chat', 'deepseek', {
    tooLong: said(
      400,
      error("This model's maximum context length is 131072 tokens. However, you requested 290000 tokens"),
    ),
    fails: said(402, error('Insufficient Balance', { type: 'unknown_error' })),
    form: { before: [chunk({ role: 'assistant', content: null, reasoning_content: 'Hm.' })], countsAtEnd: true },
  }),
  chat('xAI', 'grok-4', 'openai', {
    tooLong: said(400, {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    }),
    fails: said(403, {
      code: 'The caller does not have permission to execute the specified operation',
      error: 'Your team has used all available credits.',
    }),
    form: { isWhole: true },
    fields: refusesEffort({
      code: 'Client specified an invalid argument',
      error: 'Model grok-4 does not support parameter reasoningEffort.',
    }),
  }),
  chat('Bedrock', 'openai.gpt-oss-120b-1:0', 'a gateway to Bedrock', {
    tooLong: said(400, error('Input is too long for requested model.', { type: 'ValidationException' })),
    fails: said(
      403,
      error("You don't have access to the model with the specified model ID.", { type: 'AccessDeniedException' }),
    ),
    form: { countsAtEnd: true },
  }),
  responses('Azure', 'gpt-5.4', {
    tooLong: said(
      400,
      error('Your input exceeds the context window of this model.', {
        code: 'context_length_exceeded',
        param: 'input',
      }),
    ),
    fails: said(403, { error: { code: '403', message: 'Access denied due to Virtual Network/Firewall rules.' } }),
  }),
  responses('OpenAI', 'gpt-5.4', {
    tooLong: said(
      400,
      error('Your input exceeds the context window of this model.', {
        code: 'context_length_exceeded',
        param: 'input',
      }),
    ),
    fails: quota,
  }),
  messages('Anthropic', 'claude-sonnet-5-5', {
    tooLong: said(400, claude('prompt is too long: 290000 tokens > 200000 maximum')),
    fails: said(400, claude('Your credit balance is too low to access the Anthropic API.')),
  }),
  messages('Claude on Bedrock', 'anthropic.claude-sonnet-5-5', {
    tooLong: said(400, { message: 'Input is too long for requested model.' }),
    fails: said(403, { message: "You don't have access to the model with the specified model ID." }),
    fields: (body) =>
      'output_config' in body ? said(400, { message: 'output_config: Extra inputs are not permitted' }) : undefined,
  }),
  messages("a server with Claude's API", 'glm-5', {
    tooLong: said(400, claude('context window exceeds limit (2013)', 'bad_request_error')),
    fails: said(402, claude('insufficient balance (1008)', 'insufficient_balance_error')),
    fields(body) {
      if (JSON.stringify(body).includes('"cache_control":'))
        return said(400, {
          detail: [
            {
              type: 'extra_forbidden',
              loc: ['body', 'tools', 0, 'cache_control'],
              msg: 'Extra inputs are not permitted',
            },
          ],
        })
      if (Array.isArray(body.system))
        return said(422, {
          detail: [{ type: 'string_type', loc: ['body', 'system'], msg: 'Input should be a valid string' }],
        })
      return 'thinking' in body ? said(400, claude('thinking: Extra inputs are not permitted')) : undefined
    },
  }),
]

/** Reads a request in any of the three forms. */
function heardIn(body: Body): Heard & { size: number } {
  const given: Body[] = body.messages ?? body.input
  const texts = ({ content }: Body): string =>
    typeof content === 'string' ? content : (content ?? []).map((part: Body) => part.text ?? '').join('\n')
  const blocksOf = ({ content }: Body): Body[] => (Array.isArray(content) ? content : [])
  const isResult = (one: Body) => one.role === 'tool' || one.type === 'function_call_output'
  const system =
    body.instructions ?? (typeof body.system === 'string' ? body.system : body.system?.[0]?.text) ?? texts(given[0])
  const isPersons = (one: Body) => one?.role === 'user' && texts(one).trim() !== ''
  const last = given.findLastIndex(isPersons)
  let at = last
  while (isPersons(given[at - 1])) at -= 1
  const since = given.slice(last).flatMap((one) => [one, ...blocksOf(one)])
  return {
    said: given
      .slice(at, last + 1)
      .map(texts)
      .join('\n'),
    results: since.filter((one) => isResult(one) || (one.type === 'tool_result' && !given[last].content.includes(one)))
      .length,
    isFold: system === foldingSystem,
    size: JSON.stringify(given.filter(({ role }) => role !== 'system')).length,
  }
}

export type Running = StandIn & {
  url: string
  /** Refusals as a strict server words them, and the number of requests. */
  refusals: string[]
  asked: number
  failed: number
  tooLongs: number
  /** It reads at most so many characters of a conversation. */
  window: number
}

/** The stand-ins as servers on loopback, which all answer as one brain. `at`: their address by name. */
export async function startStandIns(brain: Brain, all = standIns) {
  const running = new Map<string, Running>()
  const held = new Set<ServerResponse>()
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request.setEncoding('utf8')) text += part
    const [, key = ''] = (request.url ?? '').split('/')
    const one = running.get(decodeURIComponent(key))
    if (one === undefined || request.method !== 'POST') return void response.writeHead(404).end()
    const answer = ({ status, json }: Refused) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    one.asked += 1
    const body = JSON.parse(text) as Body
    const refused = one.refuses(body)
    if (refused !== undefined) {
      one.refusals.push(JSON.stringify(refused.json))
      return answer(refused)
    }
    const heard = heardIn(body)
    if (heard.size > one.window && !heard.isFold) {
      one.tooLongs += 1
      return answer(one.tooLong)
    }
    const reply = brain(heard, one.name)
    if (reply === 'fails') {
      one.failed += 1
      return answer(one.fails)
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (reply === 'holds') {
      held.add(response)
      return response.flushHeaders()
    }
    for (const part of one.streams(reply, one.asked)) response.write(part)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const one of all)
    running.set(one.name, {
      ...one,
      url: `${base}/${encodeURIComponent(one.name)}${one.kind === 'anthropic' ? '' : '/v1'}`,
      refusals: [],
      asked: 0,
      failed: 0,
      tooLongs: 0,
      window: 60_000,
    })
  return {
    all: [...running.values()],
    /** How many requests are open and unanswered. */
    held: () => [...held].filter(({ destroyed }) => !destroyed).length,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
