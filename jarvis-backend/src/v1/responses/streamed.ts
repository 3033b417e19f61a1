import type { ServerResponse } from 'node:http'
import { noUsage, type Usage } from 'protocol'
import { waitingAnswer, waitingFacts } from '../card-words.ts'
import { type ApiError, failureOf } from '../errors.ts'
import { openEvents } from '../send.ts'
import { createItems, type Item, type MessageItem, type ReasoningItem, summaryOf, textOf } from './items.ts'
import type { Place } from './place.ts'
import { type Head, type Outcome, type Own, outcomeOf, responseOf } from './wire.ts'
import type { ResponseWriter } from './writer.ts'

/** Writes a response as events. The last one before `[DONE]` has the response whole. */
export function streamedWriter(
  response: ServerResponse,
  place: Place,
  head: Head,
  { own, shown }: { own: Own; shown: ResponseWriter['shown'] },
): ResponseWriter {
  const events = openEvents(response)
  let sequence = 0
  let isWaiting = false
  let said = ''
  /** Text that a slow client has not taken yet. */
  let gathered: { index: number; item: MessageItem | ReasoningItem; text: string } | undefined

  const write = (type: string, fields: object) =>
    events.named(type, JSON.stringify({ type, sequence_number: sequence++, ...fields }))
  const writeDelta = (index: number, { type, id }: MessageItem | ReasoningItem, delta: string) => {
    const at = { item_id: id, output_index: index }
    if (type === 'message') write('response.output_text.delta', { ...at, content_index: 0, delta, logprobs: [] })
    else write('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta })
  }
  const flush = () => {
    if (gathered === undefined) return
    const { index, item, text } = gathered
    gathered = undefined
    writeDelta(index, item, text)
  }
  const send = (type: string, fields: object) => {
    flush()
    write(type, fields)
  }
  events.onDrain(flush)

  const items = createItems(place, {
    added(index, item) {
      send('response.output_item.added', { output_index: index, item })
      const at = { item_id: item.id, output_index: index }
      if (item.type === 'message') {
        said = ''
        send('response.content_part.added', { ...at, content_index: 0, part: textOf('') })
      } else if (item.type === 'reasoning') {
        send('response.reasoning_summary_part.added', { ...at, summary_index: 0, part: summaryOf('') })
      } else if (item.type === 'mcp_call') send('response.mcp_call.in_progress', at)
    },
    text(index, item, delta) {
      if (item.type === 'message') said += delta
      if (gathered !== undefined && gathered.item !== item) flush()
      gathered = { index, item, text: (gathered?.text ?? '') + delta }
      if (!events.isSlow()) flush()
    },
    done(index, item) {
      const at = { item_id: item.id, output_index: index }
      if (item.type === 'message') {
        const [part] = item.content
        const place = { ...at, content_index: 0 }
        // An item that did not stream has not told its text yet.
        if (said === '' && part !== undefined) {
          flush()
          writeDelta(index, item, part.text)
        }
        send('response.output_text.done', { ...place, text: part?.text ?? '', logprobs: [] })
        send('response.content_part.done', { ...place, part })
      } else if (item.type === 'reasoning') {
        const [part] = item.summary
        const place = { ...at, summary_index: 0 }
        send('response.reasoning_summary_text.done', { ...place, text: part?.text ?? '' })
        send('response.reasoning_summary_part.done', { ...place, part })
      } else if (item.type === 'mcp_call') {
        send('response.mcp_call_arguments.done', { ...at, arguments: item.arguments })
        send(item.status === 'failed' ? 'response.mcp_call.failed' : 'response.mcp_call.completed', at)
      } else if (item.type === 'function_call') {
        send('response.function_call_arguments.delta', { ...at, delta: item.arguments })
        send('response.function_call_arguments.done', { ...at, name: item.name, arguments: item.arguments })
      }
      send('response.output_item.done', { output_index: index, item })
    },
  })
  const whole = (outcome: Outcome, output: readonly Item[], usage: Usage | undefined, more: Own = {}) =>
    responseOf(head, outcome, { output, usage, own: { ...own, ...more } })
  const finish = (type: string, outcome: Outcome, usage: Usage, more: Own = {}) => {
    send(type, { response: whole(outcome, items.items, usage, more) })
    events.end()
  }
  const first = { response: whole({ status: 'in_progress' }, [], undefined) }
  send('response.created', first)
  send('response.in_progress', first)

  return {
    shown,
    before: (text) => items.say('before', text),
    text: items.text,
    thinking: items.think,
    entry: (entry) => items.hear(shown(entry)),
    waits(card) {
      isWaiting = true
      items.card(card)
    },
    beat: () => events.comment(isWaiting ? 'waiting' : 'working'),
    later(cards) {
      items.end(said)
      items.say('waiting', waitingAnswer(cards))
      finish('response.completed', { status: 'in_progress' }, noUsage, { waiting: waitingFacts(cards) })
    },
    fail(error: ApiError) {
      items.end(said)
      const { code, message } = error
      finish('response.failed', { status: 'failed', error: { code, message } }, noUsage)
    },
    ended(end) {
      items.end(said)
      const outcome = outcomeOf(end)
      if (end.type === 'failed') {
        const { code, message } = failureOf(end.code, end.message)
        return finish('response.failed', { ...outcome, error: { code, message } }, end.usage)
      }
      finish(outcome.status === 'incomplete' ? 'response.incomplete' : 'response.completed', outcome, end.usage)
    },
  }
}
