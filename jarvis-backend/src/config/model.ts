import { Effort, isVariableProvider, JarvisError, type ModelKind } from 'protocol'
import { type ModelValues, modelSettings } from './model-settings.ts'
import type { FilledModels } from './models-file.ts'
import { schemaOf } from './setting.ts'

/** A model of a provider, and how it is reached. `provider`: the first part of the model's id. */
export type ServedModel = {
  provider: string
  model: string
  apiKey?: string
  baseUrl?: string
  headers?: Readonly<Record<string, string>>
  effort?: Effort
  kind: ModelKind
  /** The reason why nothing can be sent: a variable of the key or of a header has no value. A sentence. */
  unfilled?: string
  /** Longest answer, tokens. Absent: the server's own limit. */
  maxTokens?: number
}
export type ModelConfig = ServedModel | { provider: 'demo'; kind: 'demo' }
export const demo: ModelConfig = { provider: 'demo', kind: 'demo' }

const schema = schemaOf(modelSettings)
export type ModelVariable = keyof ModelValues
export const isModelVariable = (name: string): name is ModelVariable => Object.hasOwn(modelSettings, name)

/** The effort that `JARVIS_EFFORT` sets for this model's id, otherwise the one for all models. */
function effortOf({ JARVIS_EFFORT: items }: ModelValues, id: string): Effort | undefined {
  const own = items.findLast((item) => item.startsWith(`${id}=`))?.slice(id.length + 1)
  return Effort.optional().parse(own ?? items.findLast((item) => !item.includes('=')))
}
const withEffort = (values: ModelValues, config: ModelConfig): ModelConfig => {
  const effort = effortOf(values, idOf(config))
  return config.kind === 'demo' || effort === undefined ? config : { ...config, effort }
}

/** The models of each configured provider, its default model first. A provider with neither key nor address is absent. */
type Providers = Map<string, ServedModel[]>

function providersOf(values: ModelValues, { providers }: FilledModels): Providers {
  const found = new Map<string, ServedModel[]>()
  if ((values.ANTHROPIC_API_KEY ?? values.ANTHROPIC_BASE_URL) !== undefined)
    found.set('anthropic', [
      {
        provider: 'anthropic',
        kind: 'anthropic',
        model: values.CLAUDE_MODEL,
        maxTokens: values.CLAUDE_MAX_TOKENS,
        effort: 'medium',
        apiKey: values.ANTHROPIC_API_KEY,
        baseUrl: values.ANTHROPIC_BASE_URL,
      },
    ])
  if ((values.OPENAI_API_KEY ?? values.OPENAI_BASE_URL) !== undefined)
    found.set('openai', [
      {
        provider: 'openai',
        kind: 'openai-chat',
        model: values.OPENAI_MODEL,
        apiKey: values.OPENAI_API_KEY,
        baseUrl: values.OPENAI_BASE_URL,
      },
    ])
  for (const { name: provider, kind, key, models, baseUrl, headers, unfilled } of providers) {
    const reached = { provider, baseUrl, apiKey: key, unfilled, ...(headers && { headers }) }
    found.set(
      provider,
      models.map((model) =>
        kind === 'anthropic'
          ? { ...reached, kind, model, maxTokens: values.CLAUDE_MAX_TOKENS, effort: 'medium' }
          : { ...reached, kind, model },
      ),
    )
  }
  return found
}

/** The model that answers. @returns a string if there is a mistake; it begins with the variable */
function modelOf(values: ModelValues, configured: Providers): ModelConfig | string {
  const [first] = [...configured.values()].map(([usual]) => usual)
  if (values.JARVIS_MODEL === undefined) return first ?? demo
  return named(configured, 'JARVIS_MODEL', values.JARVIS_MODEL)
}

function named(configured: Providers, variable: 'JARVIS_MODEL' | 'JARVIS_MODELS', id: string): ModelConfig | string {
  if (id === 'demo') return demo
  const [, provider = '', model = ''] = /^([^/]+)\/(.+)$/.exec(id) ?? []
  const chosen = configured.get(provider)?.[0]
  if (chosen !== undefined) return { ...chosen, model }
  const what = variable === 'JARVIS_MODEL' ? `is ${id}` : `names ${id}`
  if (provider === 'anthropic')
    return `${variable} ${what}, so ANTHROPIC_API_KEY must be set, for example ANTHROPIC_API_KEY=sk-ant-….`
  if (provider === 'openai')
    return `${variable} ${what}, so OPENAI_API_KEY or OPENAI_BASE_URL must be set, for example OPENAI_BASE_URL=http://127.0.0.1:11434/v1.`
  return `${variable} ${what}, and there is no provider ${provider}. There are: ${[...configured.keys()].join(', ') || 'none'}. Add it, for example with npm run jarvis -- models add ${provider}, or choose another model.`
}

/**
 * All models that a message may name: the one in use, those of the other providers, then `JARVIS_MODELS`. @returns a string if there is a mistake;
 * it begins with the variable
 */
export function modelsOf(values: ModelValues, file: FilledModels): ModelConfig[] | string {
  const configured = providersOf(values, file)
  const inUse = modelOf(values, configured)
  if (typeof inUse === 'string') return inUse
  const others = [...configured.values()]
    .flat()
    .filter(({ provider }) => provider !== inUse.provider || !isVariableProvider(provider))
  const found: ModelConfig[] = [withEffort(values, inUse)]
  for (const model of [...others, ...values.JARVIS_MODELS.map((id) => named(configured, 'JARVIS_MODELS', id))]) {
    if (typeof model === 'string') return model
    if (!found.some((known) => idOf(known) === idOf(model))) found.push(withEffort(values, model))
  }
  return found
}

/**
 * All models of a start. If the chosen model, or the one that would have answered, does not exist, the demo is in use. No other model replaces it,
 * because that model may run at a place to which nobody agreed to send conversations. `lost`: the reason.
 */
export function modelsAtStart(
  values: ModelValues,
  file: FilledModels,
  isFirstLost: boolean,
): { models: ModelConfig[]; lost?: string } {
  const isSet =
    (values.ANTHROPIC_API_KEY ?? values.ANTHROPIC_BASE_URL ?? values.OPENAI_API_KEY ?? values.OPENAI_BASE_URL) !==
    undefined
  const found = modelsOf(isFirstLost && !isSet ? { ...values, JARVIS_MODEL: 'demo' } : values, file)
  if (typeof found !== 'string') return { models: found }
  const left = modelsOf({ ...values, JARVIS_MODEL: 'demo', JARVIS_MODELS: [] }, file)
  return { models: typeof left === 'string' ? [demo] : left, lost: found }
}

/** The id `provider/model`, or `demo`. */
export const idOf = (model: ModelConfig): string =>
  model.kind === 'demo' ? 'demo' : `${model.provider}/${model.model}`

/** Reads only the model variables. @throws JarvisError `invalid_request` that names the first variable that cannot be used */
export function readModels(given: Partial<Record<ModelVariable, string>>, file: FilledModels) {
  const parsed = schema.safeParse(given)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new JarvisError('invalid_request', `${String(issue?.path[0])} ${issue?.message}.`)
  }
  const all = modelsOf(parsed.data, file)
  if (typeof all === 'string') throw new JarvisError('invalid_request', all)
  const [inUse = demo] = all
  return { inUse, all, chosen: parsed.data.JARVIS_MODEL, providers: providersOf(parsed.data, file) }
}
