import OpenAI from 'openai'
import { z } from 'zod'
import { createToken, firstCard, type TokenOptions } from './mcp-client.ts'
import type { TestJarvis } from './start-jarvis.ts'

/** A client that does not ask again by itself, unless it is told to. */
export const openaiOf = (jarvis: TestJarvis, options: TokenOptions & { maxRetries?: number } = {}) =>
  new OpenAI({ apiKey: createToken(jarvis, options), baseURL: `${jarvis.url}/v1`, maxRetries: options.maxRetries ?? 0 })

/** Sends a body as it is. */
export const post = (
  jarvis: Pick<TestJarvis, 'url'>,
  token: string,
  body: unknown,
  headers: Record<string, string> = {},
  rest: RequestInit = {},
) =>
  fetch(`${jarvis.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...rest,
  })

/** Decides the next card that waits. */
export async function decide(jarvis: TestJarvis, confirmed: boolean): Promise<void> {
  const { toolUseId } = await firstCard(jarvis)
  await jarvis.as('operator').call('POST /api/confirmations/:id', { params: { id: toolUseId }, body: { confirmed } })
}

const base = {
  id: z.string().regex(/^chatcmpl-/),
  object: z.literal('chat.completion.chunk'),
  created: z.int().min(1_000_000_000).max(10_000_000_000),
  model: z.string().min(1),
}
const own = z.strictObject({
  sessionId: z.string().optional(),
  runId: z.string().optional(),
  files: z.array(z.strictObject({ name: z.string(), url: z.string() })).optional(),
  waiting: z.array(z.strictObject({ toolUseId: z.string(), expiresAt: z.int() })).optional(),
})
const Call = z.strictObject({
  index: z.int(),
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().min(1), arguments: z.string() }),
})
const delta = (shape: z.ZodRawShape) => z.strictObject(shape)
const choices = <D extends z.ZodType, F extends z.ZodType>(of: D, finish: F) =>
  z.tuple([z.strictObject({ index: z.literal(0), delta: of, finish_reason: finish })])
/** Null where usage was asked for, else absent. */
const early = (wantsUsage: boolean) => (wantsUsage ? { ...base, usage: z.null() } : base)
const Role = (wantsUsage: boolean) =>
  z.strictObject({
    ...early(wantsUsage),
    choices: choices(delta({ role: z.literal('assistant'), content: z.literal('') }), z.null()),
    jarvis: own.optional(),
  })
const Piece = (wantsUsage: boolean) =>
  z.strictObject({
    ...early(wantsUsage),
    choices: choices(
      z.union([
        delta({ content: z.string().min(1) }),
        delta({ reasoning_content: z.string().min(1) }),
        delta({ tool_calls: z.array(Call).min(1) }),
        delta({ function_call: Call.shape.function }),
      ]),
      z.null(),
    ),
  })
const Finish = (wantsUsage: boolean) =>
  z.strictObject({
    ...early(wantsUsage),
    choices: choices(delta({}), z.enum(['stop', 'length', 'content_filter', 'tool_calls', 'function_call'])),
    jarvis: own.optional(),
  })
const UsageChunk = z.strictObject({
  ...base,
  choices: z.tuple([]),
  usage: z
    .strictObject({
      prompt_tokens: z.int(),
      completion_tokens: z.int(),
      total_tokens: z.int(),
      prompt_tokens_details: z.strictObject({ cached_tokens: z.int() }),
    })
    .refine(({ prompt_tokens, completion_tokens, total_tokens }) => prompt_tokens + completion_tokens === total_tokens),
})

/** A streamed answer, by its strict reader. */
export type Streamed = {
  text: string
  reasoning: string
  calls: z.infer<typeof Call>[]
  legacyCalls: z.infer<typeof Call>['function'][]
  finish: string
  comments: number
}

/**
 * Reads a whole stream as the strictest client does.
 * @throws Error naming the first line or chunk that such a client refuses
 */
export function readStream(bytes: string, { wantsUsage }: { wantsUsage: boolean }): Streamed {
  const result: Streamed = { text: '', reasoning: '', calls: [], legacyCalls: [], finish: '', comments: 0 }
  if (!bytes.endsWith('\n\n')) throw new Error('the stream ends within an event')
  const events = bytes.slice(0, -2).split('\n\n')
  const data: string[] = []
  for (const event of events) {
    if (/^: [^\n]+$/.test(event)) result.comments += 1
    else if (/^data: [^\n]+$/.test(event)) data.push(event.slice('data: '.length))
    else throw new Error(`neither data nor a comment: ${JSON.stringify(event)}`)
  }
  if (events.at(-1) !== 'data: [DONE]' || data.pop() !== '[DONE]' || data.includes('[DONE]'))
    throw new Error('[DONE] is not the last event, once')
  const chunks = data.map((json) => JSON.parse(json) as Record<string, unknown>)
  if (wantsUsage) UsageChunk.parse(chunks.pop())
  const [first, ...rest] = chunks
  const { id, created, model } = Role(wantsUsage).parse(first)
  const last = Finish(wantsUsage).parse(rest.pop())
  result.finish = last.choices[0].finish_reason
  const all = [last, ...rest.map((chunk) => Piece(wantsUsage).parse(chunk))]
  for (const chunk of all)
    if (chunk.id !== id || chunk.created !== created || chunk.model !== model)
      throw new Error('another id, time or model')
  for (const {
    choices: [choice],
  } of all) {
    const given = choice.delta as {
      content?: string
      reasoning_content?: string
      tool_calls?: z.infer<typeof Call>[]
      function_call?: z.infer<typeof Call>['function']
    }
    result.text += given.content ?? ''
    result.reasoning += given.reasoning_content ?? ''
    result.calls.push(...(given.tool_calls ?? []))
    result.legacyCalls.push(...(given.function_call === undefined ? [] : [given.function_call]))
  }
  if ((result.finish === 'function_call') !== (result.legacyCalls.length === 1) || result.legacyCalls.length > 1)
    throw new Error('a function_call and its finish do not agree')
  if ((result.finish === 'tool_calls') !== result.calls.length > 0)
    throw new Error('calls and their finish do not agree')
  return result
}
