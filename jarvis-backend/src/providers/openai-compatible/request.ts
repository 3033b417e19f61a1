import type OpenAI from 'openai'
import type { ModelRequest } from '../../agent/model.ts'
import { type AssistantTurn, conversation, type UserTurn } from '../conversation.ts'

type Body = OpenAI.ChatCompletionCreateParamsStreaming
type WireMessage = OpenAI.ChatCompletionMessageParam

export type RequestOptions = {
  model: string
  maxTokens: number | undefined
  isOpenAi: boolean
  /** Its server refuses calls in the history that come without their reasoning. */
  wantsReasoning: boolean
}

/**
 * The body of `POST /chat/completions`. The API has no place for thinking; with calls it goes back under the name that some
 * servers gave it, and so does what else they sent with a call.
 */
export function chatRequest(
  { system, messages, tools, mayCallTools }: ModelRequest,
  { model, maxTokens, isOpenAi, wantsReasoning }: RequestOptions,
): Body {
  const turns = conversation(
    messages,
    (piece, turn) =>
      turn.model === `openai/${model}` &&
      (piece.type === 'tool_call' || (piece.type === 'thinking' && !!piece.isWantedBack)),
  )
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      ...(/\S/.test(system) ? [{ role: 'system' as const, content: system.toWellFormed() }] : []),
      ...turns.flatMap((turn) =>
        turn.role === 'user' ? userMessages(turn) : [assistantMessage(turn, wantsReasoning)],
      ),
    ],
    // OpenAI's reasoning models refuse the old name; most other servers do not know the new one.
    ...(maxTokens !== undefined && (isOpenAi ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens })),
    // Other servers may pass over `tool_choice`; what they are not told of, their models do not call.
    ...(tools.length > 0 &&
      (mayCallTools || isOpenAi) && {
        tools: tools.map(({ name, description, inputSchema }) => ({
          type: 'function' as const,
          function: { name, description, parameters: inputSchema },
        })),
        ...(!mayCallTools && { tool_choice: 'none' as const }),
      }),
  }
}

function userMessages({ results, texts }: UserTurn): WireMessage[] {
  const answers = results.map(
    ({ toolUseId, text }): WireMessage => ({ role: 'tool', tool_call_id: toolUseId, content: text }),
  )
  if (texts.length === 0) return answers
  // One string: some servers do not take a list of parts.
  return [...answers, { role: 'user', content: texts.join('\n\n') }]
}

function assistantMessage({ content }: AssistantTurn, wantsReasoning: boolean): WireMessage {
  const text = content.flatMap((piece) => (piece.type === 'text' ? [piece.text] : [])).join('\n\n')
  const reasoning = content.map((piece) => (piece.type === 'thinking' ? piece.text.toWellFormed() : '')).join('')
  const calls = content.flatMap((piece) => (piece.type === 'tool_call' ? [piece] : []))
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length > 0 && (reasoning !== '' || wantsReasoning) && { reasoning_content: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ toolUseId, toolName, toolInput, extra }) => ({
        ...(extra && { extra_content: extra }),
        id: toolUseId,
        type: 'function' as const,
        function: { name: toolName, arguments: JSON.stringify(toolInput) },
      })),
    }),
  }
}
