import type { Content, ToolCall, TurnStop } from 'protocol'
import type { Turn } from '../agent/model.ts'
import { unfitInput } from '../lib/depth.ts'
import { newId } from '../lib/ids.ts'
import { type Fields, fieldsIfAny } from './fields.ts'
import { argumentsOf, type CallInProgress, isJson, withoutRepeats } from './joined-calls.ts'

export type Piece = Exclude<Content, ToolCall> | CallInProgress

export type ReplyEnd = {
  stop: TurnStop
  /** False: tool calls of the model are dropped. */
  mayCall: boolean
  /** False: a call without any arguments may have been cut off, and does not run. Default true. */
  areCallsWhole?: boolean
}

/** Builds a turn from streamed pieces. */
export function reply(
  streamed: readonly Piece[],
  { stop, mayCall, areCallsWhole = true }: ReplyEnd,
): Pick<Turn, 'content' | 'stopReason' | 'cutCall'> {
  const pieces = withoutRepeats(streamed)
  const isCut = (piece: CallInProgress) =>
    stop === 'max_tokens' &&
    piece === pieces.at(-1) &&
    (piece.parts.length === 0 ? piece.input === undefined : !isJson(argumentsOf(piece.parts)))
  const content = pieces.flatMap((piece): Content[] => {
    if (piece.type === 'call')
      return mayCall && stop !== 'refusal' && !isCut(piece) ? [toolCall(piece, areCallsWhole)] : []
    return piece.type === 'text' && piece.text === '' ? [] : [piece]
  })
  const calls = content.some((piece) => piece.type === 'tool_call')
  if (stop === 'tool_use' || stop === 'end_turn') return { content, stopReason: calls ? 'tool_use' : 'end_turn' }
  const cut = mayCall ? pieces.findLast((piece) => piece.type === 'call' && isCut(piece)) : undefined
  return { content, stopReason: stop, ...(cut?.type === 'call' && { cutCall: cut.name }) }
}

function toolCall({ name, parts, input, extra }: CallInProgress, isWhole: boolean): ToolCall {
  const json = argumentsOf(parts)
  const kept = extra === undefined ? {} : { extra }
  const call = { type: 'tool_call' as const, toolUseId: newId('tu'), toolName: name, toolInput: {}, ...kept }
  if (!isWhole && json.trim() === '' && input === undefined)
    return { ...call, malformed: 'The arguments did not come: the answer broke off before them.' }
  try {
    const given = json.trim() === '' ? (input ?? {}) : argumentsIn(json)
    if (given === undefined)
      return { ...call, malformed: `The arguments must be a JSON object, not ${json.slice(0, 100)}` }
    const unfit = unfitInput(given)
    if (unfit !== undefined) return { ...call, malformed: `The arguments are ${unfit}.` }
    return { ...call, toolInput: given }
  } catch (error) {
    return { ...call, malformed: `The arguments are not valid JSON: ${String(error).slice(0, 200)}` }
  }
}

/** Parses arguments. Some models encode them as JSON twice, or send `null` if there are none. @throws SyntaxError */
function argumentsIn(json: string): Fields | undefined {
  const value: unknown = JSON.parse(json)
  if (value === null || value === '') return {}
  return fieldsIfAny(typeof value === 'string' ? JSON.parse(value) : value)
}
