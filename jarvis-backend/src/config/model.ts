import { z } from 'zod'
import { Effort, JarvisError } from '../protocol/index.ts'

export type ModelConfig =
  | { provider: 'anthropic'; model: string; apiKey?: string; baseUrl?: string; maxTokens: number; effort: Effort }
  | { provider: 'openai'; model: string; apiKey?: string; baseUrl?: string; effort?: Effort }
  | { provider: 'demo' }

const urlVariable = z.string().refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), {
  message: 'must be a URL that begins with http:// or https://, for example http://127.0.0.1:11434/v1',
})

/** Schemas of the variables that choose models. */
export const modelVariables = {
  JARVIS_MODEL: z
    .string()
    .regex(
      /^(demo|anthropic\/.+|openai\/.+)$/,
      'must be demo, anthropic/MODEL or openai/MODEL, for example anthropic/claude-sonnet-5-5',
    )
    .optional(),
  JARVIS_MODELS: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    )
    .refine((ids) => ids.every((id) => /^(anthropic|openai)\/.+$/.test(id)), {
      message: 'must be a comma list of anthropic/MODEL and openai/MODEL, for example anthropic/claude-opus-5-5',
    }),
  JARVIS_EFFORT: z
    .string()
    .default('')
    .transform((list) => list.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()])))
    .refine((items) => items.every((item) => Effort.safeParse(item.split('=').at(-1)).success), {
      message: `must be one of ${Effort.options.join(', ')}, or a comma list of MODEL=one of them, for example medium,openai/gpt-5.2=high`,
    }),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: urlVariable.optional(),
  CLAUDE_MODEL: z.string().default('claude-sonnet-5-5'),
  CLAUDE_MAX_TOKENS: z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 1_000_000, {
      message: 'must be a whole number from 1 to 1000000, for example 4096',
    })
    .transform(Number)
    .optional()
    .transform((value) => value ?? 4096),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: urlVariable.optional(),
  OPENAI_MODEL: z.string().default('gpt-5.2'),
}
const Variables = z.object(modelVariables)
type Values = z.output<typeof Variables>

export type ModelVariable = keyof Values
export const isModelVariable = (name: string): name is ModelVariable => Object.hasOwn(modelVariables, name)

/** The effort that `JARVIS_EFFORT` sets for this model by id, else for all. */
function effortOf({ JARVIS_EFFORT: items }: Values, id: string): Effort | undefined {
  const own = items.findLast((item) => item.startsWith(`${id}=`))?.slice(id.length + 1)
  return Effort.optional().parse(own ?? items.findLast((item) => !item.includes('=')))
}
const withEffort = (values: Values, config: ModelConfig): ModelConfig => {
  const effort = effortOf(values, idOf(config))
  return config.provider === 'demo' || effort === undefined ? config : { ...config, effort }
}

/** What is configured of each provider; a provider without key and address is absent. */
const providersOf = (values: Values) => ({
  ...((values.ANTHROPIC_API_KEY ?? values.ANTHROPIC_BASE_URL) !== undefined && {
    anthropic: {
      provider: 'anthropic' as const,
      model: values.CLAUDE_MODEL,
      maxTokens: values.CLAUDE_MAX_TOKENS,
      effort: 'medium' as const,
      ...(values.ANTHROPIC_API_KEY !== undefined && { apiKey: values.ANTHROPIC_API_KEY }),
      ...(values.ANTHROPIC_BASE_URL !== undefined && { baseUrl: values.ANTHROPIC_BASE_URL }),
    },
  }),
  ...((values.OPENAI_API_KEY ?? values.OPENAI_BASE_URL) !== undefined && {
    openai: {
      provider: 'openai' as const,
      model: values.OPENAI_MODEL,
      ...(values.OPENAI_API_KEY !== undefined && { apiKey: values.OPENAI_API_KEY }),
      ...(values.OPENAI_BASE_URL !== undefined && { baseUrl: values.OPENAI_BASE_URL }),
    },
  }),
})

/** The model that answers. @returns a string that says what is wrong, beginning with the variable */
function modelOf(values: Values): ModelConfig | string {
  const configured = providersOf(values)
  if (values.JARVIS_MODEL === undefined) return configured.anthropic ?? configured.openai ?? { provider: 'demo' }
  return named(values, 'JARVIS_MODEL', values.JARVIS_MODEL)
}

function named(values: Values, variable: 'JARVIS_MODEL' | 'JARVIS_MODELS', id: string): ModelConfig | string {
  if (id === 'demo') return { provider: 'demo' }
  const configured = providersOf(values)
  const [, provider, model = ''] = /^(anthropic|openai)\/(.+)$/.exec(id) ?? []
  const chosen = provider === 'anthropic' ? configured.anthropic : configured.openai
  if (chosen !== undefined) return { ...chosen, model }
  const what = variable === 'JARVIS_MODEL' ? `is ${id}` : `names ${id}`
  return provider === 'anthropic'
    ? `${variable} ${what}, so ANTHROPIC_API_KEY must be set, for example ANTHROPIC_API_KEY=sk-ant-….`
    : `${variable} ${what}, so OPENAI_API_KEY or OPENAI_BASE_URL must be set, for example OPENAI_BASE_URL=http://127.0.0.1:11434/v1.`
}

/**
 * All models that a message may name: the one in use, the other provider's, then `JARVIS_MODELS`.
 * @returns a string that says what is wrong, beginning with the variable
 */
export function modelsOf(values: Values): ModelConfig[] | string {
  const inUse = modelOf(values)
  if (typeof inUse === 'string') return inUse
  const others = Object.values(providersOf(values)).filter(({ provider }) => provider !== inUse.provider)
  const found: ModelConfig[] = [withEffort(values, inUse)]
  for (const model of [...others, ...values.JARVIS_MODELS.map((id) => named(values, 'JARVIS_MODELS', id))]) {
    if (typeof model === 'string') return model
    if (!found.some((known) => idOf(known) === idOf(model))) found.push(withEffort(values, model))
  }
  return found
}

/** The id `provider/model`, or `demo`. */
export const idOf = (model: ModelConfig): string =>
  model.provider === 'demo' ? 'demo' : `${model.provider}/${model.model}`

/** Reads only the model variables. @throws JarvisError `invalid_request` naming the first that cannot be used */
export function readModels(given: Partial<Record<ModelVariable, string>>) {
  const parsed = Variables.safeParse(given)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new JarvisError('invalid_request', `${String(issue?.path[0])} ${issue?.message}.`)
  }
  const all = modelsOf(parsed.data)
  if (typeof all === 'string') throw new JarvisError('invalid_request', all)
  const [inUse = { provider: 'demo' as const }] = all
  return { inUse, all, chosen: parsed.data.JARVIS_MODEL, providers: providersOf(parsed.data) }
}
