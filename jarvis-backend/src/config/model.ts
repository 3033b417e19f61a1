import { z } from 'zod'
import { JarvisError } from '../protocol/index.ts'

export type ModelConfig =
  | { provider: 'anthropic'; model: string; apiKey?: string; baseUrl?: string; maxTokens: number }
  | { provider: 'openai'; model: string; apiKey?: string; baseUrl?: string }
  | { provider: 'demo' }

export const urlVariable = z.string().refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), {
  message: 'must be a URL, for example http://127.0.0.1:11434/v1',
})

/** What names the model that answers, each by itself. */
export const modelVariables = {
  JARVIS_MODEL: z
    .string()
    .regex(
      /^(demo|anthropic\/.+|openai\/.+)$/,
      'must be demo, anthropic/MODEL or openai/MODEL, for example anthropic/claude-sonnet-5-5',
    )
    .optional(),
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

/** What is configured of each provider; absent: neither a key nor an address. */
export const providersOf = (values: Values) => ({
  ...((values.ANTHROPIC_API_KEY ?? values.ANTHROPIC_BASE_URL) !== undefined && {
    anthropic: {
      provider: 'anthropic' as const,
      model: values.CLAUDE_MODEL,
      maxTokens: values.CLAUDE_MAX_TOKENS,
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

/** The model that answers. @returns a string that says what is wrong, beginning with the variable. */
export function modelOf(values: Values): ModelConfig | string {
  const configured = providersOf(values)
  if (values.JARVIS_MODEL === undefined) return configured.anthropic ?? configured.openai ?? { provider: 'demo' }
  if (values.JARVIS_MODEL === 'demo') return { provider: 'demo' }
  const [, provider, model = ''] = /^(anthropic|openai)\/(.+)$/.exec(values.JARVIS_MODEL) ?? []
  const chosen = provider === 'anthropic' ? configured.anthropic : configured.openai
  if (chosen !== undefined) return { ...chosen, model }
  return provider === 'anthropic'
    ? `JARVIS_MODEL is ${values.JARVIS_MODEL}, so ANTHROPIC_API_KEY must be set, for example ANTHROPIC_API_KEY=sk-ant-….`
    : `JARVIS_MODEL is ${values.JARVIS_MODEL}, so OPENAI_API_KEY or OPENAI_BASE_URL must be set, for example OPENAI_BASE_URL=http://127.0.0.1:11434/v1.`
}

/** The variables by themselves. @throws JarvisError `invalid_request` naming the first that cannot be used. */
export function readModels(given: Partial<Record<ModelVariable, string>>) {
  const parsed = Variables.safeParse(given)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new JarvisError('invalid_request', `${String(issue?.path[0])} ${issue?.message}.`)
  }
  const inUse = modelOf(parsed.data)
  if (typeof inUse === 'string') throw new JarvisError('invalid_request', inUse)
  return { inUse, chosen: parsed.data.JARVIS_MODEL, providers: providersOf(parsed.data) }
}
