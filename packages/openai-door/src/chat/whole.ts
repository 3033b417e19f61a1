import type { ServerResponse } from 'node:http'
import type { Clock } from 'node-kit/clock'
import { noUsage } from 'protocol'
import type { Writer } from '../answer.ts'
import { waitingAnswer, waitingFacts } from '../card-words.ts'
import { ownFilesOf } from '../containers.ts'
import { ApiError, failureOf } from '../errors.ts'
import { holdHeaders, sendError, sendJson } from '../send.ts'
import { completion, finishOf, type Head, type Own } from './wire.ts'

/** Writes an answer in one piece. Its headers are delayed by `holdMs`. After they were sent, a failure can be reported only in the body. */
export function wholeWriter(
  response: ServerResponse,
  head: Head,
  { own, clock, holdMs, isLegacy }: { own: Own; clock: Clock; holdMs: number; isLegacy: boolean },
): Writer & { fail(error: ApiError): void } {
  const hold = holdHeaders(response, clock, holdMs)
  let before = ''
  let said = ''
  let reasoning = ''
  const send = (body: Parameters<typeof completion>[1]) => {
    hold.release()
    sendJson(response, 200, completion(head, body))
  }
  const fail = (error: ApiError) => {
    hold.release()
    if (!response.headersSent) return sendError(response, error)
    const { code, message } = error
    send({
      text: joined(before, said, message),
      finish: 'stop',
      usage: noUsage,
      own: { ...own, error: { code, message } },
    })
  }
  return {
    fail,
    before(text) {
      before = text
    },
    text(delta) {
      said += delta
    },
    thinking(delta) {
      reasoning += delta
    },
    waits() {},
    beat: hold.beat,
    later(cards) {
      send({
        text: joined(before, said, waitingAnswer(cards)),
        finish: 'stop',
        usage: noUsage,
        own: { ...own, waiting: waitingFacts(cards) },
      })
    },
    ended(end) {
      if (end.type === 'failed') {
        const error =
          end.code === 'shutting_down'
            ? new ApiError(end.code, end.message, { status: 503, retryAfterS: 2 })
            : failureOf(end.code, end.message)
        return fail(error)
      }
      const { handedOut: calls, usage } = end
      // The whole text is sent, because a secret that was split between two streamed pieces is redacted in it.
      const finish = finishOf(end.stopReason, calls, isLegacy)
      const more = { ...own, ...ownFilesOf(own.sessionId, end.files) }
      send({ text: joined(before, end.text), calls, isLegacy, reasoning, finish, usage, own: more })
    },
  }
}

const joined = (...texts: readonly string[]) => texts.filter((text) => text !== '').join('\n\n')
