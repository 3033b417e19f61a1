import { noUsage, type TurnStop, type Usage } from 'protocol'
import type { ModelSink } from '../../agent/model.ts'
import type { Reader } from '../exchange.ts'
import { broken, complaintIn, type Provider, refusal } from '../failure.ts'
import { count, eventOf, type Fields, fields, fieldsIfAny, fragment, words } from '../fields.ts'
import type { CallInProgress } from '../joined-calls.ts'
import { type Piece, reply } from '../reply.ts'

type Text = Extract<Piece, { type: 'text' }>
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

/** Matches a text delta without escapes, the most common event, which costs an eighth of parsing JSON. All other events are parsed. */
const plainText =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a string of JSON may not hold them
  /^\{"type":"content_block_delta","index":(0|[1-9]\d{0,3}),"delta":\{"type":"text_delta","text":"([^"\\\0-\x1f]+)"\} *\}$/

/** Reads the events of a reply; unknown event and block types are ignored. */
export function anthropicReader(provider: Provider, sink: ModelSink, mayCall: boolean): Reader {
  const pieces: Piece[] = []
  const byIndex = new Map<number, Piece>()
  let usage: Usage | undefined
  let stop: TurnStop = 'end_turn'
  let isComplete = false

  const counted = (wire: unknown) => {
    usage = latest(usage, wire)
    if (usage !== undefined) sink.usage?.(usage)
  }

  const start = (index: number, block: Fields) => {
    const piece = newPiece(block)
    byIndex.delete(index)
    if (piece === undefined) return
    pieces.push(piece)
    byIndex.set(index, piece)
    if (piece.type === 'call') sink.call?.(piece.name)
    if (piece.type === 'text' && piece.text !== '') sink.text(piece.text)
    if (piece.type === 'thinking' && piece.text !== '') sink.thinking(piece.text)
  }

  const say = (piece: Text, said: string) => {
    piece.text += said
    sink.text(said)
  }

  const grow = (piece: Piece | undefined, delta: Fields) => {
    const said = words(delta.text)
    if (piece?.type === 'text' && delta.type === 'text_delta' && said !== '') say(piece, said)
    else if (piece?.type === 'call' && delta.type === 'input_json_delta') {
      const part = fragment(delta.partial_json)
      piece.parts.push(part)
      sink.call?.(part)
    } else if (piece?.type === 'thinking') growThinking(piece, delta, sink)
  }

  return {
    take(data) {
      const plain = plainText.exec(data)
      const piece = plain === null ? undefined : byIndex.get(Number(plain[1]))
      if (piece?.type === 'text' && plain !== null) {
        say(piece, plain[2] ?? '')
        return false
      }
      const event = eventOf(data)
      switch (event.type) {
        case 'content_block_delta':
          grow(byIndex.get(count(event.index) ?? -1), fields(event.delta))
          return false
        case 'message_start':
          counted(fields(event.message ?? {}).usage)
          return false
        case 'content_block_start':
          start(count(event.index) ?? -1, fields(event.content_block))
          return false
        case 'message_delta':
          counted(event.usage)
          stop = stops.get(words(fields(event.delta ?? {}).stop_reason)) ?? stop
          return false
        case 'message_stop':
          isComplete = true
          return true
        case 'error':
          throw refusal(provider, complaintIn(event.error), usage)
        default:
          return false
      }
    },
    turn() {
      if (!isComplete) throw broken(provider, 'the stream ended early', { usage })
      return {
        ...reply(pieces, { stop, mayCall }),
        ...(usage === undefined ? { usage: noUsage, isUsagePartial: true as const } : { usage }),
      }
    },
    usage: () => usage,
  }
}

function newPiece(block: Fields): Piece | undefined {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: words(block.text) }
    case 'thinking': {
      const signature = fragment(block.signature)
      return { type: 'thinking', text: words(block.thinking), ...(signature !== '' && { signature }) }
    }
    case 'redacted_thinking': {
      const data = words(block.data)
      return data === '' ? undefined : { type: 'redacted_thinking', data }
    }
    case 'tool_use': {
      const input = fields(block.input ?? {})
      const isGiven = Object.keys(input).length > 0
      const [id, name] = [words(block.id), words(block.name)]
      const call: CallInProgress = { type: 'call', id, name, parts: [], ...(isGiven && { input }) }
      return call
    }
    default:
      return undefined
  }
}

function growThinking(piece: Thinking, delta: Fields, sink: ModelSink) {
  const thought = words(delta.thinking)
  if (delta.type === 'thinking_delta' && thought !== '') {
    piece.text += thought
    sink.thinking(thought)
  }
  if (delta.type === 'signature_delta') piece.signature = (piece.signature ?? '') + fragment(delta.signature)
}

/** Merges token counts. They are cumulative, so a later value replaces an earlier one. Missing or invalid values are ignored. */
function latest(before: Usage | undefined, wire: unknown): Usage | undefined {
  const now = fieldsIfAny(wire)
  if (now === undefined) return before
  const known = before ?? noUsage
  return {
    inputTokens: count(now.input_tokens) ?? known.inputTokens,
    outputTokens: count(now.output_tokens) ?? known.outputTokens,
    cacheReadTokens: count(now.cache_read_input_tokens) ?? known.cacheReadTokens,
    cacheWriteTokens: count(now.cache_creation_input_tokens) ?? known.cacheWriteTokens,
  }
}
