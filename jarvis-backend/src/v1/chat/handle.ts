import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ChatRequest, readChatRequest } from 'openai-door/chat/request'
import { streamedWriter } from 'openai-door/chat/streamed'
import { wholeWriter } from 'openai-door/chat/whole'
import type { Head, Own } from 'openai-door/chat/wire'
import { badField } from 'openai-door/errors'
import { requireFormat } from 'openai-door/format'
import { agentIn, mannerOf, repetitionIn, sessionIn } from 'openai-door/headers'
import { promised } from 'openai-door/promised'
import type { Model } from '../../agent/model.ts'
import type { ProgramFiles } from '../../agent/run/start-program.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Ask } from '../ask.ts'
import { readJson } from '../body.ts'
import { checkFile } from '../check-file.ts'
import type { Conduct } from '../conduct.ts'
import type { Named, ProgramModels } from '../models.ts'
import { type PlainAnswer, refuseCalls } from '../plain-answer.ts'
import type { ProgramToken } from '../token.ts'

/** @returns a handler of `POST /v1/chat/completions` */
export function createChatCompletions(parts: {
  models: Pick<ProgramModels, 'require'>
  /** Returns the model that answers: the agent's own, the one that the program named, or the one in use. */
  modelOf(named: Named): Model
  ask: Ask
  /** Searches a request for secrets in small steps, so that `ask` needs little time afterwards. */
  prepare(origin: object, files: ProgramFiles): Promise<void>
  conduct: Conduct
  answerPlainly: PlainAnswer
  clock: Clock
  /** Time for which the headers of an answer in one piece are delayed, ms. */
  holdMs: number
}) {
  const { clock } = parts

  const writerOf = (chat: ChatRequest, response: ServerResponse, { head, own }: { head: Head; own: Own }) =>
    promised(
      chat.isStreamed
        ? streamedWriter(response, head, { own, wantsUsage: chat.wantsUsage, isLegacy: chat.isLegacy })
        : wholeWriter(response, head, { own, clock, holdMs: parts.holdMs, isLegacy: chat.isLegacy }),
      chat,
    )

  return async (request: IncomingMessage, response: ServerResponse, token: ProgramToken): Promise<void> => {
    const { bytes, value } = await readJson(request)
    const chat = readChatRequest(value, checkFile)
    const header = agentIn(request)
    const model = parts.models.require(token.name, chat.model, header)
    const manner = mannerOf(request)
    requireFormat(parts.modelOf(model), chat.format, 'response_format')
    const head = { created: Math.floor(clock.now() / 1000), model: model.name }
    if (chat.ignored.length > 0) response.setHeader('Jarvis-Ignored', chat.ignored.join(', '))
    if (model.agent === undefined) {
      refuseCalls(chat)
      const writer = writerOf(chat, response, {
        head: { ...head, id: newId('chatcmpl').replace('_', '-') },
        own: {},
      })
      return parts.answerPlainly(chat, response, writer)
    }
    const session = sessionIn(request, chat.isStreamed)
    if (chat.isLegacy && session !== undefined)
      throw badField(
        'functions',
        'A function_call has no id that a session could find its result by. Send tools instead, or leave the session out.',
      )
    const [origin, files] = [chat.turn(session !== undefined), chat.files(session !== undefined)]
    await parts.prepare(origin, files)
    const answering = parts.ask({
      token,
      door: 'chat',
      agent: model.agent,
      session,
      ...repetitionIn(request),
      hash: createHash('sha256')
        .update(bytes)
        .update(header ?? '')
        .digest('hex'),
      origin: () => ({ ...origin, ...(model.model !== undefined && { model: model.model }) }),
      files: () => files,
    })
    const { sessionId, runId } = answering
    response.setHeader('Jarvis-Session', sessionId)
    const writer = writerOf(chat, response, {
      head: { ...head, id: `chatcmpl-${runId}` },
      own: { sessionId, runId },
    })
    parts.conduct(answering, { response, token: token.name, manner, isWhole: !chat.isStreamed, writer })
  }
}
