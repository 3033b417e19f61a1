import type { StopReason, ToolCall, Usage } from 'protocol'
import type { OwnFile } from '../containers.ts'
import { tokensUsed } from '../usage.ts'

/** The fields that all chunks of an answer share. `created`: Unix s. */
export type Head = { id: string; created: number; model: string }

export type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls' | 'function_call'

export const finishOf = (stopReason: StopReason, handedOut: readonly ToolCall[], isLegacy: boolean): FinishReason => {
  if (handedOut.length > 0) return isLegacy ? 'function_call' : 'tool_calls'
  if (stopReason === 'max_tokens') return 'length'
  return stopReason === 'refusal' ? 'content_filter' : 'stop'
}

export const usageOf = (usage: Usage) => {
  const { input, output, cached, total } = tokensUsed(usage)
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: total,
    prompt_tokens_details: { cached_tokens: cached },
  }
}

export const callOf = ({ toolUseId, toolName, toolInput }: ToolCall) => ({
  id: toolUseId,
  type: 'function' as const,
  function: { name: toolName, arguments: JSON.stringify(toolInput) },
})

/**
 * Returns the calls for the program in the form of a message or a delta. The older form has room for one call; the model repeats the others after it
 * has the result of the first.
 */
const handedOutOf = (calls: readonly ToolCall[], isLegacy: boolean, isDelta: boolean) => {
  const [first] = calls
  if (first === undefined) return {}
  if (isLegacy) return { function_call: callOf(first).function }
  return { tool_calls: calls.map((call, index) => ({ ...(isDelta && { index }), ...callOf(call) })) }
}

/** JARVIS's own data in answers. Clients ignore it. */
export type Own = {
  sessionId?: string
  runId?: string
  files?: readonly OwnFile[]
  waiting?: readonly { toolUseId: string; expiresAt: number }[]
  error?: { code: string; message: string }
}

/** The form of chunks that a program asked for. `isLegacy`: calls are sent as `function_call`. */
export type Form = { wantsUsage: boolean; isLegacy: boolean }

/** An answer in one piece. */
export const completion = (
  { id, created, model }: Head,
  said: {
    text: string
    calls?: readonly ToolCall[]
    isLegacy?: boolean
    finish: FinishReason
    usage: Usage
    own: Own
    reasoning?: string
  },
) => ({
  id,
  object: 'chat.completion',
  created,
  model,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: said.text === '' && said.calls?.length ? null : said.text,
        refusal: null,
        ...(said.reasoning && { reasoning_content: said.reasoning }),
        ...handedOutOf(said.calls ?? [], said.isLegacy === true, false),
      },
      logprobs: null,
      finish_reason: said.finish,
    },
  ],
  usage: usageOf(said.usage),
  jarvis: said.own,
})

/**
 * Returns functions that build the chunks of a streamed answer as JSON. They are called for each piece of text, so the constant part is encoded
 * once. If usage was asked for, each chunk has the field `usage`, which is `null` before the last chunk, as in OpenAI's API.
 */
export function chunksOf({ id, created, model }: Head, { wantsUsage, isLegacy }: Form) {
  const bare = { id, object: 'chat.completion.chunk', created, model }
  const head = { ...bare, ...(wantsUsage && { usage: null }) }
  const open = JSON.stringify(head).slice(0, -1)
  const piece = (field: string) => {
    const before = `${open},"choices":[{"index":0,"delta":{"${field}":`
    return (text: string) => `${before}${JSON.stringify(text)}},"finish_reason":null}]}`
  }
  const choice = (delta: object, finish: FinishReason | null) => [{ index: 0, delta, finish_reason: finish }]
  return {
    role: (own: Own) =>
      JSON.stringify({ ...head, choices: choice({ role: 'assistant', content: '' }, null), jarvis: own }),
    text: piece('content'),
    reasoning: piece('reasoning_content'),
    calls: (calls: readonly ToolCall[]) =>
      JSON.stringify({
        ...head,
        choices: choice(handedOutOf(calls, isLegacy, true), null),
      }),
    finish: (reason: FinishReason, own: Own) => JSON.stringify({ ...head, choices: choice({}, reason), jarvis: own }),
    usage: (usage: Usage) => JSON.stringify({ ...bare, choices: [], usage: usageOf(usage) }),
  }
}
