import { noUsage, type TurnStop, type Usage } from 'protocol'
import type { ModelSink } from '../../agent/model.ts'
import type { Reader } from '../exchange.ts'
import { broken, type Complaint, complaintIn, type Provider, refusal } from '../failure.ts'
import { count, eventOf, type Fields, fields, fieldsIfAny, list, words } from '../fields.ts'
import { type CallInProgress, createCallJoiner } from '../joined-calls.ts'
import { reply } from '../reply.ts'

const stops = new Map<string, TurnStop>([
  ['length', 'max_tokens'],
  ['content_filter', 'refusal'],
])

export function chatReader(provider: Provider, sink: ModelSink, mayCall: boolean): Reader {
  let text = ''
  let thinking = ''
  let isWantedBack = false
  let usage: Usage | undefined
  let stop: TurnStop | undefined
  /** The server said that the calls are complete. */
  let areCallsWhole = false
  const calls: CallInProgress[] = []
  const joiner = createCallJoiner((call) => void calls.push(call))

  const think = (thought: string) => {
    if (thought === '') return
    thinking += thought
    sink.thinking(thought)
  }
  const say = (said: string) => {
    if (said === '') return
    text += said
    sink.text(said)
  }

  const join = ({ id, index, function: called, extra_content }: Fields) => {
    const { name, arguments: input } = fields(called ?? {})
    // Gemini's signature of a call is in the extra content.
    joiner.add({ id, at: count(index), name, input, extra: fieldsIfAny(extra_content) })
    sink.call?.(words(name) + (typeof input === 'string' ? input : ''))
  }

  const grow = (delta: Fields, fresh = newIn) => {
    if (words(delta.reasoning_content) !== '') isWantedBack = true
    const thought = thoughtNames.map((name) => words(delta[name])).find((found) => found !== '')
    think(fresh(thought ?? thoughtIn(delta.content), thinking))
    say(fresh(textIn(delta.content) || words(delta.refusal), text))
    for (const call of list(delta.tool_calls ?? [])) join(fields(call))
    // Older servers send `function_call` in place of `tool_calls`.
    const old = fieldsIfAny(delta.function_call)
    if (old !== undefined) join({ function: old })
  }

  return {
    take(data) {
      if (data === '[DONE]') {
        // A stream that ends without any content has broken off.
        if (text !== '' || thinking !== '' || calls.length > 0) stop ??= 'end_turn'
        return true
      }
      const chunk = eventOf(data)
      const [first = {}] = list(chunk.choices ?? [])
      const choice = fields(first)
      grow(fields(choice.delta ?? {}))
      // Some servers send the whole message in one chunk, or send it again at the end.
      const message = fieldsIfAny(choice.message)
      if (message !== undefined) {
        grow(message, restOf)
        areCallsWhole = true
      }
      const finish = words(choice.finish_reason)
      if (finish !== '') stop = stops.get(finish) ?? 'end_turn'
      if (finish === 'tool_calls' || finish === 'function_call') areCallsWhole = true
      const counts = counted(chunk.usage)
      if (counts !== undefined) {
        usage = counts
        sink.usage?.(counts)
      }
      const complaint = chunk.object === 'error' ? chunk : chunk.error
      if (complaint) throw refusal(provider, complaintIn(complaint), usage)
      const fault = minimaxFault(chunk.base_resp)
      if (fault !== undefined) throw refusal(provider, fault, usage)
      if (finish === 'error') throw broken(provider, 'it says that it failed', { usage })
      return false
    },
    turn() {
      if (stop === undefined) throw broken(provider, 'the stream ended early', { usage })
      const pieces = [
        { type: 'thinking' as const, text: thinking, ...(isWantedBack && { isWantedBack }) },
        { type: 'text' as const, text },
      ]
      return {
        ...reply([...pieces.filter((piece) => piece.text !== ''), ...calls], { stop, mayCall, areCallsWhole }),
        ...(usage === undefined ? { usage: noUsage, isUsagePartial: true as const } : { usage }),
      }
    },
    usage: () => usage,
  }
}

/** Maps MiniMax's error numbers, which come with HTTP status 200, to HTTP statuses. All other numbers are faults of the server. */
const minimaxStatus = new Map([
  [1001, 504],
  ...[1002, 1039, 1041].map((code): [number, number] => [code, 429]),
  ...[1004, 2049].map((code): [number, number] => [code, 401]),
  ...[1008, 2056].map((code): [number, number] => [code, 402]),
  ...[1026, 1027, 1042, 2013].map((code): [number, number] => [code, 400]),
])

/** @returns undefined if there is no fault */
function minimaxFault(given: unknown): Complaint | undefined {
  const { status_code: number, status_msg: message } = fieldsIfAny(given) ?? {}
  const code = Number(number ?? 0)
  if (code === 0 || !Number.isFinite(code)) return undefined
  return { status: minimaxStatus.get(code) ?? 500, message: words(message) || `MiniMax’s error ${code}` }
}

/** Names that servers have for reasoning. */
const thoughtNames = ['reasoning_content', 'reasoning', 'reasoning_text', 'thinking', 'thought'] as const

/** Minimum length at which a piece that begins with all earlier text counts as a repetition. Shorter pieces may repeat by chance. */
const leastRestated = 32

/** Returns the new part of a piece, which may repeat all earlier text. @param told all earlier text */
const newIn = (piece: string, told: string): string =>
  told.length >= leastRestated && piece.startsWith(told) ? piece.slice(told.length) : piece

/** Returns the part of a whole message that was not streamed yet. Empty if the message differs from the streamed text. */
const restOf = (whole: string, told: string): string => (whole.startsWith(told) ? whole.slice(told.length) : '')

/** Reads content that some servers send as a list of parts, including the reasoning. */
const partsOf = (content: unknown): Fields[] =>
  Array.isArray(content) ? content.map(fieldsIfAny).filter((part) => part !== undefined) : []
const textIn = (content: unknown): string =>
  words(content) ||
  partsOf(content)
    .map((part) => (isThought(part) ? '' : words(part.text)))
    .join('')
const isThought = ({ type }: Fields) => type === 'reasoning' || type === 'thinking'
const thoughtOf = (part: Fields) => (isThought(part) ? words(part.text) : '')
const thoughtIn = (content: unknown): string =>
  partsOf(content)
    .map((part) => textIn(part.thinking) || words(part.reasoning) || thoughtOf(part))
    .join('')

/** Converts token counts. The server's prompt tokens include cached ones; `inputTokens` does not. */
function counted(wire: unknown): Usage | undefined {
  const usage = fieldsIfAny(wire)
  if (usage === undefined) return undefined
  const cacheReadTokens = count(fieldsIfAny(usage.prompt_tokens_details)?.cached_tokens) ?? 0
  return {
    inputTokens: Math.max(0, (count(usage.prompt_tokens) ?? 0) - cacheReadTokens),
    outputTokens: count(usage.completion_tokens) ?? 0,
    cacheReadTokens,
    cacheWriteTokens: 0,
  }
}
