import type { ServerResponse } from 'node:http'
import type { Writer } from 'openai-door/answer'
import type { ChatRequest } from 'openai-door/chat/request'
import { type ApiError, badField, failureOf, toApiError } from 'openai-door/errors'
import type { StopReason } from 'protocol'
import type { GivenFile } from '../agent/attachments.ts'
import { ModelError } from '../agent/model.ts'
import type { Plain } from './plain.ts'

/** Refuses a request that requires a tool call from the plain model. @throws ApiError 400 */
export function refuseCalls({ mustCall }: Pick<ChatRequest, 'mustCall'>): void {
  if (mustCall) throw badField('tool_choice', 'This model has no tools. Leave tool_choice out, or ask an agent.')
}

/** Writes the answer of the plain model. It stops if the client disconnects. */
export type PlainAnswer = (
  chat: Pick<ChatRequest, 'turn' | 'files'>,
  response: ServerResponse,
  writer: Writer & { fail(error: ApiError): void },
) => Promise<void>

export const createPlainAnswer =
  (plain: Plain, now: () => number): PlainAnswer =>
  async (chat, response, writer) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const { text, wishes, before = [], mostTokens, format } = chat.turn(false)
    const { sent = [], earlier = new Map<number, readonly GivenFile[]>() } = chat.files(false)
    const said = before.flatMap((one, at) =>
      one.role === 'tool' ? [] : { role: one.role, text: one.text, files: earlier.get(at) ?? [] },
    )
    try {
      const messages = [...said, { role: 'user' as const, text, files: sent }]
      const answer = await plain({ wishes, messages, mostTokens, format }, writer.text, gone.signal)
      const stopReason = ends.get(answer.stopReason) ?? 'end_turn'
      writer.ended({ type: 'done', at: now(), stopReason, text: answer.text, handedOut: [], usage: answer.usage })
    } catch (error) {
      if (gone.signal.aborted) return
      const known = error instanceof ModelError ? failureOf(error.code, error.message) : toApiError(error)
      if (known === undefined) throw error
      writer.fail(known)
    }
  }

const ends = new Map<string, StopReason>([
  ['max_tokens', 'max_tokens'],
  ['refusal', 'refusal'],
])
