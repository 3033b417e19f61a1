import { noUsage, type TurnStop, type Usage } from 'protocol'
import type { ModelSink, Turn } from '../../agent/model.ts'
import type { Reader } from '../exchange.ts'
import { broken, complaintIn, type Provider, refusal } from '../failure.ts'
import { count, eventOf, type Fields, fields, fieldsIfAny, fragment, list, words } from '../fields.ts'
import type { CallInProgress } from '../joined-calls.ts'
import { type Piece, reply } from '../reply.ts'
import { sealOf } from './reasoning.ts'

type Text = Extract<Piece, { type: 'text' }>
type Thinking = Extract<Piece, { type: 'thinking' }>

/** Reads the events of a response; unknown events and items are ignored. */
export class ResponsesReader implements Reader {
  readonly #provider: Provider
  readonly #sink: ModelSink
  readonly #mayCall: boolean
  readonly #pieces: Piece[] = []
  readonly #byIndex = new Map<number, Piece>()
  /** Index of the latest summary part of each piece of thinking. Each part of a summary becomes a paragraph. */
  readonly #parts = new Map<Thinking, number>()
  #usage: Usage | undefined
  #stop: TurnStop | undefined
  #hasRefused = false

  constructor(provider: Provider, sink: ModelSink, mayCall: boolean) {
    this.#provider = provider
    this.#sink = sink
    this.#mayCall = mayCall
  }

  take(data: string): boolean {
    // Some servers end the stream with the mark of Chat Completions.
    if (data === '[DONE]') return true
    const event = eventOf(data)
    switch (event.type) {
      case 'response.output_item.added':
        this.#start(count(event.output_index) ?? -1, fields(event.item))
        return false
      case 'response.output_item.done':
        this.#finish(count(event.output_index) ?? -1, fields(event.item))
        return false
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed': {
        const response = fields(event.response)
        this.#end({ ...response, status: words(response.status) || event.type.slice('response.'.length) })
        return true
      }
      case 'error':
        throw refusal(this.#provider, complaintIn(event.error ?? event), this.#usage)
      case undefined:
        // A server that does not stream sends one object.
        if (event.object === 'response') {
          this.#end(event)
          return true
        }
        if (event.error) throw refusal(this.#provider, complaintIn(event.error), this.#usage)
        return false
      default:
        this.#grow(event)
        return false
    }
  }

  turn(): Turn {
    const usage = this.#usage
    if (this.#stop === undefined) throw broken(this.#provider, 'the stream ended early', { usage })
    return {
      ...reply(this.#pieces.filter(hasContent), { stop: this.#stop, mayCall: this.#mayCall }),
      ...(usage === undefined ? { usage: noUsage, isUsagePartial: true as const } : { usage }),
    }
  }

  usage(): Usage | undefined {
    return this.#usage
  }

  #start(index: number, item: Fields): Piece | undefined {
    const known = this.#byIndex.get(index)
    if (known !== undefined) return known
    const piece = newPiece(item)
    if (piece === undefined) return undefined
    this.#pieces.push(piece)
    this.#byIndex.set(index, piece)
    if (piece.type === 'call') this.#sink.call?.(piece.name)
    return piece
  }

  #grow(event: Fields): void {
    const piece = this.#byIndex.get(count(event.output_index) ?? -1)
    const part = count(event.summary_index) ?? count(event.content_index) ?? 0
    switch (event.type) {
      case 'response.output_text.delta':
        if (piece?.type === 'text') this.#say(piece, fragment(event.delta))
        return
      case 'response.refusal.delta':
        this.#hasRefused = true
        if (piece?.type === 'text') this.#say(piece, fragment(event.delta))
        return
      case 'response.function_call_arguments.delta':
        if (piece?.type === 'call') {
          const part = fragment(event.delta)
          piece.parts.push(part)
          this.#sink.call?.(part)
        }
        return
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        if (piece?.type === 'thinking') this.#think(piece, fragment(event.delta), part)
        return
      default:
    }
  }

  /** Handles a completed item. The item holds its whole content; only text that was not streamed before is passed on. */
  #finish(index: number, item: Fields): void {
    const piece = this.#start(index, item)
    if (piece?.type === 'call') {
      piece.name ||= words(item.name)
      const whole = fragment(item.arguments)
      if (whole !== '') piece.parts = [whole]
    } else if (piece?.type === 'thinking') {
      if (piece.text === '')
        for (const [at, part] of list(item.summary ?? []).entries()) this.#think(piece, words(fields(part).text), at)
      const signature = sealOf(item)
      if (signature !== undefined) piece.signature = signature
    } else if (piece?.type === 'text') {
      const content = list(item.content ?? []).map(fields)
      if (content.some(({ type }) => type === 'refusal')) this.#hasRefused = true
      if (piece.text === '')
        for (const part of content) this.#say(piece, words(part.type === 'refusal' ? part.refusal : part.text))
    }
  }

  /** Handles the end of a response. @throws ModelError if the response failed */
  #end(response: Fields): void {
    const counts = counted(response.usage)
    if (counts !== undefined) {
      this.#usage = counts
      this.#sink.usage?.(counts)
    }
    if (response.status === 'failed' || response.status === 'cancelled')
      throw refusal(this.#provider, complaintIn(response.error), this.#usage)
    // A server that does not stream, or streamed no items, lists the items here.
    if (this.#pieces.length === 0)
      for (const [index, item] of list(response.output ?? []).entries()) this.#finish(index, fields(item))
    const isIncomplete = response.status === 'incomplete'
    const isFiltered = fieldsIfAny(response.incomplete_details)?.reason === 'content_filter'
    if (this.#hasRefused || (isIncomplete && isFiltered)) this.#stop = 'refusal'
    else this.#stop = isIncomplete ? 'max_tokens' : 'end_turn'
  }

  #say(piece: Text, said: string): void {
    if (said === '') return
    piece.text += said
    this.#sink.text(said)
  }

  #think(piece: Thinking, thought: string, part: number): void {
    if (thought === '') return
    const gap = piece.text !== '' && this.#parts.get(piece) !== part ? '\n\n' : ''
    this.#parts.set(piece, part)
    piece.text += gap + thought
    this.#sink.thinking(gap + thought)
  }
}

/** True if a piece has content. Thinking without a summary has content if it has a signature, because it can then be sent back. */
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

/** Converts token counts. The server's input tokens include cached ones; `inputTokens` does not. */
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
