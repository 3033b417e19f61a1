import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ModelError } from '../../agent/model.ts'
import type { Agents } from '../../agents/agent.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { StopReason } from '../../protocol/index.ts'
import type { createAsk } from '../ask.ts'
import { readJson } from '../body.ts'
import type { createConduct, Writer } from '../conduct.ts'
import { type ApiError, failureOf } from '../errors.ts'
import { mannerOf, repetitionIn, sessionIn } from '../headers.ts'
import { modelsOf, requireModel } from '../models.ts'
import type { createPlain } from '../plain.ts'
import type { ProgramToken } from '../token.ts'
import { type ChatRequest, readChatRequest } from './request.ts'
import { streamedWriter } from './streamed.ts'
import { wholeWriter } from './whole.ts'
import type { Head, Own } from './wire.ts'

/** @returns a handler of `POST /v1/chat/completions` */
export function createChatCompletions(parts: {
  agents: Pick<Agents, 'list'>
  hasTool(name: string): boolean
  ask: ReturnType<typeof createAsk>
  conduct: ReturnType<typeof createConduct>
  plain: ReturnType<typeof createPlain>
  clock: Clock
  /** How long the headers of a whole answer are held back, ms. */
  holdMs: number
}) {
  const { clock } = parts

  const writerOf = (chat: ChatRequest, response: ServerResponse, head: Head, own: Own) =>
    chat.isStreamed
      ? streamedWriter(response, head, { own, wantsUsage: chat.wantsUsage })
      : wholeWriter(response, head, { own, clock, holdMs: parts.holdMs })

  return async (request: IncomingMessage, response: ServerResponse, token: ProgramToken): Promise<void> => {
    const { bytes, value } = await readJson(request)
    const chat = readChatRequest(value, parts.hasTool)
    const model = requireModel(modelsOf(parts.agents.list(), token.name), chat.model)
    const manner = mannerOf(request)
    const head = { created: Math.floor(clock.now() / 1000), model: model.name }
    if (chat.ignored.length > 0) response.setHeader('Jarvis-Ignored', chat.ignored.join(', '))
    if (model.agent === undefined) {
      const writer = writerOf(chat, response, { ...head, id: newId('chatcmpl').replace('_', '-') }, {})
      return answerPlainly(chat, response, writer)
    }
    const session = sessionIn(request, chat.isStreamed)
    const answering = parts.ask({
      ...{ token, door: 'chat', agent: model.agent, session },
      ...repetitionIn(request),
      hash: createHash('sha256').update(bytes).digest('hex'),
      origin: () => chat.origin(session !== undefined),
    })
    const { sessionId, runId } = answering
    response.setHeader('Jarvis-Session', sessionId)
    const writer = writerOf(chat, response, { ...head, id: `chatcmpl-${runId}` }, { sessionId, runId })
    parts.conduct(answering, { response, token: token.name, manner, isWhole: !chat.isStreamed, writer })
  }

  async function answerPlainly(
    chat: ChatRequest,
    response: ServerResponse,
    writer: Writer & { fail(error: ApiError): void },
  ) {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const { text, wishes, before = [], mostTokens } = chat.origin(false)
    const said = before.flatMap((one) => (one.role === 'tool' ? [] : { role: one.role, text: one.text }))
    try {
      const messages = [...said, { role: 'user' as const, text }]
      const answer = await parts.plain({ wishes, messages, mostTokens }, writer.text, gone.signal)
      const stopReason = ends.get(answer.stopReason) ?? 'end_turn'
      writer.ended({ type: 'done', stopReason, text: answer.text, handedOut: [], usage: answer.usage })
    } catch (error) {
      if (gone.signal.aborted) return
      if (!(error instanceof ModelError)) throw error
      writer.fail(failureOf(error.code, error.message))
    }
  }
}

const ends = new Map<string, StopReason>([
  ['max_tokens', 'max_tokens'],
  ['refusal', 'refusal'],
])
