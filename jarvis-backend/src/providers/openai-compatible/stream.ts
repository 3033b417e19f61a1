import type { ModelSink } from '../../agent/model.ts'
import { noUsage, type TurnStop, type Usage } from '../../protocol/index.ts'
import type { Reader } from '../exchange.ts'
import { broken, complaintIn, type Provider, refusal } from '../failure.ts'
import { count, eventOf, type Fields, fields, fieldsIfAny, fragment, list, words } from '../fields.ts'
import { type CallInProgress, isWhole, reply } from '../reply.ts'

const stops = new Map<string, TurnStop>([
  ['length', 'max_tokens'],
  ['content_filter', 'refusal'],
])

export function chatReader(provider: Provider, sink: ModelSink, mayCall: boolean): Reader {
  let text = ''
  let thinking = ''
  let usage: Usage | undefined
  let stop: TurnStop | undefined
  const calls = callsInProgress()

  const grow = (delta: Fields) => {
    // Some servers put reasoning among the content, as a list of parts.
    const said = words(delta.content) || words(delta.refusal)
    if (said !== '') {
      text += said
      sink.text(said)
    }
    const thought = words(delta.reasoning_content) || words(delta.reasoning)
    if (thought !== '') {
      thinking += thought
      sink.thinking(thought)
    }
    for (const call of list(delta.tool_calls ?? [])) calls.add(fields(call))
  }

  return {
    take(data) {
      if (data === '[DONE]') {
        stop ??= 'end_turn'
        return true
      }
      const chunk = eventOf(data)
      const [first = {}] = list(chunk.choices ?? [])
      const choice = fields(first)
      grow(fields(choice.delta ?? {}))
      const finish = words(choice.finish_reason)
      if (finish !== '') stop = stops.get(finish) ?? 'end_turn'
      usage = counted(chunk.usage) ?? usage
      if (chunk.error) throw refusal(provider, complaintIn(chunk.error), usage)
      return false
    },
    turn() {
      if (stop === undefined) throw broken(provider, 'the stream ended early', usage)
      const pieces = [
        { type: 'thinking' as const, text: thinking },
        { type: 'text' as const, text },
      ]
      return {
        ...reply([...pieces.filter((piece) => piece.text !== ''), ...calls.all], stop, mayCall),
        usage: usage ?? noUsage,
      }
    },
    usage: () => usage,
  }
}

/**
 * Calls told apart by index; where a server gives all of them the same one, a name with another id, or one that comes
 * after whole arguments, begins the next.
 */
function callsInProgress() {
  const all: CallInProgress[] = []
  const byIndex = new Map<number, { id: string; call: CallInProgress }>()
  let newest = -1

  return {
    all,
    add(delta: Fields) {
      const called = fields(delta.function ?? {})
      const [id, name, json] = [words(delta.id), words(called.name), fragment(called.arguments)]
      const at = count(delta.index) ?? (id ? newest + 1 : newest)
      const open = byIndex.get(at)
      const isOther = open && name && ((id && open.id && id !== open.id) || (json && isWhole(open.call.json)))
      if (open === undefined || isOther) {
        const call: CallInProgress = { type: 'call', name, json }
        all.push(call)
        byIndex.set(at, { id, call })
        newest = Math.max(newest, at)
        return
      }
      open.call.name ||= name
      open.call.json += json
    },
  }
}

/** The prompt's count includes what came from the cache; ours does not. */
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
