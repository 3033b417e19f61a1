import type { Model } from '../../agent/model.ts'
import { exchange } from '../exchange.ts'
import { learnedInMemory } from '../learned.ts'
import { askWithoutRefused } from '../openai-api/ask.ts'
import { leastOf, type OpenAiOptions, openAiService, usualMost } from '../openai-api/service.ts'
import { createSight, withUnseen } from '../sight.ts'
import { ToolSchemas } from '../tool-schemas.ts'
import { type OptionalPart, refusedPart, refusedReasoning } from './refused-parts.ts'
import { type ResponsesBody, responsesRequest } from './request.ts'
import { ResponsesReader } from './stream.ts'

/** Returns a model with the Responses API, of OpenAI or of any other server. */
export function openAiResponsesModel(options: OpenAiOptions): Model {
  const { provider, id, client, counting } = openAiService(options)
  const { learned = learnedInMemory() } = options
  const schemas = new ToolSchemas(learned)
  const refused = { has: (part: OptionalPart) => learned.has(part) }
  const sight = createSight(id, options.sees)
  const spent = new Set<string>()
  const body = { id, model: options.model, maxTokens: options.maxTokens, effort: options.effort, refused, spent }
  return {
    id,
    sees: sight.known,
    formats: ['json_object', 'json_schema'],
    mostOutputTokens: ({ maxOutputTokens }) => leastOf(options.maxTokens ?? usualMost, maxOutputTokens) ?? usualMost,
    ...counting,
    async generate(request, sink, signal) {
      const { responses } = await client()
      const mayCall = request.mayCallTools && request.tools.length > 0
      let sent: ResponsesBody
      return askWithoutRefused(request, sight, {
        async send(refusal) {
          sent = responsesRequest(schemas.fit(request), { ...body, isBlind: sight.isBlind() })
          const turn = await exchange(provider, {
            send: (upstream) => responses.create(sent, { signal: upstream }).asResponse().catch(refusal),
            reader: new ResponsesReader(provider, sink, mayCall),
            signal,
          })
          if (sent.tools !== undefined) schemas.taken(request)
          return withUnseen(turn, request, sight)
        },
        leaveOut(said, { code, message, isTooLong }) {
          if (code !== 'model_bad_request') return false
          const unread = refusedReasoning(said, sent)
          for (const item of unread) spent.add(item)
          if (unread.length > 0) return true
          const part = refusedPart(said, sent)
          if (part === undefined || learned.has(part)) return !isTooLong && schemas.leaveOut(said, request, message)
          learned.add(part)
          return true
        },
      })
    },
  }
}
