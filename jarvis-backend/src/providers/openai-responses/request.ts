import type OpenAI from 'openai'
import type { Content, Effort } from 'protocol'
import type { AnswerFormat, ModelImage, ModelRequest, ToolChoice, ToolResult } from '../../agent/model.ts'
import { conversation, type UserTurn } from '../conversation.ts'
import { leastOf } from '../openai-api/service.ts'
import { takesTemperature } from '../temperature.ts'
import { reasoningItem } from './reasoning.ts'
import type { OptionalPart } from './refused-parts.ts'

export type ResponsesBody = OpenAI.Responses.ResponseCreateParamsStreaming
type Item = OpenAI.Responses.ResponseInputItem

export type RequestOptions = {
  id: string
  model: string
  maxTokens: number | undefined
  /** Effort for requests that set none. Undefined: such a request is sent without an effort. */
  effort?: Effort | undefined
  /** Parts that the server refused before. */
  refused: Pick<ReadonlySet<OptionalPart>, 'has'>
  /** Ids of reasoning items that the server can no longer read. */
  spent?: ReadonlySet<string>
  /** True: pictures that people attached are left out. */
  isBlind?: boolean
}

/**
 * The body of `POST /responses`. Nothing is stored at the provider: reasoning comes encrypted, and goes back to the model that made it.
 */
export function responsesRequest(request: ModelRequest, options: RequestOptions): ResponsesBody {
  const { system, messages, tools, mayCallTools, toolChoice, format, temperature } = request
  const { model, id, refused, spent } = options
  const effort = request.effort ?? options.effort
  const maxTokens = leastOf(options.maxTokens, request.maxOutputTokens)
  const thinks = reasons(model) && !refused.has('reasoning')
  const isSealed = thinks && !refused.has('include')
  const turns = conversation(
    messages,
    (piece, turn) =>
      turn.model === id && piece.type === 'thinking' && isSealed && !spent?.has(reasoningItem(piece)?.id ?? ''),
    { isBlind: options.isBlind },
  )
  const reasoning = {
    ...(effort !== undefined &&
      !refused.has('reasoning.effort') && { effort: effort === 'off' ? ('none' as const) : effort }),
    ...(effort !== 'off' && !refused.has('reasoning.summary') && { summary: 'auto' as const }),
  }
  return {
    model,
    stream: true,
    store: false,
    ...(/\S/.test(system) && { instructions: system.toWellFormed() }),
    ...(isSealed && { include: ['reasoning.encrypted_content' as const] }),
    ...(thinks && Object.keys(reasoning).length > 0 && { reasoning }),
    ...(maxTokens !== undefined &&
      !refused.has('max_output_tokens') && { max_output_tokens: Math.max(leastOutput, maxTokens) }),
    ...(temperature !== undefined && takesTemperature(model) && !refused.has('temperature') && { temperature }),
    ...(format !== undefined && { text: { format: formatOf(format) } }),
    input: turns.flatMap((turn): Item[] =>
      turn.role === 'user'
        ? [...turn.results.map((result) => outputItem(result, !refused.has('input_image'))), ...said(turn)]
        : turn.content.flatMap(items),
    ),
    ...(tools.length > 0 &&
      (mayCallTools || !refused.has('tool_choice')) && {
        tools: tools.map(({ name, description, inputSchema }) => ({
          type: 'function' as const,
          name,
          description,
          parameters: Object.keys(inputSchema).length > 0 ? inputSchema : null,
          // The schemas have optional fields, which the strict mode refuses.
          strict: false,
        })),
        ...(!mayCallTools && { tool_choice: 'none' as const }),
        ...(mayCallTools &&
          toolChoice !== undefined &&
          !refused.has('tool_choice') && { tool_choice: choiceOf(toolChoice) }),
      }),
  }
}

const choiceOf = (choice: ToolChoice) =>
  choice === 'any' ? ('required' as const) : { type: 'function' as const, name: choice.name }

const formatOf = (format: AnswerFormat) => {
  if (format.type === 'json_object') return format
  const { type, name, schema, isStrict = false } = format
  return { type, name, schema, strict: isStrict }
}

/** Minimum token limit of an answer; the API refuses a lower one. */
const leastOutput = 16

/** True if a model may be asked to reason. Unknown models are treated as new. */
const reasons = (model: string) => !/(?:^|[/.])(?:gpt-4|gpt-3|chatgpt-4)/.test(model)

function items(piece: Content): Item[] {
  switch (piece.type) {
    case 'text':
      return [{ role: 'assistant', content: piece.text }]
    case 'thinking': {
      const item = reasoningItem(piece)
      return item === undefined ? [] : [item]
    }
    case 'redacted_thinking':
      return []
    case 'tool_call': {
      const { toolUseId, toolName, toolInput } = piece
      return [{ type: 'function_call', call_id: toolUseId, name: toolName, arguments: JSON.stringify(toolInput) }]
    }
  }
}

/** The words of a person. With pictures, they are one message; otherwise each text is a message. */
function said({ images, texts }: UserTurn): Item[] {
  if (images.length === 0) return texts.map((text): Item => ({ role: 'user', content: text }))
  return [
    {
      role: 'user',
      content: [...images.map(picture), ...texts.map((text) => ({ type: 'input_text' as const, text }))],
    },
  ]
}

const picture = ({ mimeType, data }: ModelImage) => ({
  type: 'input_image' as const,
  detail: 'auto' as const,
  image_url: `data:${mimeType};base64,${data.toString('base64')}`,
})

function outputItem({ toolUseId, text, images = [] }: ToolResult, takesImages: boolean): Item {
  const pictures = images.map(picture)
  const output = takesImages && pictures.length > 0 ? [{ type: 'input_text' as const, text }, ...pictures] : text
  return { type: 'function_call_output', call_id: toolUseId, output }
}
