import { type Model, ModelError } from '../../agent/model.ts'
import { picturesIn } from '../conversation.ts'
import { exchange } from '../exchange.ts'
import { saidIn } from '../openai-api/refusals.ts'
import { leastOf, type OpenAiOptions, openAiService, usualMost } from '../openai-api/service.ts'
import { createSight, withUnseen } from '../sight.ts'
import { type OptionalPart, refusedPart } from './refused-parts.ts'
import { responsesRequest } from './request.ts'
import { responsesReader } from './stream.ts'

/** OpenAI's newest models, or any server with the Responses API. */
export function openAiResponsesModel(options: OpenAiOptions): Model {
  const { provider, id, client, counting } = openAiService(options)
  const refused = new Set<OptionalPart>()
  const sight = createSight(id)
  const body = { id, model: options.model, maxTokens: options.maxTokens, effort: options.effort, refused }
  return {
    id,
    ...(sight.known !== undefined && { sees: sight.known }),
    formats: ['json_object', 'json_schema'],
    mostOutputTokens: ({ maxOutputTokens }) => leastOf(options.maxTokens ?? usualMost, maxOutputTokens) ?? usualMost,
    ...counting,
    async generate(request, sink, signal) {
      const { responses } = await client()
      const mayCall = request.mayCallTools && request.tools.length > 0
      for (;;) {
        const sent = responsesRequest(request, { ...body, isBlind: sight.isBlind() })
        let said = ''
        try {
          const turn = await exchange(
            provider,
            (upstream) =>
              responses
                .create(sent, { signal: upstream })
                .asResponse()
                .catch((error) => {
                  said = saidIn(error)
                  throw error
                }),
            responsesReader(provider, sink, mayCall),
            signal,
          )
          return withUnseen(turn, request, sight)
        } catch (error) {
          const isUnsaid = error instanceof ModelError && !error.hasSpoken && picturesIn(request.messages) > 0
          if (isUnsaid && !sight.isBlind() && sight.refused(said || error.message)) continue
          const isRefusal = error instanceof ModelError && error.code === 'model_bad_request'
          const part = isRefusal ? refusedPart(said || error.message, sent) : undefined
          if (part === undefined || refused.has(part)) throw error
          refused.add(part)
        }
      }
    },
  }
}
