import { z } from 'zod'

export const ModelProvider = z.enum(['anthropic', 'openai'])
export type ModelProvider = z.infer<typeof ModelProvider>

/** How much a model thinks before it answers. `off`: as little as it can. */
export const Effort = z.enum(['off', 'low', 'medium', 'high'])
export type Effort = z.infer<typeof Effort>

/**
 * A provider as a person describes it. `apiKey`: absent keeps the one that is known, which goes only to the address it was
 * saved for. `baseUrl`: absent is the provider's own.
 */
export const ModelBody = z.strictObject({
  model: z.string().trim().min(1).max(200),
  baseUrl: z.string().trim().min(1).max(2_000).optional(),
  apiKey: z.string().trim().min(1).max(2_000).optional(),
})
export type ModelBody = z.output<typeof ModelBody>
/** `model` absent: only asks which there are. */
export const ModelTestBody = ModelBody.partial({ model: true })
export type ModelTestBody = z.output<typeof ModelTestBody>

/** `model`: `demo`, or `provider/model` of a provider that is configured. */
export const ModelUseBody = z.strictObject({ model: z.string().trim().min(1).max(220) })

/** `source`: what `environment` names (`.env` included) cannot be changed here. Never the key: `keyEnd` is its last 4. */
export type ModelProviderInfo = {
  provider: ModelProvider
  source: 'none' | 'environment' | 'settings'
  /** The name it is asked for; where nothing is configured, one to begin with. */
  model: string
  baseUrl?: string
  keyEnd?: string
}
/** `isFixed`: `JARVIS_MODEL` is set in the environment, so that nothing else can be chosen here. */
export type ModelsReply = { inUse: string; isFixed: boolean; providers: ModelProviderInfo[] }

/** What came of one tiny question. `text`: one sentence for a person. `models`: those there are, where another must be named. */
export type ModelTestReply = {
  verdict: 'works' | 'key_refused' | 'unknown_model' | 'unreachable' | 'busy' | 'refused'
  text: string
  models?: string[]
  tookMs: number
}
