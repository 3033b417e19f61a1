import type { ServerResponse } from 'node:http'
import { noUsage } from 'protocol'
import type { Writer } from '../answer.ts'
import { cardLine, waitingAnswer, waitingFacts } from '../card-words.ts'
import { ownFilesOf } from '../containers.ts'
import { type ApiError, bodyOf, failureOf } from '../errors.ts'
import { openEvents } from '../send.ts'
import { chunksOf, type Form, finishOf, type Head, type Own } from './wire.ts'

/** Writes a streamed answer: the role, the pieces of text, the finish reason, the usage if the program asked for it, and `[DONE]`. */
export function streamedWriter(
  response: ServerResponse,
  head: Head,
  { own, wantsUsage, isLegacy }: Form & { own: Own },
): Writer & { fail(error: ApiError): void } {
  const events = openEvents(response)
  const chunks = chunksOf(head, { wantsUsage, isLegacy })
  events.data(chunks.role(own))
  let isWaiting = false
  /** Text that is collected while a slow client has not received the earlier text. */
  let gathered: { kind: 'text' | 'reasoning'; text: string } | undefined

  const flush = () => {
    if (gathered === undefined) return
    const { kind, text } = gathered
    gathered = undefined
    events.data(chunks[kind](text))
  }
  const say = (kind: 'text' | 'reasoning', text: string) => {
    if (!events.isSlow() && gathered === undefined) return events.data(chunks[kind](text))
    if (gathered?.kind !== kind) flush()
    gathered = { kind, text: (gathered?.text ?? '') + text }
  }
  events.onDrain(flush)
  const fail = (error: ApiError) => {
    flush()
    events.data(JSON.stringify(bodyOf(error)))
    events.end()
  }

  return {
    fail,
    before: (text) => say('text', `${text}\n\n`),
    text: (delta) => say('text', delta),
    thinking: (delta) => say('reasoning', delta),
    waits(card) {
      isWaiting = true
      say('reasoning', `${cardLine(card)}\n`)
    },
    beat: () => events.comment(isWaiting ? 'waiting' : 'working'),
    later(cards) {
      say('text', waitingAnswer(cards))
      flush()
      events.data(chunks.finish('stop', { ...own, waiting: waitingFacts(cards) }))
      if (wantsUsage) events.data(chunks.usage(noUsage))
      events.end()
    },
    ended(end) {
      if (end.type === 'failed') return fail(failureOf(end.code, end.message))
      flush()
      if (end.handedOut.length > 0) events.data(chunks.calls(end.handedOut))
      const more = { ...own, ...ownFilesOf(own.sessionId, end.files) }
      events.data(chunks.finish(finishOf(end.stopReason, end.handedOut, isLegacy), more))
      if (wantsUsage) events.data(chunks.usage(end.usage))
      events.end()
    },
  }
}
