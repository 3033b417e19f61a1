import type { ModelSink } from '../../agent/model.ts'
import { noUsage, type TurnStop, type Usage } from '../../protocol/index.ts'
import type { Reader } from '../exchange.ts'
import { broken, complaintIn, type Provider, refusal } from '../failure.ts'
import { count, eventOf, type Fields, fields, fieldsIfAny, list, words } from '../fields.ts'
import { type CallInProgress, createCallJoiner } from '../joined-calls.ts'
import { reply } from '../reply.ts'
import { createThinkTags } from './think-tags.ts'

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
  const calls: CallInProgress[] = []
  const joiner = createCallJoiner((call) => void calls.push(call))

  const tags = createThinkTags()
  const say = ({ text: said, thought }: { text: string; thought: string }) => {
    if (thought !== '') {
      thinking += thought
      sink.thinking(thought)
    }
    if (said !== '') {
      text += said
      sink.text(said)
    }
  }

  const join = ({ id, index, function: called, extra_content }: Fields) => {
    const { name, arguments: input } = fields(called ?? {})
    // Gemini's signature of a call stands in the extra content.
    joiner.add({ id, at: count(index), name, input, extra: fieldsIfAny(extra_content) })
  }

  const grow = (delta: Fields) => {
    const reasoning = words(delta.reasoning_content)
    if (reasoning !== '') isWantedBack = true
    const thought = reasoning || words(delta.reasoning) || thoughtIn(delta.content)
    if (thought !== '') say({ text: '', thought })
    const said = textIn(delta.content) || words(delta.refusal)
    if (said !== '') say(tags.add(said))
    for (const call of list(delta.tool_calls ?? [])) join(fields(call))
    // Servers of before `tool_calls`.
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
      // Some servers send the whole message at once.
      grow(fields(choice.delta ?? choice.message ?? {}))
      const finish = words(choice.finish_reason)
      if (finish !== '') stop = stops.get(finish) ?? 'end_turn'
      const counts = counted(chunk.usage)
      if (counts !== undefined) {
        usage = counts
        sink.usage?.(counts)
      }
      const complaint = chunk.object === 'error' ? chunk : chunk.error
      if (complaint) throw refusal(provider, complaintIn(complaint), usage)
      if (finish === 'error') throw broken(provider, 'it says that it failed', usage)
      return false
    },
    turn() {
      if (stop === undefined) throw broken(provider, 'the stream ended early', usage)
      say(tags.remainder())
      const pieces = [
        { type: 'thinking' as const, text: thinking, ...(isWantedBack && { isWantedBack }) },
        { type: 'text' as const, text },
      ]
      return {
        ...reply([...pieces.filter((piece) => piece.text !== ''), ...calls], stop, mayCall),
        ...(usage === undefined ? { usage: noUsage, isUsagePartial: true as const } : { usage }),
      }
    },
    usage: () => usage,
  }
}

/** Reads content that some servers send as a list of parts, including the reasoning. */
const partsOf = (content: unknown): Fields[] =>
  Array.isArray(content) ? content.map(fieldsIfAny).filter((part) => part !== undefined) : []
const textIn = (content: unknown): string =>
  words(content) ||
  partsOf(content)
    .map((part) => words(part.text))
    .join('')
const thoughtIn = (content: unknown): string =>
  partsOf(content)
    .map((part) => textIn(part.thinking))
    .join('')

/** Converts token counts: the wire's prompt tokens include cached ones, `inputTokens` does not. */
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
