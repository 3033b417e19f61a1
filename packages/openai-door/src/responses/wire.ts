import type { Usage } from 'protocol'
import type { Ended } from '../answer.ts'
import { tokensUsed } from '../usage.ts'
import type { Item } from './items.ts'

export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'

/** The fields of the request that the response repeats. `created`: Unix s. */
export type Head = {
  id: string
  created: number
  model: string
  instructions?: string | undefined
  previous?: string | undefined
  tools?: readonly object[]
  isBackground?: boolean
  /** False for an answer that is not stored in a session. Default true. */
  isStored?: boolean
  metadata?: Record<string, string>
  mostTokens?: number | undefined
  textFormat?: object | undefined
  toolChoice?: unknown
}

/** JARVIS's own data in responses. Clients ignore it. */
export type Own = {
  sessionId?: string
  runId?: string
  waiting?: readonly { toolUseId: string; expiresAt: number }[]
}

export type Outcome = {
  status: ResponseStatus
  /** Time of completion, Unix ms. */
  at?: number
  error?: { code: string; message: string }
  reason?: 'max_output_tokens' | 'content_filter'
}

/** Converts the end of a run to the outcome of a response. */
export function outcomeOf(end: Ended): Outcome {
  if (end.type === 'failed') {
    const { code, message } = end
    return { status: code === 'aborted' ? 'cancelled' : 'failed', error: { code, message } }
  }
  if (end.stopReason === 'max_tokens') return { status: 'incomplete', reason: 'max_output_tokens' }
  if (end.stopReason === 'refusal') return { status: 'incomplete', reason: 'content_filter' }
  return { status: 'completed', at: end.at }
}

const usageOf = (usage: Usage) => {
  const { input, output, cached, total } = tokensUsed(usage)
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: total,
  }
}

/** A whole response. `usage`: undefined until it is known. */
export const responseOf = (
  head: Head,
  { status, at, error, reason }: Outcome,
  { output, usage, own }: { output: readonly Item[]; usage: Usage | undefined; own: Own },
) => ({
  id: head.id,
  object: 'response',
  created_at: head.created,
  status,
  background: head.isBackground === true,
  completed_at: at === undefined ? null : Math.floor(at / 1000),
  error: error ?? null,
  incomplete_details: reason === undefined ? null : { reason },
  instructions: head.instructions ?? null,
  max_output_tokens: head.mostTokens ?? null,
  max_tool_calls: null,
  model: head.model,
  output,
  parallel_tool_calls: true,
  previous_response_id: head.previous ?? null,
  reasoning: { effort: null, summary: null },

  service_tier: 'default',
  store: head.isStored !== false,
  temperature: 1,
  top_p: 1,
  top_logprobs: 0,
  truncation: 'disabled',
  presence_penalty: 0,
  frequency_penalty: 0,
  prompt_cache_key: null,
  safety_identifier: null,
  user: null,
  text: { format: head.textFormat ?? { type: 'text' } },
  tool_choice: head.toolChoice ?? 'auto',
  tools: (head.tools ?? []).map((tool) => ({ description: null, parameters: null, strict: null, ...tool })),
  usage: usage === undefined ? null : usageOf(usage),
  metadata: head.metadata ?? {},
  jarvis: own,
})
