import { z } from 'zod'

export const ModelProvider = z.enum(['anthropic', 'openai'])
export type ModelProvider = z.infer<typeof ModelProvider>

/** How much a model thinks before it answers. `off`: as little as possible. */
export const Effort = z.enum(['off', 'low', 'medium', 'high'])
export type Effort = z.infer<typeof Effort>

/**
 * A provider as a person enters it. Without `apiKey` the known key stays; it is sent only to the address it was saved for. Without
 * `baseUrl` the provider's own address is used.
 */
export const ModelBody = z.strictObject({
  model: z.string().trim().min(1).max(200),
  baseUrl: z.string().trim().min(1).max(2_000).optional(),
  apiKey: z.string().trim().min(1).max(2_000).optional(),
})
export type ModelBody = z.output<typeof ModelBody>
/** Without `model` the test only lists the provider's models. */
export const ModelTestBody = ModelBody.partial({ model: true })
export type ModelTestBody = z.output<typeof ModelTestBody>

/** `model`: `demo`, or `provider/model` of a configured provider. */
export const ModelUseBody = z.strictObject({ model: z.string().trim().min(1).max(220) })

/**
 * `source`: settings from `environment` (`.env` included) cannot be changed here. `keyEnd`: the key's last 4 characters; the key itself
 * is never sent.
 */
export type ModelProviderInfo = {
  provider: ModelProvider
  source: 'none' | 'environment' | 'settings'
  /** The configured model, or a default where nothing is configured. */
  model: string
  baseUrl?: string
  keyEnd?: string
}
/** `isFixed`: `JARVIS_MODEL` is set in the environment, so no other model can be chosen here. */
export type ModelsReply = { inUse: string; isFixed: boolean; providers: ModelProviderInfo[] }

/** Result of one short question to the model. `text`: one sentence for a person. `models`: known models, where the name was wrong or missing. */
export type ModelTestReply = {
  verdict: 'works' | 'key_refused' | 'unknown_model' | 'unreachable' | 'busy' | 'refused'
  text: string
  models?: string[]
  tookMs: number
}
