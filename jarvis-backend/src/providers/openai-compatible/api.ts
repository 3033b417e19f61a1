import type { ModelApi, ModelOptions } from '../model-api.ts'
import { openAiApi } from '../openai-api/api.ts'
import { openAiResponsesModel } from '../openai-responses/model.ts'
import { openAiCompatibleModel } from './model.ts'

/** OpenAI's Chat Completions, the API of most servers. */
export const openAiChatApi: ModelApi = {
  ...openAiApi,
  model: (options) => (needsResponses(options) ? openAiResponsesModel(options) : openAiCompatibleModel(options)),
  isOfLocalServers: true,
}

/** True for OpenAI's own models from gpt-5.4 on: they combine reasoning with tools only in the Responses API. */
export const needsResponses = ({ baseUrl, model }: Pick<ModelOptions, 'baseUrl' | 'model'>): boolean =>
  (baseUrl === undefined || new URL(baseUrl).hostname === 'api.openai.com') &&
  /^gpt-(?:5\.(?:[4-9]|\d\d)|[6-9]|\d\d)/.test(model)
