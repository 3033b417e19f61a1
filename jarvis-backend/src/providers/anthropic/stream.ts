import type { ModelSink } from '../../agent/model.ts'
import { noUsage, type TurnStop, type Usage } from '../../protocol/index.ts'
import type { Reader } from '../exchange.ts'
import { broken, type Provider, refusal } from '../failure.ts'
import { type CallInProgress, type Piece, reply } from '../reply.ts'

/** What we read of an event: a stream may leave out or add whatever it likes. */
type StreamEvent = {
  type?: string
  index?: number
  message?: { usage?: WireUsage }
  content_block?: Partial<Record<'type' | 'text' | 'thinking' | 'signature' | 'data' | 'name', string>> & {
    input?: object
  }
  delta?: Partial<Record<'type' | 'text' | 'thinking' | 'signature' | 'partial_json' | 'stop_reason', string>>
  usage?: WireUsage
  error?: { type?: unknown; message?: unknown }
}
type WireUsage = Partial<
  Record<'input_tokens' | 'output_tokens' | 'cache_read_input_tokens' | 'cache_creation_input_tokens', number | null>
>
type Thinking = Extract<Piece, { type: 'thinking' }>

const stops = new Map<string, TurnStop>([
  ['end_turn', 'end_turn'],
  ['stop_sequence', 'end_turn'],
  ['tool_use', 'tool_use'],
  ['max_tokens', 'max_tokens'],
  ['model_context_window_exceeded', 'max_tokens'],
  ['refusal', 'refusal'],
  ['pause_turn', 'pause_turn'],
])

/** Event and block types it does not know are passed over. */
export function anthropicReader(provider: Provider, sink: ModelSink, mayCall: boolean): Reader {
  const pieces: Piece[] = []
  const byIndex = new Map<number, Piece>()
  let usage: Usage | undefined
  let stop: TurnStop = 'end_turn'
  let isComplete = false

  const parse = (data: string): StreamEvent => {
    try {
      const event: unknown = JSON.parse(data)
      if (typeof event === 'object' && event !== null) return event
    } catch {}
    throw broken(provider, 'it sent something unreadable', usage)
  }

  const start = (index: number, block: NonNullable<StreamEvent['content_block']>) => {
    const piece = newPiece(block)
    byIndex.delete(index)
    if (piece === undefined) return
    pieces.push(piece)
    byIndex.set(index, piece)
    if (piece.type === 'text' && piece.text !== '') sink.text(piece.text)
    if (piece.type === 'thinking' && piece.text !== '') sink.thinking(piece.text)
  }

  const grow = (piece: Piece | undefined, delta: NonNullable<StreamEvent['delta']>) => {
    if (piece?.type === 'text' && delta.type === 'text_delta' && delta.text) {
      piece.text += delta.text
      sink.text(delta.text)
    } else if (piece?.type === 'call' && delta.type === 'input_json_delta') piece.json += delta.partial_json ?? ''
    else if (piece?.type === 'thinking') growThinking(piece, delta, sink)
  }

  return {
    take(data) {
      const event = parse(data)
      switch (event.type) {
        case 'content_block_delta':
          if (event.delta !== undefined) grow(byIndex.get(event.index ?? -1), event.delta)
          return false
        case 'message_start':
          usage = latest(usage, event.message?.usage)
          return false
        case 'content_block_start':
          if (event.content_block !== undefined) start(event.index ?? -1, event.content_block)
          return false
        case 'message_delta':
          usage = latest(usage, event.usage)
          stop = stops.get(event.delta?.stop_reason ?? '') ?? stop
          return false
        case 'message_stop':
          isComplete = true
          return true
        case 'error':
          throw refusal(provider, event.error ?? {}, usage)
        default:
          return false
      }
    },
    turn() {
      if (!isComplete) throw broken(provider, 'the stream ended early', usage)
      return { ...reply(pieces, stop, mayCall), usage: usage ?? noUsage }
    },
    usage: () => usage,
  }
}

function newPiece(block: NonNullable<StreamEvent['content_block']>): Piece | undefined {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text ?? '' }
    case 'thinking':
      return { type: 'thinking', text: block.thinking ?? '', ...(block.signature && { signature: block.signature }) }
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data ?? '' }
    case 'tool_use': {
      const isGiven = Object.keys(block.input ?? {}).length > 0
      const call: CallInProgress = {
        type: 'call',
        name: block.name ?? '',
        json: isGiven ? JSON.stringify(block.input) : '',
      }
      return call
    }
    default:
      return undefined
  }
}

function growThinking(piece: Thinking, delta: NonNullable<StreamEvent['delta']>, sink: ModelSink) {
  if (delta.type === 'thinking_delta' && delta.thinking) {
    piece.text += delta.thinking
    sink.thinking(delta.thinking)
  }
  if (delta.type === 'signature_delta') piece.signature = (piece.signature ?? '') + (delta.signature ?? '')
}

/** The counts are cumulative: a later one replaces an earlier one, and what is left out stands. */
function latest(before: Usage | undefined, now: WireUsage | undefined): Usage | undefined {
  if (now === undefined) return before
  const known = before ?? noUsage
  return {
    inputTokens: now.input_tokens ?? known.inputTokens,
    outputTokens: now.output_tokens ?? known.outputTokens,
    cacheReadTokens: now.cache_read_input_tokens ?? known.cacheReadTokens,
    cacheWriteTokens: now.cache_creation_input_tokens ?? known.cacheWriteTokens,
  }
}
