import type { ServerResponse } from 'node:http'
import { noUsage, type Usage } from 'protocol'
import { waitingAnswer, waitingFacts } from '../card-words.ts'
import { type ApiError, failureOf } from '../errors.ts'
import { type Events, openEvents } from '../send.ts'
import {
  type Item,
  type ItemListener,
  type MessageItem,
  type ReasoningItem,
  ResponseItems,
  summaryOf,
  textOf,
} from './items.ts'
import { type Outcome, type Own, outcomeOf, responseOf } from './wire.ts'
import type { ResponseWriter, Told } from './writer.ts'

/** An item whose text streams. */
type Streaming = MessageItem | ReasoningItem

/** Writes a response as events. The last event before `[DONE]` contains the whole response. */
export function streamedWriter(response: ServerResponse, { place, head, own, shown }: Told): ResponseWriter {
  const events = openEvents(response)
  const told = new ItemEvents(events)
  const items = new ResponseItems(place, told)
  let isWaiting = false
  const finish = (type: string, outcome: Outcome, { usage, more = {} }: { usage: Usage; more?: Own }) => {
    told.send(type, { response: responseOf(head, outcome, { output: items.all, usage, own: { ...own, ...more } }) })
    events.end()
  }
  const first = { response: responseOf(head, { status: 'in_progress' }, { output: [], usage: undefined, own }) }
  told.send('response.created', first)
  told.send('response.in_progress', first)

  return {
    shown,
    before: (text) => items.say('before', text),
    text: (delta) => items.text(delta),
    thinking: (delta) => items.think(delta),
    entry: (entry) => items.hear(shown(entry)),
    waits(card) {
      isWaiting = true
      items.card(card)
    },
    beat: () => events.comment(isWaiting ? 'waiting' : 'working'),
    later(cards) {
      items.end(told.said)
      items.say('waiting', waitingAnswer(cards))
      finish(
        'response.completed',
        { status: 'in_progress' },
        { usage: noUsage, more: { waiting: waitingFacts(cards) } },
      )
    },
    fail(error: ApiError) {
      items.end(told.said)
      const { code, message } = error
      finish('response.failed', { status: 'failed', error: { code, message } }, { usage: noUsage })
    },
    ended(end) {
      items.end(told.said)
      const outcome = outcomeOf(end)
      if (end.type === 'failed') {
        const { code, message } = failureOf(end.code, end.message)
        return finish('response.failed', { ...outcome, error: { code, message } }, { usage: end.usage })
      }
      const type = outcome.status === 'incomplete' ? 'response.incomplete' : 'response.completed'
      finish(type, outcome, { usage: end.usage })
    },
  }
}

/** Sends the items of a response as numbered events. Text for a client that is still receiving earlier data is collected into one event. */
class ItemEvents implements ItemListener {
  readonly #events: Events
  #sequence = 0
  #said = ''
  /** Text that is collected while a slow client has not received the earlier data. */
  #gathered: { index: number; item: Streaming; text: string } | undefined

  constructor(events: Events) {
    this.#events = events
    events.onDrain(() => this.#flush())
  }

  /** The text of the open message so far. */
  get said(): string {
    return this.#said
  }

  /** Sends an event, after all collected text. */
  send(type: string, fields: object): void {
    this.#flush()
    this.#write(type, fields)
  }

  added(index: number, item: Item): void {
    this.send('response.output_item.added', { output_index: index, item })
    const at = { item_id: item.id, output_index: index }
    if (item.type === 'message') {
      this.#said = ''
      this.send('response.content_part.added', { ...at, content_index: 0, part: textOf('') })
    } else if (item.type === 'reasoning') {
      this.send('response.reasoning_summary_part.added', { ...at, summary_index: 0, part: summaryOf('') })
    } else if (item.type === 'mcp_call') this.send('response.mcp_call.in_progress', at)
  }

  text(index: number, item: Streaming, delta: string): void {
    if (item.type === 'message') this.#said += delta
    if (this.#gathered !== undefined && this.#gathered.item !== item) this.#flush()
    this.#gathered = { index, item, text: (this.#gathered?.text ?? '') + delta }
    if (!this.#events.isSlow()) this.#flush()
  }

  done(index: number, item: Item): void {
    const at = { item_id: item.id, output_index: index }
    if (item.type === 'message') this.#messageDone(index, item)
    else if (item.type === 'reasoning') {
      const [part] = item.summary
      const place = { ...at, summary_index: 0 }
      this.send('response.reasoning_summary_text.done', { ...place, text: part?.text ?? '' })
      this.send('response.reasoning_summary_part.done', { ...place, part })
    } else if (item.type === 'mcp_call') {
      this.send('response.mcp_call_arguments.done', { ...at, arguments: item.arguments })
      this.send(item.status === 'failed' ? 'response.mcp_call.failed' : 'response.mcp_call.completed', at)
    } else if (item.type === 'function_call') {
      this.send('response.function_call_arguments.delta', { ...at, delta: item.arguments })
      this.send('response.function_call_arguments.done', { ...at, name: item.name, arguments: item.arguments })
    }
    this.send('response.output_item.done', { output_index: index, item })
  }

  #messageDone(index: number, item: MessageItem): void {
    const [part] = item.content
    const place = { item_id: item.id, output_index: index, content_index: 0 }
    // The text of an item that was not streamed is sent here.
    if (this.#said === '' && part !== undefined) {
      this.#flush()
      this.#delta(index, item, part.text)
    }
    for (const [at, annotation] of (part?.annotations ?? []).entries())
      this.send('response.output_text.annotation.added', { ...place, annotation_index: at, annotation })
    this.send('response.output_text.done', { ...place, text: part?.text ?? '', logprobs: [] })
    this.send('response.content_part.done', { ...place, part })
  }

  #flush(): void {
    if (this.#gathered === undefined) return
    const { index, item, text } = this.#gathered
    this.#gathered = undefined
    this.#delta(index, item, text)
  }

  #delta(index: number, { type, id }: Streaming, delta: string): void {
    const at = { item_id: id, output_index: index }
    if (type === 'message') this.#write('response.output_text.delta', { ...at, content_index: 0, delta, logprobs: [] })
    else this.#write('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta })
  }

  #write(type: string, fields: object): void {
    this.#events.named(type, JSON.stringify({ type, sequence_number: this.#sequence++, ...fields }))
  }
}
