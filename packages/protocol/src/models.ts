import { z } from 'zod'
import { modelApiTitles } from './model-apis.ts'

/** The providers that environment variables configure. All others are stored in the data dir by their names. */
export const variableProviders = ['anthropic', 'openai'] as const
export type VariableProvider = (typeof variableProviders)[number]
export const isVariableProvider = (name: string): name is VariableProvider =>
  variableProviders.some((known) => known === name)

/** The name of a provider, the first part of its models' ids. */
export const ModelProvider = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be 1 to 32 small letters, digits and dashes, and begin with a letter')
  .refine((name) => name !== 'demo', 'demo is the built-in model')
export type ModelProvider = z.infer<typeof ModelProvider>

/** The API that a provider speaks. */
export const ModelKind = z.enum(Object.keys(modelApiTitles) as (keyof typeof modelApiTitles)[])
export type ModelKind = z.infer<typeof ModelKind>

/** The amount of thinking of a model before it answers. `off`: as little as possible. */
export const Effort = z.enum(['off', 'low', 'medium', 'high'])
export type Effort = z.infer<typeof Effort>

/**
 * The key of a provider: a key that is sent, an access key of AWS as `ID:SECRET[:SESSION_TOKEN]`, or the JSON of a service account of Google Cloud.
 * `${NAME}` is filled in from the environment or the saved settings.
 */
export const ModelKey = z.string().trim().min(1).max(8_000)

/**
 * A provider as a person enters it. Without `apiKey` the saved key stays; a key is sent only to the address it was saved for. Without `baseUrl` the
 * provider's own address is used.
 */
export const ModelBody = z.strictObject({
  model: z.string().trim().min(1).max(200),
  baseUrl: z.string().trim().min(1).max(2_000).optional(),
  apiKey: ModelKey.optional(),
})
export type ModelBody = z.output<typeof ModelBody>

const modelName = z.string().trim().min(1).max(200)
/** The names of headers that JARVIS sets itself. */
const ownHeaders =
  /^(?:authorization|x-api-key|content-(?:type|length|encoding)|host|connection|cookie|transfer-encoding)$/i
/** Further headers of each request to the provider. A value may be a secret, so JARVIS never sends it back to a client. */
export const ModelHeaders = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const fault = (message: string) => context.addIssue({ code: 'custom', message })
  if (Object.keys(headers).length > 20) fault('there may be 20 headers at most')
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[A-Za-z0-9-]{1,64}$/.test(name)) fault('a name of a header has letters, digits and dashes')
    else if (ownHeaders.test(name)) fault(`JARVIS sets the header ${name} itself`)
    else if (!/^[\x20-\x7e]{1,2000}$/.test(value)) fault(`the value of ${name} must be one line of ASCII`)
  }
})

/**
 * A named provider as a person enters it. Without `apiKey` or `headers` the saved ones stay, as long as the address is the same; both are sent only
 * to the address they were saved for. The first of `models` is the default.
 */
export const ProviderBody = z.strictObject({
  kind: ModelKind,
  baseUrl: z.string().trim().min(1).max(2_000),
  apiKey: ModelKey.optional(),
  headers: ModelHeaders.optional(),
  models: z.array(modelName).min(1).max(50),
})
export type ProviderBody = z.output<typeof ProviderBody>

/** A test of a provider. Without `model` the test only lists the provider's models. `kind` and `headers`: only for a named provider. */
export const ModelTestBody = ModelBody.partial({ model: true }).extend({
  kind: ModelKind.optional(),
  headers: ModelHeaders.optional(),
})
export type ModelTestBody = z.output<typeof ModelTestBody>

/**
 * Models that answer in place of `model` while it fails, in order. After a model on the own network, a model elsewhere may answer only if
 * `consented` names it: the operator agreed to send it what was said to `model`.
 */
export const ModelFallback = z.strictObject({
  model: z.string().trim().min(1).max(240),
  then: z.array(z.string().trim().min(1).max(240)).min(1).max(10),
  consented: z.array(z.string().trim().min(1).max(240)).max(10).optional(),
})
export type ModelFallback = z.output<typeof ModelFallback>
export const ModelFallbacksBody = z.strictObject({ fallbacks: z.array(ModelFallback).max(50) })
export type ModelFallbacksBody = z.output<typeof ModelFallbacksBody>

/** `model`: `demo`, or `provider/model` of a configured provider. */
export const ModelUseBody = z.strictObject({ model: z.string().trim().min(1).max(220) })

/**
 * A provider of models. `source`: the origin of its settings; settings from `environment` (`.env` included) cannot be changed here. `keyEnd`: the
 * key's last 4 characters, or empty; `keyName`: what tells which key it is, such as an account's name. The key itself is never sent.
 */
export const ModelProviderInfo = z.object({
  provider: ModelProvider,
  kind: ModelKind,
  source: z.enum(['none', 'environment', 'settings']),
  /** The configured model, or a default if nothing is configured. For a named provider, its first model. */
  model: z.string(),
  /** All models of a named provider. */
  models: z.array(z.string()).optional(),
  baseUrl: z.string().optional(),
  keyEnd: z.string().optional(),
  keyName: z.string().optional(),
  /** Names of the headers of a named provider; their values are never sent. */
  headers: z.array(z.string()).optional(),
  /** Tools that are not sent to the provider, because its server refuses them. `why`: the server's message as a sentence. */
  leftOut: z.array(z.object({ tool: z.string(), why: z.string() })).optional(),
})
export type ModelProviderInfo = z.infer<typeof ModelProviderInfo>
/** Facts of a model. An absent fact is not known. `price`: US dollars per million tokens. */
export const ModelFacts = z.object({
  tools: z.boolean().optional(),
  pictures: z.boolean().optional(),
  thinking: z.boolean().optional(),
  /** The context window: most tokens of a request and its answer together. */
  windowTokens: z.int().positive().optional(),
  price: z
    .object({
      input: z.number().nonnegative(),
      output: z.number().nonnegative(),
      cacheRead: z.number().nonnegative().optional(),
      cacheWrite: z.number().nonnegative().optional(),
    })
    .optional(),
})
export type ModelFacts = z.infer<typeof ModelFacts>

/** `isFixed`: `JARVIS_MODEL` is set in the environment, so no other model can be chosen here. `inUse`: the id of the model in use. */
export const ModelsReply = z.object({
  inUse: z.string(),
  isFixed: z.boolean(),
  providers: z.array(ModelProviderInfo),
  fallbacks: z.array(ModelFallback),
  /** Facts by the id of each configured model: as its server states them, otherwise as known from its name. */
  facts: z.record(z.string(), ModelFacts),
})
export type ModelsReply = z.infer<typeof ModelsReply>

/** A known service from which a person can set up a named provider. The person replaces the words in capitals in `baseUrl`. */
export const ModelPreset = z.object({
  id: z.string(),
  title: z.string(),
  kind: ModelKind,
  baseUrl: z.string(),
  /** A model that the service offers. */
  example: z.string(),
  key: z.enum(['needed', 'optional']),
  /** A further fact that a person needs to use the service. */
  note: z.string().optional(),
})
export type ModelPreset = z.infer<typeof ModelPreset>

/**
 * Result of one short question to the model. `text`: one sentence for a person. `models`: the provider's models, if the model's name was wrong or
 * missing.
 */
export const ModelTestReply = z.object({
  verdict: z.enum(['works', 'key_refused', 'unknown_model', 'unreachable', 'busy', 'refused']),
  text: z.string(),
  models: z.array(z.string()).optional(),
  tookMs: z.number(),
})
export type ModelTestReply = z.infer<typeof ModelTestReply>
