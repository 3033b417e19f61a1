import type { Effort, ToolInput } from 'protocol'
import { z } from 'zod'
import { ApiError, badField } from '../errors.ts'
import { filesIn, isFilePart } from '../files.ts'
import { formatIn } from '../format.ts'
import type { AnswerFormat, AskedTurn, CheckFile, GivenFile, Said, SentFiles, ToolChoice } from '../turn.ts'

const TextPart = z.looseObject({ type: z.enum(['text', 'input_text', 'output_text']), text: z.string() })
const Part = z.looseObject({ type: z.string() })
const Words = z.union([z.string(), z.array(Part)]).nullish()
/** Arguments as JSON text; some programs send the object itself. */
const Arguments = z.union([z.string(), z.record(z.string(), z.unknown())]).nullish()
const Called = z.looseObject({ name: z.string().min(1).max(200), arguments: Arguments })
const Call = z.looseObject({
  id: z.string().min(1).max(200),
  type: z.enum(['function', 'custom']).nullish(),
  function: Called.nullish(),
  custom: z.looseObject({ name: z.string().min(1).max(200), input: z.string() }).nullish(),
})
const Message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['system', 'developer', 'user']), content: Words }),
  z.looseObject({
    role: z.literal('assistant'),
    content: Words,
    tool_calls: z.array(Call).nullish(),
    function_call: Called.nullish(),
  }),
  z.looseObject({ role: z.literal('tool'), tool_call_id: z.string().min(1).max(200), content: Words }),
  /** The result of a `function_call`, the older form of a tool call. */
  z.looseObject({ role: z.literal('function'), name: z.string().min(1).max(200), content: Words }),
])
const FunctionSpec = z.looseObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must have 1 to 64 letters, digits, _ or -'),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
})
const Tool = z.looseObject({ type: z.literal('function'), function: FunctionSpec })

/** The fields that JARVIS reads. Other fields are ignored. */
export const ChatBody = z.looseObject({
  model: z.string().min(1).max(200),
  messages: z.array(Message).min(1).max(2_000),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  max_tokens: z.int().min(1).nullish(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  n: z.int().nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().nullish(),
  modalities: z.array(z.string()).nullish(),
  response_format: z.looseObject({ type: z.string(), json_schema: z.unknown().optional() }).nullish(),
  tools: z.array(Tool).max(128).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
  /** The older form of `tools` and `tool_choice`. */
  functions: z.array(FunctionSpec).max(128).nullish(),
  function_call: z.union([z.string(), z.looseObject({ name: z.string() })]).nullish(),
})
type ChatBody = z.infer<typeof ChatBody>
type Message = Exclude<ChatBody['messages'][number], { role: 'function' }>

/** Fields that have no effect here although a client may rely on them. The answer names those that the client sent. */
const passedOver = [
  ...['temperature', 'top_p', 'stop', 'seed', 'presence_penalty', 'frequency_penalty', 'logit_bias'],
  ...['parallel_tool_calls', 'prediction', 'verbosity', 'service_tier', 'store', 'web_search_options'],
  ...['top_k', 'min_p', 'repetition_penalty', 'enable_thinking', 'chat_template_kwargs', 'thinking'],
]

/** A program's request, converted. `ignored`: names of fields without effect. */
export type ChatRequest = {
  model: string
  isStreamed: boolean
  wantsUsage: boolean
  ignored: readonly string[]
  format: AnswerFormat | undefined
  /** True: the answer must call one of the program's own tools. */
  mustCall: boolean
  /** The program's tools came as `functions`, so its calls go out as `function_call`, which has no id. */
  isLegacy: boolean
  /**
   * Returns the turn that the program asks for. @param isSession true: JARVIS keeps the conversation. Only the person's last message and the messages after it are
   * then used.
   */
  turn(isSession: boolean): AskedTurn
  /** Returns the files of the messages that are used. */
  files(isSession: boolean): SentFiles
}

/**
 * Reads the body of `POST /v1/chat/completions`. @param checkFile checks each file as its receiver will
 * @throws ApiError 400 with the field
 */
export function readChatRequest(body: unknown, checkFile: CheckFile): ChatRequest {
  const parsed = ChatBody.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const param = pathOf(issue?.path ?? [])
    throw badField(param, `${param === '' ? 'The body' : param}: ${issue?.message ?? 'cannot be read'}.`)
  }
  const given = parsed.data
  refuseUnsupported(given)
  const { isLegacy, functions, choice, choiceField } = ownToolsIn(given)
  const tools = functions.map(({ name, description, parameters }) => ({
    name,
    description: description ?? '',
    inputSchema: parameters ?? { type: 'object', properties: {} },
  }))
  tools.forEach(({ name }, at) => {
    const param = isLegacy ? `functions[${at}].name` : `tools[${at}].function.name`
    if (tools.findIndex((one) => one.name === name) !== at) throw badField(param, `There are two tools ${name}.`)
  })
  const format = formatIn(given.response_format)
  const toolChoice = toolChoiceIn(choice, tools, choiceField)
  const present = Object.entries(given).flatMap(([name, value]) => (value === null || value === undefined ? [] : name))
  const conversation = conversationOf(withCallIds(given.messages), checkFile)
  const mostTokens = given.max_completion_tokens ?? given.max_tokens ?? undefined
  const effort = effortOf(given.reasoning_effort ?? undefined)
  return {
    model: given.model,
    isStreamed: given.stream === true,
    wantsUsage: given.stream_options?.include_usage === true,
    ignored: passedOver.filter((name) => present.includes(name)),
    format,
    mustCall: toolChoice !== undefined,
    isLegacy,
    files: (isSession) => ({
      sent: conversation.files,
      ...(!isSession && { earlier: newestFiles(conversation.earlierFiles) }),
    }),
    turn(isSession) {
      const { wishes, before, text, after } = conversation
      const isGoingOn = isSession && after.length > 0
      return {
        text: isGoingOn ? goingOn : text,
        ...(wishes !== '' && { wishes }),
        ...(!isSession && before.length > 0 && { before }),
        ...(after.length > 0 && { after: isSession ? after.filter(({ role }) => role === 'tool') : after }),
        ...(choice !== 'none' && tools.length > 0 && { tools }),
        toolChoice,
        format,
        mostTokens,
        effort,
      }
    },
  }
}

/** Text of the user message if the session continues with results of the program's own tools. */
export const goingOn = '[The program has run its tools. Go on.]'

function refuseUnsupported(given: ChatBody) {
  if ((given.n ?? 1) !== 1) throw badField('n', 'JARVIS gives one answer: n must be 1.')
  if (given.logprobs === true) throw badField('logprobs', 'JARVIS knows no log probabilities. Leave logprobs out.')
  if ((given.top_logprobs ?? 0) > 0) throw badField('top_logprobs', 'JARVIS knows no log probabilities. Leave it out.')
  if (given.modalities?.some((kind) => kind !== 'text') || given.audio)
    throw badField('modalities', 'JARVIS answers in text alone.')
  const isLegacy = present(given.functions) || present(given.function_call)
  if (isLegacy && (present(given.tools) || present(given.tool_choice)))
    throw badField('functions', 'Send tools with tool_choice, or functions with function_call, and not both.')
}

const present = (value: unknown) => value !== undefined && value !== null

/** Returns the program's own functions, and its choice of the function to call, from `tools` or from `functions`. */
function ownToolsIn({ tools, tool_choice, functions, function_call: called }: ChatBody) {
  const isLegacy = present(functions) || present(called)
  if (!isLegacy)
    return {
      isLegacy,
      functions: (tools ?? []).map((tool) => tool.function),
      choice: tool_choice,
      choiceField: 'tool_choice',
    }
  if (called === 'required') throw badField('function_call', 'function_call is auto, none, or names a function.')
  const choice = typeof called === 'object' && called !== null ? { type: 'function', function: called } : called
  return { isLegacy, functions: functions ?? [], choice, choiceField: 'function_call' }
}

/** Returns the program's tool that must be called; undefined if no call is required. A program cannot require a call of JARVIS's own tools. */
function toolChoiceIn(
  given: ChatBody['tool_choice'],
  tools: readonly { name: string }[],
  field: string,
): ToolChoice | undefined {
  const { type, function: named } =
    typeof given === 'string' ? { type: given, function: undefined } : (given ?? { type: 'auto' })
  if (type === 'auto' || type === 'none') return undefined
  if (type === 'required') {
    if (tools.length === 0) throw badField(field, 'There are no tools that could be required. Send some.')
    return 'any'
  }
  const read = z.looseObject({ name: z.string() }).safeParse(named)
  if (type !== 'function' || !read.success)
    throw badField(field, `${field} is auto, none, required, or names one of your own functions.`)
  const { name } = read.data
  if (tools.some((tool) => tool.name === name)) return { name }
  throw badField(field, `There is no tool ${JSON.stringify(name.slice(0, 64))} among those that you sent.`)
}

/** Returns the path of a field, such as `messages[2].content`. */
export const pathOf = (path: readonly PropertyKey[]) =>
  path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  )

const effortOf = (asked: ChatBody['reasoning_effort'] | undefined): Effort | undefined => {
  if (asked === undefined || asked === null) return undefined
  if (asked === 'none') return 'off'
  return asked === 'minimal' ? 'low' : asked === 'xhigh' || asked === 'max' ? 'high' : asked
}

/** Adds ids to calls in the older form, which have none. A result there follows its call. */
function withCallIds(messages: ChatBody['messages']): Message[] {
  let id = 'function_0'
  return messages.map((message, at): Message => {
    if (message.role === 'function') return { role: 'tool', tool_call_id: id, content: message.content }
    if (message.role !== 'assistant' || !message.function_call) return message
    id = `function_${at}`
    const call = { id, type: 'function' as const, function: message.function_call }
    return { ...message, tool_calls: [...(message.tool_calls ?? []), call] }
  })
}

/** Divides the messages by their purpose. `text` is the last message of the person. */
function conversationOf(messages: readonly Message[], checkFile: CheckFile) {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  if (last < 0) throw badField('messages', 'There is no message with the role user.')
  const wishes = messages.flatMap((message, at) =>
    message.role === 'system' || message.role === 'developer' ? wordsOf(message.content, `messages[${at}]`) : [],
  )
  const said = (from: number, to: number) =>
    messages.slice(from, to).flatMap((message, at) => saidIn(message, `messages[${from + at}]`))
  const { content } = messages[last] as Extract<Message, { role: 'user' }>
  const words = personsWords(content, `messages[${last}]`)
  const files = filesIn({ content, at: `messages[${last}]` }, checkFile)
  const text = /\S/.test(words) || files.length === 0 ? words : withoutWords
  if (!/\S/.test(text)) throw badField(`messages[${last}].content`, 'The last message of the role user is empty.')
  const before: Said[] = []
  const earlierFiles = new Map<number, GivenFile[]>()
  for (const [at, message] of messages.slice(0, last).entries()) {
    const given = message.role === 'user' ? filesIn({ content: message.content, at: `messages[${at}]` }, checkFile) : []
    if (given.length > 0) earlierFiles.set(before.length, given)
    before.push(...saidIn(message, `messages[${at}]`))
  }
  const after = said(last + 1, messages.length)
  return { wishes: wishes.join('\n\n'), before, text, files, earlierFiles, after }
}

/** Replaces the text of a message that contains only a file. */
const withoutWords = '[This was sent without words.]'

/** Maximum number of files from earlier messages that are kept, because clients send all files again with each request. */
const mostEarlierFiles = 6

/** Returns the files of the newest messages, up to the maximum. */
function newestFiles(files: ReadonlyMap<number, GivenFile[]>): Map<number, GivenFile[]> {
  const kept = new Map<number, GivenFile[]>()
  let room = mostEarlierFiles
  for (const [at, given] of [...files].reverse()) {
    room -= given.length
    if (room < 0) break
    kept.set(at, given)
  }
  return kept
}

function saidIn(message: Message, at: string): Said[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', text: personsWords(message.content, at) }]
    case 'assistant': {
      const calls = (message.tool_calls ?? []).map((call, index) => callIn(call, `${at}.tool_calls[${index}]`))
      const text = wordsOf(withoutThoughts(message.content), at)
      return text === '' && calls.length === 0 ? [] : [{ role: 'assistant', text, ...(calls.length > 0 && { calls }) }]
    }
    case 'tool':
      return [{ role: 'tool', callId: sendableId(message.tool_call_id), text: resultWords(message.content, at) }]
    case 'system':
    case 'developer':
      return []
    default:
      return message satisfies never
  }
}

/** Makes an id acceptable to providers, which refuse other characters and longer ids. */
const sendableId = (id: string) => id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)

function callIn({ id, function: called, custom }: z.infer<typeof Call>, at: string) {
  if (called) return { id: sendableId(id), toolName: called.name, toolInput: inputOf(called.arguments) }
  if (custom) return { id: sendableId(id), toolName: custom.name, toolInput: { input: custom.input } }
  throw badField(`${at}.function`, `${at} names no function.`)
}

/** Parses the arguments of an earlier call. Arguments that are not an object are kept as text. */
function inputOf(given: z.infer<typeof Arguments>): ToolInput {
  if (typeof given === 'object' && given !== null) return given as ToolInput
  const text = given ?? ''
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as ToolInput
  } catch {}
  return { arguments: text }
}

type Content = z.infer<typeof Words>

/** The text of a person's message, without its files. */
const personsWords = (content: Content, at: string): string =>
  typeof content === 'string'
    ? content
    : (content ?? [])
        .flatMap((part, index) => (isFilePart(part) ? [] : textIn(part, `${at}.content[${index}]`)))
        .join('\n')

/** Drops a model's thinking, which is not part of its answer. */
const withoutThoughts = (content: Content): Content =>
  Array.isArray(content) ? content.filter(({ type }) => !thoughts.has(type)) : content
const thoughts = new Set(['thinking', 'redacted_thinking', 'reasoning'])

/** Returns the text of a result. Other parts, such as pictures, are only named. */
const resultWords = (content: Content, at: string): string =>
  wordsOf(
    Array.isArray(content)
      ? content.map((part) =>
          isFilePart(part) || part.type === 'input_audio' ? { type: 'text', text: `[${part.type}, not shown]` } : part,
        )
      : content,
    at,
  ) || '[The tool gave no output.]'

function wordsOf(content: Content, at: string): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part, index) => textIn(part, `${at}.content[${index}]`)).join('\n')
}

function textIn(part: z.infer<typeof Part>, at: string): string {
  if (part.type === 'refusal' && typeof part.refusal === 'string') return part.refusal
  const text = TextPart.safeParse(part)
  if (text.success) return text.data.text
  const problem = unsupported.get(part.type) ?? `A part of the type ${JSON.stringify(part.type)} is not known here.`
  throw new ApiError('unsupported_content', `${problem} Send text.`, { status: 400, param: at })
}
const unsupported = new Map([
  ['image_url', 'JARVIS takes pictures in messages of the role user alone.'],
  ['input_audio', 'JARVIS takes no sound here.'],
  ['file', 'JARVIS takes files in messages of the role user alone.'],
])
