import { Effort } from 'protocol'
import { z } from 'zod'
import { ConfigError } from './config-error.ts'
import { itemsOf, urlText, wholeNumber } from './schemas.ts'
import { defineSettings, type ValuesOf } from './setting.ts'

const anthropic = /^ANTHROPIC_(API_KEY|BASE_URL)$/
const openai = /^OPENAI_(API_KEY|BASE_URL)$/
const tokensMessage = 'must be a whole number from 4000 to 10000000, for example 32000'
const modelId = /^[a-z][a-z0-9-]{0,31}\/.+$/

/** Settings that choose models. The dashboard saves some of them. */
export const modelSettings = defineSettings({
  JARVIS_MODEL: {
    section: 'Models',
    schema: z
      .string()
      .refine((id) => id === 'demo' || modelId.test(id), {
        message: 'must be demo or PROVIDER/MODEL, for example anthropic/claude-sonnet-5-5',
      })
      .optional(),
    default: 'the first that is configured, else `demo`',
    about:
      'the model that answers: `demo`, `anthropic/MODEL`, `openai/MODEL`, or `NAME/MODEL` of [a provider by name](models.md)',
    example: 'anthropic/claude-sonnet-5-5',
  },
  JARVIS_MODELS: {
    section: 'Models',
    schema: z
      .string()
      .default('')
      .transform(itemsOf)
      .refine((ids) => ids.every((id) => modelId.test(id)), {
        message: 'must be a comma list of PROVIDER/MODEL, for example anthropic/claude-opus-5-5',
      }),
    default: 'none',
    about:
      'a comma list of more models to choose from, for a session or an answer. The other provider’s model may be chosen anyway',
    example: 'anthropic/claude-opus-5-5,anthropic/claude-haiku-5-5',
  },
  JARVIS_EFFORT: {
    section: 'Models',
    schema: z
      .string()
      .default('')
      .transform(itemsOf)
      .refine((items) => items.every((item) => Effort.safeParse(item.split('=').at(-1)).success), {
        message: `must be one of ${Effort.options.join(', ')}, or a comma list of MODEL=one of them, for example medium,openai/gpt-5.2=high`,
      }),
    default: '`medium` for Claude',
    about: 'how much models think before they answer: `off`, `low`, `medium` or `high`, for all or `MODEL=…` for one',
    example: 'medium,openai/gpt-5.2=high',
  },
  ANTHROPIC_API_KEY: {
    section: 'Models',
    schema: z.string().optional(),
    secret: true,
    countsWith: anthropic,
    default: 'none',
    about: 'the key of Anthropic',
    example: '',
  },
  ANTHROPIC_BASE_URL: {
    section: 'Models',
    schema: urlText.optional(),
    countsWith: anthropic,
    default: "Anthropic's",
    about: 'another address that speaks Anthropic’s API',
    example: 'https://api.anthropic.com',
  },
  CLAUDE_MODEL: {
    section: 'Models',
    schema: z.string().default('claude-sonnet-5-5'),
    default: '`claude-sonnet-5-5`',
    about: 'the model of Anthropic that is usual',
    example: 'claude-sonnet-5-5',
  },
  CLAUDE_MAX_TOKENS: {
    section: 'Models',
    schema: wholeNumber([1, 1_000_000], 4096, '4096'),
    default: '`4096`',
    about: 'the longest reply, in tokens',
    example: '4096',
  },
  OPENAI_API_KEY: {
    section: 'Models',
    schema: z.string().optional(),
    secret: true,
    countsWith: openai,
    default: 'none',
    about: 'the key of OpenAI, or of the server at `OPENAI_BASE_URL`',
    example: '',
  },
  OPENAI_BASE_URL: {
    section: 'Models',
    schema: urlText.optional(),
    countsWith: openai,
    default: "OpenAI's",
    about:
      'another server that speaks OpenAI’s Chat Completions API (Ollama, llama.cpp, vLLM, OpenRouter); it needs no key',
    example: 'http://127.0.0.1:11434/v1',
  },
  OPENAI_MODEL: {
    section: 'Models',
    schema: z.string().default('gpt-5.2'),
    default: '`gpt-5.2`',
    about: 'the model of OpenAI, or of that server, that is usual',
    example: 'gpt-5.2',
  },
})

/** Settings of conversations with any model. */
export const chatSettings = defineSettings({
  JARVIS_TITLES: {
    section: 'Models',
    schema: z
      .enum(
        ['auto', 'on', 'off'],
        'must be auto (models elsewhere name a session after its first answer), on (local ones too) or off, for example auto',
      )
      .default('auto'),
    default: '`auto`',
    about: 'which models name sessions after the first answer: `auto` (not those at home), `on`, `off`',
    example: 'auto',
  },
  CHAT_HISTORY_LIMIT: {
    section: 'Models',
    schema: wholeNumber([1, 1_000], 20, '20'),
    default: '`20`',
    about: 'runs (a message and its answer) that are sent to the model; older ones are [folded](context.md)',
    example: '20',
  },
  CHAT_CONTEXT_TOKENS: {
    section: 'Models',
    schema: z
      .string()
      .regex(/^\d{4,8}$/, tokensMessage)
      .transform(Number)
      .refine((tokens) => tokens >= 4_000 && tokens <= 10_000_000, tokensMessage)
      .optional(),
    default: 'by the model’s name, else `32000`',
    about: 'how many tokens a model reads and writes at once; set it to what a local server has',
    example: '32000',
  },
  CHAT_MAX_LOOP: {
    section: 'Models',
    schema: wholeNumber([1, 100], 10, '10'),
    default: '`10`',
    about: 'model calls in one run',
    example: '10',
  },
})

export type ModelValues = ValuesOf<typeof modelSettings>

/** Address, key and model of `openai/MODEL`. @throws ConfigError naming what is missing */
export function openAiServer(value: ModelValues, name: string, chosen: string) {
  if (value.OPENAI_API_KEY === undefined && value.OPENAI_BASE_URL === undefined) {
    throw new ConfigError(
      `${name} is ${chosen}, so OPENAI_API_KEY or OPENAI_BASE_URL must be set, for example OPENAI_BASE_URL=http://127.0.0.1:11434/v1`,
    )
  }
  return {
    model: chosen.slice('openai/'.length),
    baseUrl: value.OPENAI_BASE_URL ?? 'https://api.openai.com/v1',
    apiKey: value.OPENAI_API_KEY,
  }
}
