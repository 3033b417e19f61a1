import { z } from 'zod'
import { type ModelValues, openAiServer } from './model-settings.ts'
import { defineSettings, type ValuesOf } from './setting.ts'

/**
 * The way to compute embeddings; `none`: search only by keywords. `folder`: the folder of the local model, if it is not in the place of its
 * installation.
 */
export type EmbeddingsConfig =
  | { kind: 'none' }
  | { kind: 'local'; folder?: string }
  | { kind: 'openai'; model: string; baseUrl: string; apiKey?: string }

export const memorySettings = defineSettings({
  JARVIS_EMBEDDINGS: {
    section: 'Memory',
    schema: z
      .string()
      .regex(
        /^(local(:.+)?|none|openai\/.+)$/,
        'must be local, local:FOLDER, none or openai/MODEL, for example openai/nomic-embed-text',
      )
      .default('local'),
    default: '`local`',
    about:
      'how [the memory](memory.md) compares meaning: `local` (the embedded model, offline), `local:FOLDER` if it was put elsewhere, `none` (words alone) or `openai/MODEL` at `OPENAI_BASE_URL`, for example `openai/nomic-embed-text`. Another model is taken up in the background',
    example: 'local',
  },
  JARVIS_MEMORY_WEIGHTS: {
    section: 'Memory',
    schema: z
      .string()
      .regex(/^(0(\.\d+)?|1)\/(0(\.\d+)?|1)$/, 'must be MEANING/WORDS, each from 0 to 1, for example 0.7/0.3')
      .default('0.7/0.3')
      .transform((text) => {
        const [vector = 0, keyword = 0] = text.split('/').map(Number)
        return { vector, keyword }
      }),
    default: '`0.7/0.3`',
    about: 'weights of meaning and words where a question shares no word with its answer, each 0 to 1',
    example: '0.7/0.3',
  },
})

/** @throws ConfigError if the server of the embeddings is not set */
export function embeddingsOf(value: ValuesOf<typeof memorySettings>, models: ModelValues): EmbeddingsConfig {
  const chosen = value.JARVIS_EMBEDDINGS
  if (chosen === 'none') return { kind: 'none' }
  if (chosen === 'local') return { kind: 'local' }
  if (chosen.startsWith('local:')) return { kind: 'local', folder: chosen.slice('local:'.length) }
  return { kind: 'openai', ...openAiServer(models, 'JARVIS_EMBEDDINGS', chosen) }
}
