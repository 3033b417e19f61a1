import { newId } from '../lib/ids.ts'
import type { Content, ToolCall, TurnStop } from '../protocol/index.ts'

/** A tool call while its arguments stream in. */
export type CallInProgress = { type: 'call'; name: string; json: string }
export type Piece = Exclude<Content, ToolCall> | CallInProgress

/**
 * A reply's streamed pieces as a turn holds them.
 * @param mayCall false: what the model calls all the same is dropped
 */
export function reply(
  pieces: readonly Piece[],
  stop: TurnStop,
  mayCall: boolean,
): { content: Content[]; stopReason: TurnStop } {
  const isCut = (piece: CallInProgress) => stop === 'max_tokens' && piece === pieces.at(-1) && !isWhole(piece.json)
  const content = pieces.flatMap((piece): Content[] => {
    if (piece.type === 'call')
      return mayCall && stop !== 'refusal' && !isCut(piece) ? [toolCall(piece.name, piece.json)] : []
    return piece.type === 'text' && piece.text === '' ? [] : [piece]
  })
  const calls = content.some((piece) => piece.type === 'tool_call')
  if (stop === 'tool_use' || stop === 'end_turn') return { content, stopReason: calls ? 'tool_use' : 'end_turn' }
  return { content, stopReason: stop }
}

export function isWhole(json: string): boolean {
  try {
    JSON.parse(json)
    return true
  } catch {
    return false
  }
}

function toolCall(toolName: string, json: string): ToolCall {
  const call = { type: 'tool_call' as const, toolUseId: newId('tu'), toolName, toolInput: {} }
  if (json.trim() === '') return call
  try {
    const input: unknown = JSON.parse(json)
    if (typeof input === 'object' && input !== null && !Array.isArray(input))
      return { ...call, toolInput: input as Record<string, unknown> }
    return { ...call, malformed: `The arguments must be a JSON object, not ${json.slice(0, 100)}` }
  } catch (error) {
    return { ...call, malformed: `The arguments are not valid JSON: ${String(error).slice(0, 200)}` }
  }
}
