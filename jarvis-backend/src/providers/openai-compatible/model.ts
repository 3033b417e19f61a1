import { type Model, ModelError } from '../../agent/model.ts'
import { exchange } from '../exchange.ts'
import { learnedInMemory } from '../learned.ts'
import { askWithoutRefused } from '../openai-api/ask.ts'
import { leastOf, type OpenAiOptions, openAiService, usualMost } from '../openai-api/service.ts'
import { isAtHome, isCloud } from '../places.ts'
import { createSight, withUnseen } from '../sight.ts'
import { ToolSchemas } from '../tool-schemas.ts'
import { firstForm, formAfter, rememberedForm, rememberForm } from './form.ts'
import { type OptionalField, refusedField } from './refused-fields.ts'
import { type ChatBody, chatRequest } from './request.ts'
import { silentCut } from './silent-cut.ts'
import { chatReader } from './stream.ts'

/** OpenAI, or any server with Chat Completions. */
export function openAiCompatibleModel(options: OpenAiOptions): Model {
  const { provider, id, hostname, isOpenAi, client, counting } = openAiService(options)
  const { model } = options
  const kind = 'openai-chat'
  const isService = isCloud({ kind, ...options })
  const wantsReasoning = /(?:^|\.)(?:deepseek\.com|moonshot\.(?:ai|cn))$/.test(hostname)
  const sight = createSight(id, options.sees)
  const { learned = learnedInMemory() } = options
  const schemas = new ToolSchemas(learned)
  // Fields that the server refused for this model.
  const refused = { has: (field: OptionalField) => learned.has(field) }
  // The form of the history that this server accepted before.
  const first = firstForm(model, isAtHome({ kind, ...options }), wantsReasoning)
  let known = rememberedForm(first, learned)
  const body = { id, model, maxTokens: options.maxTokens, isOpenAi, refused, effort: options.effort }

  return {
    id,
    sees: sight.known,
    formats: ['json_object', 'json_schema'],
    mostOutputTokens: ({ maxOutputTokens }) => leastOf(options.maxTokens ?? usualMost, maxOutputTokens) ?? usualMost,
    ...counting,
    async generate(request, sink, signal) {
      const { chat } = await client()
      const mayCall = request.mayCallTools && request.tools.length > 0
      let sent: ChatBody
      let form = known
      try {
        return await askWithoutRefused(request, sight, {
          async send(refusal) {
            sent = chatRequest(schemas.fit(request), { ...body, form, isBlind: sight.isBlind() })
            const turn = await exchange(provider, {
              send: (upstream) => chat.completions.create(sent, { signal: upstream }).asResponse().catch(refusal),
              reader: chatReader(provider, sink, mayCall),
              signal,
            })
            if (sent.tools !== undefined) schemas.taken(request)
            if (form !== known) rememberForm(form, first, learned)
            known = form
            const cut = isService ? undefined : silentCut(sent, turn.usage.inputTokens + turn.usage.cacheReadTokens)
            return withUnseen(cut === undefined ? turn : { ...turn, cut }, request, sight)
          },
          leaveOut(said, { code, isTooLong, message }) {
            const other = isTooLong || isAboutSchema(said) ? undefined : formAfter(said, form, sent)
            if (other !== undefined) form = other
            // Local servers say with 500 that their grammar or template cannot hold the tools.
            const isRefusal = code === 'model_bad_request' || isAboutTools(said)
            if (other !== undefined || !isRefusal) return other !== undefined
            const field = refusedField(said, sent)
            if (field === undefined || learned.has(field)) return !isTooLong && schemas.leaveOut(said, request, message)
            learned.add(field)
            return true
          },
        })
      } catch (error) {
        throw explained(error, model)
      }
    },
  }
}

/** True if a refusal is about a tool's input and not about the conversation. */
const isAboutSchema = (said: string) => /schema|grammar|function_?declarations|\bparameters\b/i.test(said)

const isAboutTools = (said: string) => isAboutSchema(said) || /jinja|template/i.test(said)

/** Explains a refusal of a server that offers tools for this model only on the Responses API. Other errors are returned unchanged. */
export function explained(error: unknown, model: string): unknown {
  const isOurs =
    error instanceof ModelError && error.code === 'model_bad_request' && /\/v1\/responses/.test(error.message)
  if (!isOurs) return error
  return new ModelError(
    'model_bad_request',
    `The server has ${model} with tools on the Responses API alone. Save its provider with the kind openai-responses.`,
    { isRetryable: false, cause: error },
  )
}
