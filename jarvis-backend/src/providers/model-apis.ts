import type { ModelKind } from 'protocol'
import { anthropicApi } from './anthropic/api.ts'
import type { ModelApi, ModelServer } from './model-api.ts'
import { openAiChatApi } from './openai-compatible/api.ts'
import { openAiResponsesApi } from './openai-responses/api.ts'

/** The APIs by their names in settings. `modelApiTitles` in the protocol has their titles. */
export const modelApis: Readonly<Record<ModelKind, ModelApi>> = {
  'openai-chat': openAiChatApi,
  'openai-responses': openAiResponsesApi,
  anthropic: anthropicApi,
}

/** Returns the server's address, by default that of its API, without a slash at its end. */
export const addressOf = ({ kind, baseUrl }: Pick<ModelServer, 'kind' | 'baseUrl'>): string =>
  (baseUrl ?? modelApis[kind].address).replace(/(?<!\/)\/+$/, '')
