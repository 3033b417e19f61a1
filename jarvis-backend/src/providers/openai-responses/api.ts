import type { ModelApi } from '../model-api.ts'
import { openAiApi } from '../openai-api/api.ts'
import { openAiResponsesModel } from './model.ts'

export const openAiResponsesApi: ModelApi = { ...openAiApi, model: openAiResponsesModel }
