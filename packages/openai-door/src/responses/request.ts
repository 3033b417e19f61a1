import { z } from 'zod'
import { type ChatRequest, goingOn, pathOf, readChatRequest } from '../chat/request.ts'
import { ApiError, badField } from '../errors.ts'
import type { CheckFile } from '../turn.ts'
import type { Item } from './items.ts'

const Part = z.looseObject({ type: z.string() })
const Words = z.union([z.string(), z.array(Part)]).nullish()
const Input = z.looseObject({ type: z.string().nullish(), id: z.string().nullish() })
const Message = z.looseObject({ role: z.enum(['user', 'assistant', 'system', 'developer']), content: Words })
const Arguments = z.union([z.string(), z.record(z.string(), z.unknown())]).nullish()
const Call = z.looseObject({ call_id: z.string().min(1), name: z.string().min(1), arguments: Arguments })
const CallOutput = z.looseObject({
  call_id: z.string().min(1).nullish(),
  id: z.string().min(1).nullish(),
  output: z.unknown().optional(),
})
const FreeCall = z.looseObject({ call_id: z.string().min(1), name: z.string().min(1), input: z.string() })
/** A call of a tool that a provider runs. Older calls have only an id. */
const OtherCall = z.looseObject({
  type: z.string(),
  call_id: z.string().min(1).nullish(),
  id: z.string().min(1).nullish(),
})
const RanHere = z.looseObject({
  id: z.string().min(1),
  name: z.string().min(1),
  arguments: z.string(),
  output: z.string().nullish(),
  error: z.unknown().optional(),
})
const Reference = z.looseObject({ id: z.string().min(1) })
const Tool = z.looseObject({ type: z.string() })

const Format = z.looseObject({ type: z.string() })

/** The fields that JARVIS reads. Other fields are ignored. */
const ResponsesBody = z.looseObject({
  model: z.string().min(1).max(200),
  input: z.union([z.string(), z.array(Input).min(1).max(2_000)]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  previous_response_id: z.string().max(200).nullish(),
  conversation: z.unknown().optional(),
  prompt: z.unknown().optional(),
  max_output_tokens: z.int().min(1).nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
  text: z.looseObject({ format: Format.nullish() }).nullish(),
  tools: z.array(Tool).max(128).nullish(),
  tool_choice: z.unknown().optional(),
  metadata: z.record(z.string(), z.string()).nullish(),
  top_logprobs: z.int().nullish(),
  include: z.array(z.string()).nullish(),
})
/** The value of `include` that adds the calls that ran in JARVIS to a response in one piece. */
const ownCalls = 'jarvis.mcp_call'
/** A message in the form of chat completions. */
type Sent = { role: string; [field: string]: unknown }

/** Fields that have no effect here although a client may rely on them, in addition to those of Chat Completions. */
const passedOver = ['truncation', 'max_tool_calls']
/**
 * Tools that are not functions and that a program offers to every model: tools that a provider runs, and tools that take free text. They are not
 * offered to the model.
 */
const otherTools =
  /^(?:custom|local_shell|shell|apply_patch|web_search|file_search|code_interpreter|image_generation|computer|tool_search|namespace)(?:_|$)/

/** Input items of computer use. JARVIS drops them, and reports them as ignored fields, because their screenshots do not reach the model. */
const screens = new Set(['computer_call', 'computer_call_output'])

/** A program's request, converted. */
export type ResponsesRequest = ChatRequest & {
  isBackground: boolean
  /** True: a response in one piece includes items for the calls that ran in JARVIS. */
  showsOwnCalls: boolean
  instructions: string | undefined
  previous: string | undefined
  tools: readonly object[]
  metadata: Record<string, string>
  mostTokens: number | undefined
  /** The values that the response repeats. */
  textFormat: object | undefined
  toolChoice: unknown
}

/**
 * Reads the body of `POST /v1/responses`. @param itemOf finds the item that an `item_reference` names; undefined if there is none @param checkFile
 * checks each file as its receiver will @throws ApiError 400 or 404 with the field
 */
export function readResponsesRequest(
  body: unknown,
  itemOf: (id: string) => Item | undefined,
  checkFile: CheckFile,
): ResponsesRequest {
  const parsed = ResponsesBody.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const param = pathOf(issue?.path ?? [])
    throw badField(param, `${param === '' ? 'The body' : param}: ${issue?.message ?? 'cannot be read'}.`)
  }
  const given = parsed.data
  for (const name of ['conversation', 'prompt'] as const)
    if (given[name] !== undefined && given[name] !== null)
      throw badField(
        name,
        `JARVIS keeps no ${name} objects. Go on with previous_response_id or the header Jarvis-Session.`,
      )
  if (given.functions || given.function_call) throw badField('functions', 'Functions are given as tools here.')
  const previous = given.previous_response_id ?? undefined
  const inputs = typeof given.input === 'string' ? [] : given.input
  const messages =
    typeof given.input === 'string'
      ? [{ role: 'user', content: given.input }]
      : inputs.map((item, at) => messageOf(item, `input[${at}]`, itemOf))
  // A request that has only results of the program's own tools continues the response before it.
  const isGoingOn = previous !== undefined && !messages.some(({ role }) => role === 'user')
  const chat = inChatsWords(() =>
    readChatRequest(
      {
        ...given,
        input: undefined,
        messages: [
          ...(isGoingOn ? [{ role: 'user', content: goingOn }] : []),
          ...messages,
          ...(given.instructions ? [{ role: 'system', content: given.instructions }] : []),
        ],
        max_completion_tokens: given.max_output_tokens,
        reasoning_effort: given.reasoning?.effort,
        response_format: given.text?.format && formatOf(given.text.format),
        tools: given.tools?.flatMap((tool, at) => (otherTools.test(tool.type) ? [] : functionOf(tool, at))),
        tool_choice: choiceOf(given.tool_choice),
        logprobs: undefined,
      },
      checkFile,
    ),
  )
  return {
    ...chat,
    ignored: [
      ...chat.ignored,
      ...passedOver.filter((name) => given[name] !== undefined && given[name] !== null),
      ...(given.include?.some((name) => name !== ownCalls) ? ['include'] : []),
      ...new Set(given.tools?.flatMap(({ type }) => (otherTools.test(type) ? `tools.${type}` : []))),
      ...new Set(inputs.flatMap(({ type }) => (type && screens.has(type) ? `input.${type}` : []))),
    ],
    showsOwnCalls: given.include?.includes(ownCalls) === true,
    isBackground: given.background === true,
    instructions: given.instructions ?? undefined,
    previous,
    tools: given.tools ?? [],
    metadata: given.metadata ?? {},
    mostTokens: given.max_output_tokens ?? undefined,
    textFormat: given.text?.format ?? undefined,
    toolChoice: given.tool_choice ?? undefined,
  }
}

/** Converts a format to the form of Chat Completions. */
const formatOf = ({ type, name, schema, strict }: z.infer<typeof Format>) =>
  type === 'json_schema' ? { type, json_schema: { name, schema, strict } } : { type }

function choiceOf(given: unknown): unknown {
  const named = z.looseObject({ type: z.literal('function'), name: z.string() }).safeParse(given)
  return named.success ? { type: 'function', function: { name: named.data.name } } : given
}

/** Returns a function tool of the program. Refuses tools of other types, such as those that OpenAI runs. */
function functionOf({ type, ...tool }: z.infer<typeof Tool>, at: number) {
  if (type !== 'function') {
    throw badField(
      `tools[${at}].type`,
      `JARVIS has its own tools, and runs no ${type} for programs. Send functions alone.`,
    )
  }
  return { type, function: tool }
}

/** Converts an item to a message of Chat Completions. An item without a meaning here becomes an empty message, so that the indexes stay the same. */
function messageOf(input: z.infer<typeof Input>, at: string, resolve: (id: string) => Item | undefined): Sent {
  const read = <T>(schema: z.ZodType<T>): T => {
    const parsed = schema.safeParse(input)
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    throw badField(`${at}.${issue?.path.join('.') ?? ''}`, `${at}: ${issue?.message ?? 'cannot be read'}.`)
  }
  switch (input.type ?? 'message') {
    case 'message': {
      const { role, content } = read(Message)
      return { role, content: partsOf(content) }
    }
    case 'function_call': {
      const { call_id: id, name, arguments: given } = read(Call)
      return { role: 'assistant', tool_calls: [{ id, type: 'function', function: { name, arguments: given } }] }
    }
    case 'custom_tool_call': {
      const { call_id: id, name, input: text } = read(FreeCall)
      return calledOf(id, name, { input: text })
    }
    case 'local_shell_call':
    case 'shell_call':
    case 'apply_patch_call': {
      const { type, call_id: called, id, action, operation } = read(OtherCall)
      return calledOf(called ?? id ?? at, type.replace(/_call$/, ''), { action: action ?? operation ?? null })
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output':
    case 'shell_call_output':
    case 'apply_patch_call_output': {
      const { call_id: called, id, output } = read(CallOutput)
      const words = Words.safeParse(output)
      return {
        role: 'tool',
        tool_call_id: called ?? id ?? at,
        content: words.success ? partsOf(words.data) : JSON.stringify(output),
      }
    }
    case 'mcp_call': {
      const { name, arguments: given, output, error } = read(RanHere)
      // A call that a program sends back is the program's word, like all of its input.
      return { role: 'assistant', content: `[${name} ${given}: ${output ?? JSON.stringify(error ?? 'no result')}]` }
    }
    case 'item_reference': {
      const { id } = read(Reference)
      const item = resolve(id)
      if (item === undefined)
        throw new ApiError('not_found', `${at}: this token has no item ${JSON.stringify(id.slice(0, 100))}.`, {
          status: 404,
          param: at,
        })
      return messageOf(item as z.infer<typeof Input>, at, resolve)
    }
    // Items for calls of the provider's own tools, and for a program's own notes.
    case 'web_search_call':
    case 'file_search_call':
    case 'image_generation_call':
    case 'code_interpreter_call':
    case 'computer_call':
    case 'computer_call_output':
    case 'tool_search_call':
    case 'tool_search_output':
    case 'additional_tools':
    case 'ghost_snapshot':
    case 'compaction':
    case 'compaction_summary':
    case 'compaction_trigger':
    case 'context_compaction':
    case 'reasoning':
    case 'jarvis:confirmation':
    case 'mcp_list_tools':
    case 'mcp_approval_request':
      return { role: 'assistant', content: '' }
    case 'mcp_approval_response':
      throw badField(
        at,
        'Nothing that is sent over /v1 decides. Decide it in the JARVIS dashboard, on the page Waiting.',
        'decided_elsewhere',
      )
    default:
      throw new ApiError(
        'unsupported_content',
        `${at}: an item of the type ${JSON.stringify(input.type)} is not known here.`,
        { status: 400, param: at },
      )
  }
}

const calledOf = (id: string, name: string, input: object): Sent => ({
  role: 'assistant',
  tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
})

/** Parts of a text by the names of chat completions. */
function partsOf(content: z.infer<typeof Words>) {
  if (!Array.isArray(content)) return content ?? ''
  return content.map((part) => {
    if (part.type === 'input_text' || part.type === 'output_text') return { ...part, type: 'text' }
    if (part.type === 'input_image') return { ...part, type: 'image_url' }
    return part.type === 'input_file' ? { type: 'file', file: part } : part
  })
}

/** Replaces the field names of Chat Completions in an error by those of the Responses API. */
function inChatsWords<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.param === null) throw error
    const translate = (text: string) =>
      text
        .replaceAll('messages', 'input')
        .replaceAll('reasoning_effort', 'reasoning.effort')
        .replaceAll('response_format.json_schema', 'text.format')
        .replaceAll('response_format', 'text.format')
        .replaceAll('max_completion_tokens', 'max_output_tokens')
        .replaceAll('.function.name', '.name')
    throw new ApiError(error.code, translate(error.message), { status: error.status, param: translate(error.param) })
  }
}
