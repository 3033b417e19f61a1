import type { Message, ModelImage, ToolResult } from '../agent/model.ts'
import type { Content } from '../protocol/index.ts'
import { wellFormed } from './well-formed.ts'

export type UserTurn = { role: 'user'; results: ToolResult[]; images: ModelImage[]; texts: string[] }
/** A model's turn as the agent loop has it. */
type ModelTurn = Extract<Message, { role: 'assistant' }>
export type AssistantTurn = { role: 'assistant'; content: Content[] }

/**
 * Converts messages to turns that every provider accepts: no blank text, no empty turn, no thinking at a turn's end, no two turns of one
 * role in a row, no lone surrogates.
 * @param keeps whether a turn's thinking, or the extra data of a call, is sent back to the model
 * @param isBlind the model is not shown what people attached, and is told so
 */
export function conversation(
  messages: readonly Message[],
  keeps: (content: Content, turn: ModelTurn) => boolean,
  isBlind = false,
): (UserTurn | AssistantTurn)[] {
  const turns: (UserTurn | AssistantTurn)[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (message.role === 'user') {
      const turn = userTurn(message, isBlind)
      if (last?.role === 'user') {
        last.results.push(...turn.results)
        last.images.push(...turn.images)
        last.texts.push(...turn.texts)
      } else if (turn.results.length + turn.images.length + turn.texts.length > 0) turns.push(turn)
      continue
    }
    const content = sendable(message.content, (piece) => keeps(piece, message))
    if (last?.role === 'assistant') last.content.push(...content)
    else if (content.length > 0) turns.push({ role: 'assistant', content })
  }
  return turns
}

/** Pictures of people in a request. */
export const picturesIn = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + (message.role === 'user' ? (message.images?.length ?? 0) : 0), 0)

const unseen =
  '[You take no pictures, so those named here are not shown to you. Say so instead of guessing what they show.]'

function userTurn(
  { results, text, context = '', images = [] }: Extract<Message, { role: 'user' }>,
  isBlind: boolean,
): UserTurn {
  const hidden = isBlind && images.length > 0 ? [unseen] : []
  return {
    role: 'user',
    results: results.map((result) => ({
      ...result,
      text: isBlank(result.text) ? '(no output)' : result.text.toWellFormed(),
    })),
    images: isBlind ? [] : [...images],
    texts: [text.toWellFormed(), ...hidden, context.toWellFormed()].filter((part) => !isBlank(part)),
  }
}

function sendable(content: readonly Content[], keeps: (content: Content) => boolean): Content[] {
  const kept = content.flatMap((piece): Content[] => {
    if (piece.type === 'text') return isBlank(piece.text) ? [] : [{ type: 'text', text: piece.text.toWellFormed() }]
    if (piece.type !== 'tool_call') return keeps(piece) ? [piece] : []
    const { extra, ...call } = piece
    const toolInput = wellFormed(call.toolInput) as Record<string, unknown>
    const kept = extra !== undefined && keeps(piece) ? { extra } : {}
    return [{ ...call, toolName: sendableName(call.toolName), toolInput, ...kept }]
  })
  const end = kept.findLastIndex((piece) => piece.type === 'text' || piece.type === 'tool_call')
  return kept.slice(0, end + 1)
}

/** A tool name that a model invented may have characters that providers refuse. */
const sendableName = (name: string) => name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed'

const isBlank = (text: string) => !/\S/.test(text)
