import type OpenAI from 'openai'
import type { Effort, ToolCall } from 'protocol'
import type { AnswerFormat, ModelRequest, ToolChoice } from '../../agent/model.ts'
import { type AssistantTurn, conversation, type UserTurn } from '../conversation.ts'
import { fieldsIfAny } from '../fields.ts'
import { leastOf } from '../openai-api/service.ts'
import { takesTemperature } from '../temperature.ts'
import { type Form, standIn } from './form.ts'
import type { OptionalField } from './refused-fields.ts'

export type ChatBody = OpenAI.ChatCompletionCreateParamsStreaming
type WireMessage = OpenAI.ChatCompletionMessageParam

export type RequestOptions = {
  id: string
  model: string
  maxTokens: number | undefined
  isOpenAi: boolean
  form: Form
  /** Effort for requests that set none. Undefined: such a request is sent without an effort. */
  effort?: Effort | undefined
  /** Fields that the server refused before. */
  refused: Pick<ReadonlySet<OptionalField>, 'has'>
  /** True: pictures are left out. */
  isBlind?: boolean
}

/**
 * Builds the body of `POST /chat/completions`. The API has no field for thinking. In messages with calls, thinking is sent back in the field in
 * which some servers sent it. Extra data of a call is sent back too.
 */
export function chatRequest(
  {
    system,
    messages,
    tools,
    mayCallTools,
    toolChoice,
    format,
    effort: asked,
    maxOutputTokens,
    temperature,
  }: ModelRequest,
  { id, model, maxTokens: usualMost, isOpenAi, form, refused, effort: usual, isBlind }: RequestOptions,
): ChatBody {
  const turns = conversation(
    messages,
    (piece, turn) =>
      turn.model === id && (piece.type === 'tool_call' || (piece.type === 'thinking' && !!piece.isWantedBack)),
    { isBlind, ids: /(?:^|\/)kimi-k/i.test(model) ? 'kimi' : 'short' },
  )
  const effort = asked ?? usual
  const maxTokens = leastOf(usualMost, maxOutputTokens)
  return {
    model,
    stream: true,
    ...(effort !== undefined &&
      !refused.has('reasoning_effort') && { reasoning_effort: effort === 'off' ? ('none' as const) : effort }),
    ...(temperature !== undefined && takesTemperature(model) && !refused.has('temperature') && { temperature }),
    ...(!refused.has('stream_options') && { stream_options: { include_usage: true } }),
    messages: instructed(system, form, [
      ...turns.flatMap((turn) =>
        turn.role === 'user' ? userMessages(turn, form) : [assistantMessage(turn, form, refused)],
      ),
      // Mistral's servers refuse a conversation whose last message is from the assistant.
      ...(turns.at(-1)?.role === 'assistant' ? [{ role: 'user' as const, content: '[Go on.]' }] : []),
    ]),
    ...(format !== undefined && { response_format: formatOf(format) }),
    ...(maxTokens !== undefined && tokenLimit(maxTokens, isOpenAi, refused)),
    // Other servers may ignore `tool_choice`, so tools that must not be called are left out.
    ...(tools.length > 0 &&
      (mayCallTools || (isOpenAi && !refused.has('tool_choice'))) && {
        tools: tools.map(({ name, description, inputSchema }) => ({
          type: 'function' as const,
          // For a server that refuses an object without properties, a tool without arguments has an empty schema and is sent without parameters.
          function: { name, description, ...(Object.keys(inputSchema).length > 0 && { parameters: inputSchema }) },
        })),
        ...(!mayCallTools && { tool_choice: 'none' as const }),
        ...(mayCallTools &&
          toolChoice !== undefined &&
          !refused.has('tool_choice') && { tool_choice: choiceOf(toolChoice) }),
      }),
  }
}

/** Adds the instructions to the messages, as a message of their own or in the first one. */
function instructed(system: string, { merges }: Form, messages: WireMessage[]): WireMessage[] {
  const [first, ...rest] = messages
  const text = system.toWellFormed()
  if (!/\S/.test(text)) return messages
  if (!merges || first?.role !== 'user') return [{ role: 'system', content: text }, ...messages]
  const { content } = first
  const both = typeof content === 'string' ? `${text}\n\n${content}` : [{ type: 'text' as const, text }, ...content]
  return [{ role: 'user', content: both }, ...rest]
}

const choiceOf = (choice: ToolChoice) =>
  choice === 'any' ? ('required' as const) : { type: 'function' as const, function: { name: choice.name } }

const formatOf = (format: AnswerFormat) => {
  if (format.type === 'json_object') return format
  const { type, name, schema, isStrict = false } = format
  return { type, json_schema: { name, schema, strict: isStrict } }
}

/** Returns the field for the token limit. OpenAI's reasoning models refuse the old name; most other servers do not know the new one. */
function tokenLimit(maxTokens: number, isOpenAi: boolean, refused: Pick<ReadonlySet<OptionalField>, 'has'>) {
  const names = ['max_tokens', 'max_completion_tokens'] as const
  const name = (isOpenAi ? names.toReversed() : names).find((known) => !refused.has(known))
  return name === undefined ? {} : { [name]: maxTokens }
}

function userMessages({ results, images, texts }: UserTurn, form: Form): WireMessage[] {
  const answers = results.map(({ toolUseId, toolName, text }): WireMessage => {
    const named = form.names ? { name: toolName } : {}
    return { role: 'tool', tool_call_id: toolUseId, ...named, content: text }
  })
  if (form.bridges && results.length > 0 && images.length + texts.length > 0)
    answers.push({ role: 'assistant', content: 'Noted.' })
  if (images.length > 0) {
    const pictures = images.map(({ mimeType, data }) => ({
      type: 'image_url' as const,
      image_url: { url: `data:${mimeType};base64,${data.toString('base64')}` },
    }))
    const words = texts.length === 0 ? [] : [{ type: 'text' as const, text: texts.join('\n\n') }]
    return [...answers, { role: 'user', content: [...pictures, ...words] }]
  }
  if (texts.length === 0) return answers
  // All texts in one string, because some servers accept no list of parts.
  return [...answers, { role: 'user', content: texts.join('\n\n') }]
}

function assistantMessage(
  { content }: AssistantTurn,
  { blanks, reasons, standIns }: Form,
  refused: Pick<ReadonlySet<OptionalField>, 'has'>,
): WireMessage {
  const text = content.flatMap((piece) => (piece.type === 'text' ? [piece.text] : [])).join('\n\n')
  const reasoning = content.map((piece) => (piece.type === 'thinking' ? piece.text.toWellFormed() : '')).join('')
  const calls = content.flatMap((piece) => (piece.type === 'tool_call' ? [piece] : []))
  return {
    role: 'assistant',
    content: text === '' ? (blanks[0] ?? null) : text,
    ...(calls.length > 0 &&
      (reasoning !== '' || reasons) &&
      !refused.has('reasoning_content') && { reasoning_content: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ toolUseId, toolName, toolInput, extra }, i) => ({
        ...(!refused.has('extra_content') && extraOf(signed(extra, i === 0 ? standIns : 'none'))),
        id: toolUseId,
        type: 'function' as const,
        function: { name: toolName, arguments: JSON.stringify(toolInput) },
      })),
    }),
  }
}

/** Returns the extra data of a call, with a stand-in for the signature if it is needed. Gemini signs only the first call of a turn. */
function signed(extra: ToolCall['extra'], standIns: Form['standIns']): ToolCall['extra'] {
  if (standIns === 'none' || (standIns === 'missing' && fieldsIfAny(extra?.google)?.thought_signature)) return extra
  return { ...extra, google: { ...fieldsIfAny(extra?.google), thought_signature: standIn } }
}

const extraOf = (extra: ToolCall['extra']) => (extra === undefined ? {} : { extra_content: extra })
