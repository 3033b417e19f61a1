import type { ServerResponse } from 'node:http'
import type { Clock } from 'node-kit/clock'
import { noUsage, type Usage } from 'protocol'
import { waitingAnswer, waitingFacts } from '../card-words.ts'
import { ApiError, failureOf } from '../errors.ts'
import { holdHeaders, sendError, sendJson } from '../send.ts'
import { ResponseItems } from './items.ts'
import { type Outcome, type Own, outcomeOf, responseOf } from './wire.ts'
import type { ResponseWriter, Told } from './writer.ts'

/** Writes a response in one piece. Its headers are delayed by `holdMs`. After they were sent, a failure is reported in the response. */
export function wholeWriter(
  response: ServerResponse,
  { place, head, own, shown }: Told,
  { clock, holdMs, showsOwnCalls }: { clock: Clock; holdMs: number; showsOwnCalls: boolean },
): ResponseWriter {
  const hold = holdHeaders(response, clock, holdMs)
  let streamed = ''
  const items = new ResponseItems(place, {
    added() {},
    text(_index, { type }, delta) {
      if (type === 'message') streamed += delta
    },
    done(_index, { type }) {
      if (type === 'message') streamed = ''
    },
  })
  const send = (outcome: Outcome, usage: Usage, more: Own = {}) => {
    hold.release()
    items.end(streamed)
    // The AI SDK refuses a whole response that contains an item of an unknown type. The message and `waiting` report the card instead.
    const output = items.all.filter(
      ({ type }) => type !== 'jarvis:confirmation' && (showsOwnCalls || type !== 'mcp_call'),
    )
    sendJson(response, 200, responseOf(head, outcome, { output, usage, own: { ...own, ...more } }))
  }
  const fail = (error: ApiError) => {
    hold.release()
    if (!response.headersSent) return sendError(response, error)
    const { code, message } = error
    send({ status: 'failed', error: { code, message } }, noUsage)
  }
  return {
    shown,
    fail,
    before: (text) => items.say('before', text),
    text: (delta) => items.text(delta),
    thinking: (delta) => items.think(delta),
    entry: (entry) => items.hear(shown(entry)),
    waits: (card) => items.card(card),
    beat: hold.beat,
    later(cards) {
      items.end(streamed)
      items.say('waiting', waitingAnswer(cards))
      send({ status: 'in_progress' }, noUsage, { waiting: waitingFacts(cards) })
    },
    ended(end) {
      if (end.type === 'failed') {
        if (end.code === 'aborted') return send(outcomeOf(end), end.usage)
        const error =
          end.code === 'shutting_down'
            ? new ApiError(end.code, end.message, { status: 503, retryAfterS: 2 })
            : failureOf(end.code, end.message)
        return fail(error)
      }
      send(outcomeOf(end), end.usage)
    },
  }
}
