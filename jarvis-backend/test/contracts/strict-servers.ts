type Call = { id: string; function: { name: string; arguments: string }; extra_content?: Extra }
type Extra = { google?: { thought_signature?: string } }
type Said = {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content?: unknown
  tool_calls?: Call[]
  tool_call_id?: string
  name?: string
  reasoning_content?: string
}
export type Refused = { status: number; json: unknown }
type Rule = (said: Said, before: Said | undefined, place: number) => unknown

const error = (message: string, more: object = {}) => ({ error: { message, type: 'invalid_request_error', ...more } })
const mistral = (message: string, code: string) => ({ object: 'error', message, type: 'invalid_request', code })

/** The order that each API and each template has: calls, a result of each in its order, no two of one role otherwise. */
const order: Rule = ({ role, content, tool_calls: calls, tool_call_id: id }, before, place) => {
  if (place === 0 && role !== 'user') return error('The first message must be of the user.')
  if (role === 'user' && before?.role === 'user') return error('Two messages of the user.')
  if (role === 'assistant' && before?.role === 'assistant') return error('Two messages of the assistant.')
  if (role === 'assistant' && !content && calls === undefined) return error('Neither content nor calls.')
  if (role === 'tool' && (typeof content !== 'string' || content === '' || id === undefined)) return error('No result.')
  return undefined
}
const nine: Rule = ({ tool_calls: calls = [], tool_call_id: id }) =>
  [...calls.map((call) => call.id), ...(id === undefined ? [] : [id])].every((one) => /^[a-zA-Z0-9]{9}$/.test(one))
    ? undefined
    : mistral('Tool call id must be a-z, A-Z, 0-9, with a length of 9.', '3280')
const bridged =
  (refused: object): Rule =>
  ({ role }, before) =>
    role === 'user' && before?.role === 'tool' ? refused : undefined
const noNull =
  (refused: object): Rule =>
  ({ content }) =>
    content === null ? refused : undefined
const hasKey: Rule = (said) => ('content' in said ? undefined : error("missing field 'content'"))
const notEmpty: Rule = ({ content }) =>
  content === '' ? error('messages: text content blocks must be non-empty') : undefined
const named: Rule = ({ role, name }) =>
  role !== 'tool' || name ? undefined : [error('* contents[2].parts[0].function_response.name: Name cannot be empty.')]
const signed: Rule = ({ tool_calls: [first] = [] }) => {
  const seal = first?.extra_content?.google?.thought_signature
  if (first === undefined || seal === 'skip_thought_signature_validator' || seal?.startsWith('gem ')) return undefined
  return [
    error(seal === undefined ? 'Function call is missing a thought_signature.' : 'Thought signature is not valid.'),
  ]
}
const noExtra: Rule = ({ tool_calls: calls = [] }) =>
  calls.some((call) => call.extra_content)
    ? error('Unknown parameter: messages[1].tool_calls[0].extra_content')
    : undefined
const reasoned: Rule = ({ tool_calls: calls, reasoning_content: reasoning }) =>
  calls === undefined || reasoning !== undefined
    ? undefined
    : error('reasoning_content is missing in assistant tool call message')

const noSystem =
  (refused: object): Rule =>
  ({ role }) =>
    role === 'system' ? refused : undefined

const alternate =
  'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...'
/** Servers of Chat Completions by what each refuses, with the status of its refusals. */
const chats: Record<string, readonly [status: number, ...Rule[]]> = {
  openai: [400, noExtra],
  mistral: [400, nine, bridged(mistral("Unexpected role 'user' after role 'tool'", '3230'))],
  'a template of Mistral': [
    500,
    nine,
    bridged(error(alternate, { code: 500, type: 'server_error' })),
    noNull(error('x')),
  ],
  'a template in plain words': [404, bridged({ error: 'A user message cannot follow a tool message.' })],
  gemini: [400, signed],
  'a gateway to Gemini': [400, signed, named, notEmpty],
  'LM Studio': [400, noNull({ error: "Invalid 'content': 'content' field must be a string or an array of objects." })],
  ollama: [400, noNull(error('invalid message content type: <nil>'))],
  pydantic: [
    422,
    noNull({ detail: [{ loc: ['body', 'messages', 2, 'content'], msg: 'Input should be a valid string' }] }),
  ],
  python: [500, noNull(error("argument of type 'NoneType' is not iterable: content"))],
  'a gateway to Bedrock': [400, notEmpty],
  'neither null nor empty': [400, notEmpty, noNull(error('content must be a string'))],
  deepseek: [400, reasoned],
  'a template without a system role': [500, noSystem({ error: { code: 500, message: 'System role not supported' } })],
  'a model without a system role': [
    400,
    noSystem(error("Unsupported value: 'messages[0].role' does not support 'system' with this model.")),
  ],
}
export const chatServers = Object.keys(chats)

/** The refusal of a request's messages by a server; undefined if it accepts them. */
export function refusedBy(server: string, { messages }: { messages: Said[] }): Refused | undefined {
  const [status, ...rules] = chats[server] ?? [400]
  const said = messages.filter(({ role }) => role !== 'system')
  const instructions = messages.filter(({ role }) => role === 'system')
  const [unread] = instructions.flatMap((one) => rules.map((rule) => rule(one, undefined, 0)).find(Boolean) ?? [])
  if (unread !== undefined) return { status, json: unread }
  let open: string[] = []
  const ids = new Set<string>()
  for (const [place, one] of said.entries()) {
    const found = [order, hasKey, ...rules].map((rule) => rule(one, said[place - 1], place)).find(Boolean)
    if (found !== undefined) return { status, json: found }
    if (one.role === 'tool' ? open.shift() !== one.tool_call_id : open.length > 0)
      return { status, json: error('Not the same calls and results.') }
    open = one.role === 'tool' ? open : (one.tool_calls ?? []).map(({ id }) => id)
    for (const id of one.role === 'tool' ? [] : open) {
      if (ids.has(id)) return { status, json: error('An id occurs twice.') }
      ids.add(id)
    }
  }
  const last = said.at(-1)?.role
  return open.length > 0 || last === 'assistant' ? { status, json: error(`Unexpected end: ${last}`) } : undefined
}

type Block = { type: string; id?: string; tool_use_id?: string; text?: string; signature?: string }
/** The refusal of messages by Anthropic; undefined if it accepts them. */
export function refusedByAnthropic({
  messages,
}: {
  messages: { role: string; content: Block[] }[]
}): string | undefined {
  let open: (string | undefined)[] = []
  const ids = new Set<string | undefined>()
  for (const [place, { role, content }] of messages.entries()) {
    if (role !== (place % 2 === 0 ? 'user' : 'assistant') || content.length === 0) return 'order or empty content'
    if (content.some((block) => block.type === 'text' && !/\S/.test(block.text ?? ''))) return 'blank text'
    if (content.some(({ signature }) => signature !== undefined && !signature.startsWith('ant '))) return 'signature'
    if (role === 'assistant' && /thinking/.test(content.at(-1)?.type ?? '')) return 'thinking at the end'
    const results = content.slice(0, open.length).map((block) => block.tool_use_id)
    if (content.filter(({ type }) => type === 'tool_result').length !== open.length) return 'stray or missing results'
    if (role === 'user' && results.some((id, i) => id !== open[i])) return 'results are not first'
    open = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id)
    for (const id of open) {
      if (ids.has(id) || !/^[\w-]+$/.test(id ?? '')) return 'id'
      ids.add(id)
    }
  }
  return open.length > 0 ? 'calls without results' : undefined
}

type Item = { type?: string; role?: string; call_id?: string; encrypted_content?: string; content?: unknown }
/** The refusal of items by OpenAI's Responses; undefined if it accepts them. */
export function refusedByResponses({ input }: { input: Item[] }): string | undefined {
  const open = new Set<string>()
  const ids = new Set<string>()
  for (const [place, { type, role, call_id: id = '', encrypted_content: sealed, content }] of input.entries()) {
    if (type === 'function_call') {
      if (ids.has(id) || id.length > 64) return 'call_id'
      ids.add(id)
      open.add(id)
    } else if (type === 'function_call_output' && !open.delete(id)) return 'No tool call found for this output'
    else if (role === 'user' && open.size > 0) return 'No tool output found for a call'
    else if (role !== undefined && !content) return 'empty content'
    else if (type === 'reasoning') {
      const next = input[place + 1]
      if (!sealed?.startsWith('oai ')) return 'invalid_encrypted_content'
      if (next?.type !== 'function_call' && next?.type !== 'reasoning' && next?.role !== 'assistant')
        return 'reasoning without its following item'
    }
  }
  return open.size > 0 ? 'calls without outputs' : undefined
}
