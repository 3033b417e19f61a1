import { z } from 'zod'
import { type ModelValues, openAiServer } from './model-settings.ts'
import { urlText } from './schemas.ts'
import { defineSettings, type ValuesOf } from './setting.ts'

/** The server that turns speech into text. */
export type SpeechConfig = { model: string; baseUrl: string; apiKey?: string }

export const speechSettings = defineSettings({
  JARVIS_TRANSCRIPTIONS: {
    section: 'Memory',
    schema: z
      .string()
      .regex(/^openai\/.+$/, 'must be openai/MODEL, for example openai/whisper-1')
      .optional(),
    default: 'none',
    about:
      'what turns speech into text for [programs](openai-api.md#speech) at `/v1/audio/transcriptions`: `openai/MODEL` at `OPENAI_BASE_URL`, for example `openai/whisper-1`',
    example: 'openai/whisper-1',
  },
  JARVIS_TRANSCRIBE_URL: {
    section: 'Memory',
    schema: urlText.optional(),
    default: 'none',
    about:
      'any server that speaks OpenAI’s audio API, such as `http://whisper.lan:8000/v1`: it turns [voice notes and the microphone](channels.md#voice) into text, and serves programs in place of `JARVIS_TRANSCRIPTIONS`. Off until it is set',
    example: 'http://127.0.0.1:8000/v1',
  },
  JARVIS_TRANSCRIBE_MODEL: {
    section: 'Memory',
    schema: z.string().min(1).max(200).default('whisper-1'),
    default: '`whisper-1`',
    about: 'its model',
    example: 'whisper-1',
  },
  JARVIS_TRANSCRIBE_KEY: {
    section: 'Memory',
    schema: z.string().min(1).optional(),
    secret: true,
    default: 'none',
    about: 'its key, where it needs one',
    example: '',
  },
})

/** @throws ConfigError if the speech server is not set */
export function transcriptionsOf(
  value: ValuesOf<typeof speechSettings>,
  models: ModelValues,
): SpeechConfig | undefined {
  const { JARVIS_TRANSCRIBE_URL: baseUrl, JARVIS_TRANSCRIBE_MODEL: model, JARVIS_TRANSCRIBE_KEY: apiKey } = value
  if (baseUrl !== undefined) return { baseUrl, model, apiKey }
  const chosen = value.JARVIS_TRANSCRIPTIONS
  return chosen === undefined ? undefined : openAiServer(models, 'JARVIS_TRANSCRIPTIONS', chosen)
}
