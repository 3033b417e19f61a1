import { noUsage, type TurnStop, type Usage } from 'protocol'
import type { ModelSink } from '../../agent/model.ts'
import type { Reader } from '../exchange.ts'
import { broken, complaintIn, type Provider, refusal } from '../failure.ts'
import { count, eventOf, type Fields, fields, fieldsIfAny, fragment, list, words } from '../fields.ts'
import type { CallInProgress } from '../joined-calls.ts'
import { type Piece, reply } from '../reply.ts'
import { sealOf } from './reasoning.ts'

type Text = Extract<Piece, { type: 'text' }>
type Thinking = Extract<Piece, { type: 'thinking' }>

/** Reads the events of a response; unknown events and items are ignored. */
export function responsesReader(provider: Provider, sink: ModelSink, mayCall: boolean): Reader {
  const pieces: Piece[] = []
  const byIndex = new Map<number, Piece>()
  /** Parts of a summary are paragraphs; the last part of each thought. */
  const parts = new Map<Thinking, number>()
  let usage: Usage | undefined
  let stop: TurnStop | undefined
  let hasRefused = false

  const start = (index: number, item: Fields): Piece | undefined => {
    const known = byIndex.get(index)
    if (known !== undefined) return known
    const piece = newPiece(item)
    if (piece === undefined) return undefined
    pieces.push(piece)
    byIndex.set(index, piece)
    if (piece.type === 'call') sink.call?.(piece.name)
    return piece
  }
  const say = (piece: Text, said: string) => {
    if (said === '') return
    piece.text += said
    sink.text(said)
  }
  const think = (piece: Thinking, thought: string, part: number) => {
    if (thought === '') return
    const gap = piece.text !== '' && parts.get(piece) !== part ? '\n\n' : ''
    parts.set(piece, part)
    piece.text += gap + thought
    sink.thinking(gap + thought)
  }

  /** An item that is done says the whole; what had streamed of it counts, and only what is missing is added. */
  const finish = (index: number, item: Fields) => {
    const piece = start(index, item)
    if (piece?.type === 'call') {
      piece.name ||= words(item.name)
      const whole = fragment(item.arguments)
      if (whole !== '') piece.parts = [whole]
    } else if (piece?.type === 'thinking') {
      if (piece.text === '')
        for (const [at, part] of list(item.summary ?? []).entries()) think(piece, words(fields(part).text), at)
      const signature = sealOf(item)
      if (signature !== undefined) piece.signature = signature
    } else if (piece?.type === 'text') {
      const content = list(item.content ?? []).map(fields)
      if (content.some(({ type }) => type === 'refusal')) hasRefused = true
      if (piece.text === '')
        for (const part of content) say(piece, words(part.type === 'refusal' ? part.refusal : part.text))
    }
  }

  /** The end of a response. @throws ModelError where it failed */
  const end = (response: Fields) => {
    const counts = counted(response.usage)
    if (counts !== undefined) {
      usage = counts
      sink.usage?.(counts)
    }
    if (response.status === 'failed' || response.status === 'cancelled')
      throw refusal(provider, complaintIn(response.error), usage)
    // A server that streamed no items, or does not stream, has them here.
    if (pieces.length === 0)
      for (const [index, item] of list(response.output ?? []).entries()) finish(index, fields(item))
    const isIncomplete = response.status === 'incomplete'
    const isFiltered = fieldsIfAny(response.incomplete_details)?.reason === 'content_filter'
    stop = hasRefused || (isIncomplete && isFiltered) ? 'refusal' : isIncomplete ? 'max_tokens' : 'end_turn'
    return true
  }

  const grow = (event: Fields) => {
    const piece = byIndex.get(count(event.output_index) ?? -1)
    const part = count(event.summary_index) ?? count(event.content_index) ?? 0
    switch (event.type) {
      case 'response.output_text.delta':
        if (piece?.type === 'text') say(piece, fragment(event.delta))
        return
      case 'response.refusal.delta':
        hasRefused = true
        if (piece?.type === 'text') say(piece, fragment(event.delta))
        return
      case 'response.function_call_arguments.delta':
        if (piece?.type === 'call') {
          const part = fragment(event.delta)
          piece.parts.push(part)
          sink.call?.(part)
        }
        return
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        if (piece?.type === 'thinking') think(piece, fragment(event.delta), part)
        return
      default:
    }
  }

  return {
    take(data) {
      // Some servers add the mark of Chat Completions.
      if (data === '[DONE]') return true
      const event = eventOf(data)
      switch (event.type) {
        case 'response.output_item.added':
          start(count(event.output_index) ?? -1, fields(event.item))
          return false
        case 'response.output_item.done':
          finish(count(event.output_index) ?? -1, fields(event.item))
          return false
        case 'response.completed':
        case 'response.incomplete':
        case 'response.failed': {
          const response = fields(event.response)
          return end({ ...response, status: words(response.status) || event.type.slice('response.'.length) })
        }
        case 'error':
          throw refusal(provider, complaintIn(event.error ?? event), usage)
        case undefined:
          // A server that does not stream sends one object.
          if (event.object === 'response') return end(event)
          if (event.error) throw refusal(provider, complaintIn(event.error), usage)
          return false
        default:
          grow(event)
          return false
      }
    },
    turn() {
      if (stop === undefined) throw broken(provider, 'the stream ended early', usage)
      return {
        ...reply(pieces.filter(hasContent), stop, mayCall),
        ...(usage === undefined ? { usage: noUsage, isUsagePartial: true as const } : { usage }),
      }
    },
    usage: () => usage,
  }
}

/** Thinking without a summary counts where it can be sent back. */
const hasContent = (piece: Piece) => piece.type !== 'thinking' || piece.text !== '' || piece.signature !== undefined

function newPiece(item: Fields): Piece | undefined {
  switch (item.type) {
    case 'message':
      return { type: 'text', text: '' }
    case 'reasoning':
      return { type: 'thinking', text: '' }
    case 'function_call': {
      const call: CallInProgress = { type: 'call', id: words(item.call_id), name: words(item.name), parts: [] }
      return call
    }
    default:
      return undefined
  }
}

/** Converts token counts: the wire's input tokens include cached ones, `inputTokens` does not. */
function counted(wire: unknown): Usage | undefined {
  const usage = fieldsIfAny(wire)
  if (usage === undefined) return undefined
  const cacheReadTokens = count(fieldsIfAny(usage.input_tokens_details)?.cached_tokens) ?? 0
  return {
    inputTokens: Math.max(0, (count(usage.input_tokens) ?? 0) - cacheReadTokens),
    outputTokens: count(usage.output_tokens) ?? 0,
    cacheReadTokens,
    cacheWriteTokens: 0,
  }
}
