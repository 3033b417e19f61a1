import { createHash, type Hash } from 'node:crypto'
import type Anthropic from '@anthropic-ai/sdk'
import type { ModelImage, ModelRequest } from '../../agent/model.ts'
import type { Content } from '../../protocol/index.ts'
import { type AssistantTurn, conversation, type UserTurn } from '../conversation.ts'

type Block = Anthropic.ContentBlockParam
type Thinking = Extract<Content, { type: 'thinking' | 'redacted_thinking' }>

const cached = { cache_control: { type: 'ephemeral' } } as const
const mark = `,${JSON.stringify(cached).slice(1)}`

export type RequestOptions = { id: string; model: string; maxTokens: number; thinking: 'off' | 'adaptive' }

export type EncodedRequest = {
  /** Of `POST /v1/messages`, with at most four cache breakpoints: tools, system and the last two user messages. */
  body: Buffer
  /** Digest of all that the model reads: the thinking of the reply is bound to it. */
  digest: string
  /** The digests of the thinking that goes back. */
  thinking: readonly string[]
}

/**
 * Encodes requests. What is the same as the time before, tools and instructions and so most of it, is encoded once.
 *
 * Claude refuses thinking behind anything but what stood before it when it was thought: instructions, tools and messages. A piece
 * goes back only where all of that is still the same, and the digest it was stored with says so.
 * @param refused digests of thinking that the provider did not take back
 */
export function anthropicEncoder({ id, model, maxTokens, thinking }: RequestOptions) {
  let before:
    | { system: string; tools: ModelRequest['tools']; mayCallTools: boolean; encoded: Buffer; hash: Hash }
    | undefined

  function headOf(request: ModelRequest, turns: readonly (UserTurn | AssistantTurn)[]) {
    const { system, tools, mayCallTools } = request
    const isSame = before?.system === system && before.tools === tools && before.mayCallTools === mayCallTools
    if (before !== undefined && isSame && tools.length > 0) return before
    const declared = declaredTools(tools, turns)
    const prompt = {
      ...(/\S/.test(system) && { system: [{ type: 'text' as const, text: system.toWellFormed(), ...cached }] }),
      ...(declared.length > 0 && { tools: declared }),
    }
    const head = {
      model,
      max_tokens: maxTokens,
      stream: true,
      ...prompt,
      ...(declared.length > 0 && !(mayCallTools && tools.length > 0) && { tool_choice: { type: 'none' } }),
      ...(thinking === 'adaptive' && { thinking: { type: 'adaptive', display: 'summarized' } }),
    } satisfies Omit<Anthropic.MessageCreateParamsStreaming, 'messages'>
    const hash = createHash('sha256').update(JSON.stringify(prompt))
    before = { system, tools, mayCallTools, encoded: Buffer.from(JSON.stringify(head).slice(0, -1)), hash }
    return before
  }

  return (request: ModelRequest, refused: ReadonlySet<string>): EncodedRequest => {
    const turns = conversation(request.messages, (content, turn) => turn.model === id && isSigned(content))
    const { encoded, hash: start } = headOf(request, turns)
    const hash = start.copy()
    const sent = new Set<string>()
    // Where the request before ended, which may be further back than the 20 blocks that the cache looks; and here.
    const marked = new Set(turns.filter(({ role }) => role === 'user').slice(-2))
    const messages = turns.map((turn) => {
      const blocks = turn.role === 'user' ? userBlocks(turn, hash) : assistantBlocks(turn, hash, refused, sent)
      const content = blocks.join(',')
      return `{"role":"${turn.role}","content":[${marked.has(turn) ? content.slice(0, -1) + mark : content}]}`
    })
    return {
      body: Buffer.concat([encoded, Buffer.from(`,"messages":[${messages.join(',')}]}`)]),
      digest: digestOf(hash),
      thinking: [...sent],
    }
  }
}

const digestOf = (hash: Hash) => hash.copy().digest('base64url').slice(0, 22)

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

/** A turn's blocks as JSON, which go into `hash`. */
function userBlocks({ role, results, texts }: UserTurn, hash: Hash): string[] {
  hash.update(role)
  return [
    ...results.map(
      ({ toolUseId, text, isError, images }): Block => ({
        type: 'tool_result',
        tool_use_id: toolUseId,
        content: images === undefined ? text : [{ type: 'text', text }, ...images.map(imageBlock)],
        ...(isError && { is_error: true }),
      }),
    ),
    ...texts.map((text): Block => ({ type: 'text', text })),
  ].map((block) => counted(block, hash))
}

function counted(block: Block, hash: Hash): string {
  const json = JSON.stringify(block)
  hash.update(json)
  return json
}

const imageBlock = ({ mimeType, data }: ModelImage): Anthropic.ImageBlockParam => ({
  type: 'image',
  source: { type: 'base64', media_type: mimeType, data: data.toString('base64') },
})

/**
 * The same of a model's turn, without the thinking that does not go back; the digests of the rest into `sent`. A turn may hold
 * several replies, where the provider paused: its thinking follows on what stood before one of them.
 */
function assistantBlocks(
  { role, content }: AssistantTurn,
  hash: Hash,
  refused: ReadonlySet<string>,
  sent: Set<string>,
): string[] {
  const thinks = content.some(isThinking)
  const passed = new Set(thinks ? [digestOf(hash)] : [])
  hash.update(role)
  return content.flatMap((piece) => {
    if (thinks) passed.add(digestOf(hash))
    if (isThinking(piece)) {
      const { after } = piece
      if (after === undefined || !passed.has(after) || refused.has(after)) return []
      sent.add(after)
    }
    return assistantBlock(piece).map((block) => counted(block, hash))
  })
}

export const isThinking = (content: Content): content is Thinking =>
  content.type === 'thinking' || content.type === 'redacted_thinking'

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
