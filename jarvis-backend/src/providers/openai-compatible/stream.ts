import type { ModelSink } from '../../agent/model.ts'
import { noUsage, type TurnStop, type Usage } from '../../protocol/index.ts'
import type { Reader } from '../exchange.ts'
import { broken, type Complaint, type Provider, refusal } from '../failure.ts'
import { type CallInProgress, isWhole, reply } from '../reply.ts'

/** What we read of a chunk: servers leave out and add fields as they like. */
type Chunk = {
  choices?: { delta?: Delta; finish_reason?: string | null }[]
  usage?: WireUsage | null
  error?: Complaint | string | null
}
type Delta = Partial<Record<'content' | 'refusal' | 'reasoning_content' | 'reasoning', string | null>> & {
  tool_calls?: CallDelta[] | null
}
type CallDelta = { index?: number; id?: string | null; function?: { name?: string | null; arguments?: string | null } }
type WireUsage = {
  prompt_tokens?: number
  completion_tokens?: number
  prompt_tokens_details?: { cached_tokens?: number } | null
}

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

  const parse = (data: string): Chunk => {
    try {
      const chunk: unknown = JSON.parse(data)
      if (typeof chunk === 'object' && chunk !== null) return chunk
    } catch {}
    throw broken(provider, 'it sent something unreadable', usage)
  }

  const grow = (delta: Delta) => {
    const words = delta.content || delta.refusal
    // Some servers put reasoning here, as a list of parts.
    if (typeof words === 'string' && words !== '') {
      text += words
      sink.text(words)
    }
    const thought = delta.reasoning_content || delta.reasoning
    if (typeof thought === 'string' && thought !== '') {
      thinking += thought
      sink.thinking(thought)
    }
    if (delta.tool_calls) for (const call of delta.tool_calls) calls.add(call)
  }

  return {
    take(data) {
      if (data === '[DONE]') {
        stop ??= 'end_turn'
        return true
      }
      const chunk = parse(data)
      const choice = chunk.choices?.[0]
      if (choice?.delta) grow(choice.delta)
      if (choice?.finish_reason) stop = stops.get(choice.finish_reason) ?? 'end_turn'
      if (chunk.usage) usage = counted(chunk.usage)
      if (chunk.error)
        throw refusal(provider, typeof chunk.error === 'string' ? { message: chunk.error } : chunk.error, usage)
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
    add({ index, id, function: { name, arguments: json } = {} }: CallDelta) {
      const at = index ?? (id ? newest + 1 : newest)
      const open = byIndex.get(at)
      const isOther = open && name && ((id && open.id && id !== open.id) || (json && isWhole(open.call.json)))
      if (open === undefined || isOther) {
        const call: CallInProgress = { type: 'call', name: name ?? '', json: json ?? '' }
        all.push(call)
        byIndex.set(at, { id: id ?? '', call })
        newest = Math.max(newest, at)
        return
      }
      open.call.name ||= name ?? ''
      open.call.json += json ?? ''
    },
  }
}

/** The prompt's count includes what came from the cache; ours does not. */
function counted({ prompt_tokens = 0, completion_tokens = 0, prompt_tokens_details }: WireUsage): Usage {
  const cacheReadTokens = prompt_tokens_details?.cached_tokens ?? 0
  return {
    inputTokens: Math.max(0, prompt_tokens - cacheReadTokens),
    outputTokens: completion_tokens,
    cacheReadTokens,
    cacheWriteTokens: 0,
  }
}
