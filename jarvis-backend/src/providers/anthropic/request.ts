import type Anthropic from '@anthropic-ai/sdk'
import type { ModelImage, ModelRequest } from '../../agent/model.ts'
import type { Content } from '../../protocol/index.ts'
import { type AssistantTurn, conversation, type UserTurn } from '../conversation.ts'

type Block = Anthropic.ContentBlockParam
type UserBlock = Anthropic.TextBlockParam | Anthropic.ToolResultBlockParam

const cached = { cache_control: { type: 'ephemeral' } } as const

export type RequestOptions = { id: string; model: string; maxTokens: number; thinking: 'off' | 'adaptive' }

/** The body of `POST /v1/messages`, with at most four cache breakpoints: tools, system and two user messages. */
export function anthropicRequest(
  { system, messages, tools, mayCallTools }: ModelRequest,
  { id, model, maxTokens, thinking }: RequestOptions,
): Anthropic.MessageCreateParamsStreaming {
  const current = currentRun(messages)
  const turns = conversation(messages, (content, turn) => turn.model === id && isSigned(content) && current.has(turn))
  const marked = breakpoints(turns)
  const declared = declaredTools(tools, turns)
  return {
    model,
    max_tokens: maxTokens,
    stream: true,
    messages: turns.map((turn) =>
      turn.role === 'user'
        ? { role: 'user', content: userBlocks(turn, marked.has(turn)) }
        : { role: 'assistant', content: turn.content.flatMap(assistantBlock) },
    ),
    ...(/\S/.test(system) && { system: [{ type: 'text', text: system.toWellFormed(), ...cached }] }),
    ...(declared.length > 0 && { tools: declared }),
    ...(declared.length > 0 && !(mayCallTools && tools.length > 0) && { tool_choice: { type: 'none' } }),
    ...(thinking === 'adaptive' && { thinking: { type: 'adaptive', display: 'summarized' } }),
  }
}

/**
 * What follows the last words of a person. Thinking is bound to all that stood before it, instructions and tools included,
 * and is refused after a change of any of that: within a run nothing changes, over several the window of history moves.
 */
const currentRun = (messages: ModelRequest['messages']) =>
  new Set(messages.slice(messages.findLastIndex((message) => message.role === 'user' && /\S/.test(message.text)) + 1))

/**
 * The body as it is sent. What is the same as the time before, tools and instructions and so most of it, is encoded once.
 */
export function anthropicBody(options: RequestOptions): (request: ModelRequest) => Buffer {
  let before: { system: string; tools: ModelRequest['tools']; mayCallTools: boolean; encoded: Buffer } | undefined
  return (request) => {
    const { messages, ...rest } = anthropicRequest(request, options)
    const { system, tools, mayCallTools } = request
    if (
      before?.system !== system ||
      before.tools !== tools ||
      before.mayCallTools !== mayCallTools ||
      tools.length === 0
    )
      before = { system, tools, mayCallTools, encoded: Buffer.from(JSON.stringify(rest).slice(0, -1)) }
    return Buffer.concat([before.encoded, Buffer.from(`,"messages":${JSON.stringify(messages)}}`)])
  }
}

/** A history with calls is refused without tools, so those it names stand in where none are given. */
function declaredTools(tools: ModelRequest['tools'], turns: readonly (UserTurn | AssistantTurn)[]): Anthropic.Tool[] {
  if (tools.length > 0)
    return tools.map(({ name, description, inputSchema }, i) => ({
      name,
      description,
      input_schema: inputSchema as Anthropic.Tool.InputSchema,
      ...(i === tools.length - 1 && cached),
    }))
  const called = turns
    .flatMap((turn) => (turn.role === 'user' ? [] : turn.content))
    .filter((c) => c.type === 'tool_call')
  const names = new Set(called.map((call) => call.toolName))
  return [...names].map((name) => ({ name, input_schema: { type: 'object' } }))
}

/**
 * The last user message, and the last one before it in which a person spoke: a run may end more than the 20 blocks
 * after its start that the cache looks back, and what follows that person's words changes when the run is over.
 */
function breakpoints(turns: readonly (UserTurn | AssistantTurn)[]): Set<UserTurn> {
  const users = turns.filter((turn) => turn.role === 'user')
  const last = users.pop()
  const spoken = users.findLast((turn) => turn.texts.some((part) => !part.isContext))
  return new Set([last, spoken].filter((turn) => turn !== undefined))
}

function userBlocks({ results, texts }: UserTurn, isMarked: boolean): UserBlock[] {
  const blocks: UserBlock[] = results.map(({ toolUseId, text, isError, images }) => ({
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: images === undefined ? text : [{ type: 'text', text }, ...images.map(imageBlock)],
    ...(isError && { is_error: true }),
  }))
  blocks.push(...texts.map(({ text }) => ({ type: 'text' as const, text })))
  if (!isMarked) return blocks
  // Never on the cluster's summary: it is another one each time.
  const at = results.length + texts.findLastIndex((part) => !part.isContext)
  return blocks.map((block, i) => (i === at ? { ...block, ...cached } : block))
}

const imageBlock = ({ mimeType, data }: ModelImage): Anthropic.ImageBlockParam => ({
  type: 'image',
  source: { type: 'base64', media_type: mimeType, data: data.toString('base64') },
})

const isSigned = (content: Content) =>
  content.type === 'redacted_thinking' || (content.type === 'thinking' && content.signature !== undefined)

function assistantBlock(content: Content): Block[] {
  switch (content.type) {
    case 'text':
      return [{ type: 'text', text: content.text }]
    case 'thinking':
      return content.signature === undefined
        ? []
        : [{ type: 'thinking', thinking: content.text, signature: content.signature }]
    case 'redacted_thinking':
      return [{ type: 'redacted_thinking', data: content.data }]
    case 'tool_call':
      return [{ type: 'tool_use', id: content.toolUseId, name: content.toolName, input: content.toolInput }]
  }
}
