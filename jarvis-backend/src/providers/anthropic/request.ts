import { createHash, type Hash } from 'node:crypto'
import type Anthropic from '@anthropic-ai/sdk'
import type { Content, Effort } from 'protocol'
import type { ModelImage, ModelRequest } from '../../agent/model.ts'
import { type AssistantTurn, conversation, type UserTurn } from '../conversation.ts'
import { thinkingFields, thinkingMode } from './thinking.ts'

type Block = Anthropic.ContentBlockParam
type Thinking = Extract<Content, { type: 'thinking' | 'redacted_thinking' }>

const cached = { cache_control: { type: 'ephemeral' } } as const
const mark = `,${JSON.stringify(cached).slice(1)}`

export type RequestOptions = {
  id: string
  model: string
  maxTokens: number
  /** Effort for requests that set none. Undefined: such a request is sent without an effort. */
  effort?: Effort | undefined
}

export type EncodedRequest = {
  /** Body of `POST /v1/messages`, with at most four cache breakpoints: tools, system and the last two user messages. */
  body: Buffer
  /** Digest of everything that the model reads; the reply's thinking is bound to it. */
  digest: string
  /** Digests of the thinking that the request sends back. */
  thinking: readonly string[]
  /** The effort that the request asks for, if any. */
  effort: Effort | undefined
}

/** Parts of a request that other servers with Claude's API may not accept: cache marks, and a list as the system prompt. */
export type ClaudeOnly = 'cache_control' | 'system list'

/** The parts that the provider refused: digests of thinking, efforts, and parts of the form. */
export type Refused = {
  thinking: Set<string>
  effort: Pick<ReadonlySet<Effort>, 'has'>
  form?: Pick<ReadonlySet<ClaudeOnly>, 'has'>
}

/**
 * Returns a function that encodes requests. Tools and system prompt, the largest part, are encoded again only if they change. Claude refuses
 * thinking after any instructions, tools or messages other than those that led to it. A piece of thinking is therefore sent back only if its stored
 * digest shows that all of them are unchanged.
 */
export function anthropicEncoder({ id, model, maxTokens, effort: usual }: RequestOptions) {
  const mode = thinkingMode(model)
  let before:
    | { system: string; tools: ModelRequest['tools']; form: string; encoded: Buffer; hasTools: boolean; hash: Hash }
    | undefined

  function promptOf(
    { system, tools }: ModelRequest,
    turns: readonly (UserTurn | AssistantTurn)[],
    { isMarked, isText }: { isMarked: boolean; isText: boolean },
  ) {
    const form = `${isMarked} ${isText}`
    if (before?.system === system && before.tools === tools && before.form === form && tools.length > 0) return before
    const declared = declaredTools(tools, turns, isMarked)
    const text = system.toWellFormed()
    const json = JSON.stringify({
      ...(/\S/.test(text) && { system: isText ? text : [{ type: 'text', text, ...(isMarked && cached) }] }),
      ...(declared.length > 0 && { tools: declared }),
    })
    before = {
      system,
      tools,
      form,
      encoded: Buffer.from(json.slice(1, -1)),
      hasTools: declared.length > 0,
      hash: createHash('sha256').update(json),
    }
    return before
  }

  return (request: ModelRequest, refused: Refused, isBlind = false): EncodedRequest => {
    const turns = conversation(request.messages, (content, turn) => turn.model === id && isSigned(content), { isBlind })
    const isMarked = refused.form?.has('cache_control') !== true
    const isText = refused.form?.has('system list') === true
    const { encoded, hasTools, hash: start } = promptOf(request, turns, { isMarked, isText })
    const hash = start.copy()
    const thoughts: Thoughts = { refused: refused.thinking, sent: new Set() }
    // The first breakpoint is where the previous request ended, which may be more than the cache's 20 blocks back. The second is at the end.
    const marked = new Set(isMarked ? turns.filter(({ role }) => role === 'user').slice(-2) : [])
    let newest: string[] = []
    const messages = turns.map((turn) => {
      const blocks = turn.role === 'user' ? userBlocks(turn, hash) : assistantBlocks(turn, hash, thoughts)
      if (turn.role === 'assistant') newest = blocks
      const content = blocks.join(',')
      return `{"role":"${turn.role}","content":[${marked.has(turn) ? content.slice(0, -1) + mark : content}]}`
    })
    const isInLoop = turns.at(-1)?.role === 'user' && newest.some((block) => block.startsWith('{"type":"tool_use"'))
    // In budget mode, a turn with tool calls must begin with its thinking; without it, thinking is turned off.
    const mustNot = mode === 'budget' && isInLoop && !/^\{"type":"(?:redacted_)?thinking"/.test(newest[0] ?? '')
    const isForbidden = !(request.mayCallTools && request.tools.length > 0) && hasTools
    const choice = isForbidden ? undefined : request.toolChoice
    // A model that is forced to call a tool cannot think.
    const wanted = mustNot || choice !== undefined ? 'off' : (request.effort ?? usual)
    const effort = wanted === undefined || refused.effort.has(wanted) ? undefined : wanted
    const fields = thinkingFields(mode, effort, { maxTokens, most: request.maxOutputTokens })
    const format = request.format?.type === 'json_schema' ? request.format : undefined
    const head = JSON.stringify({
      model,
      stream: true,
      ...fields,
      ...(format !== undefined && {
        output_config: { ...fields.output_config, format: { type: 'json_schema', schema: format.schema } },
      }),
      ...(isForbidden && { tool_choice: { type: 'none' } }),
      ...(choice !== undefined && { tool_choice: choice === 'any' ? { type: 'any' } : { type: 'tool', ...choice } }),
    } satisfies Omit<Anthropic.MessageCreateParamsStreaming, 'messages'>).slice(0, -1)
    return {
      body: Buffer.concat([
        Buffer.from(encoded.length === 0 ? head : `${head},`),
        encoded,
        Buffer.from(`,"messages":[${messages.join(',')}]}`),
      ]),
      digest: digestOf(hash),
      thinking: [...thoughts.sent],
      effort: fields.thinking === undefined ? undefined : effort,
    }
  }
}

const digestOf = (hash: Hash) => hash.copy().digest('base64url').slice(0, 22)

/**
 * Returns the tools to declare. Claude refuses a history with calls if no tools are declared, so without tools the names of the called tools are
 * declared.
 */
function declaredTools(
  tools: ModelRequest['tools'],
  turns: readonly (UserTurn | AssistantTurn)[],
  isMarked: boolean,
): Anthropic.Tool[] {
  if (tools.length > 0)
    return tools.map(({ name, description, inputSchema }, i) => ({
      name,
      description,
      input_schema: inputSchema as Anthropic.Tool.InputSchema,
      ...(isMarked && i === tools.length - 1 && cached),
    }))
  const called = turns
    .flatMap((turn) => (turn.role === 'user' ? [] : turn.content))
    .filter((c) => c.type === 'tool_call')
  const names = new Set(called.map((call) => call.toolName))
  return [...names].map((name) => ({ name, input_schema: { type: 'object' } }))
}

/** Encodes a user turn's blocks as JSON and adds them to `hash`. */
function userBlocks({ role, results, images, texts }: UserTurn, hash: Hash): string[] {
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
    ...images.map(imageBlock),
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

/** Digests of thinking: `refused` is not sent back; `sent` gets the rest. */
type Thoughts = { refused: ReadonlySet<string>; sent: Set<string> }

/**
 * Encodes a model turn's blocks, without thinking that must not be sent back. A turn may hold several replies if the provider paused, so its
 * thinking may follow any of them.
 */
function assistantBlocks({ role, content }: AssistantTurn, hash: Hash, { refused, sent }: Thoughts): string[] {
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
