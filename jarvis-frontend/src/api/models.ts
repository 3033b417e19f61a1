import type { ModelBody, ModelFallback, ModelProvider, ModelTestBody, ProviderBody } from 'protocol'
import { call } from './http.ts'

export const readModels = () => call('GET /api/models')
export const testModel = (provider: ModelProvider, body: ModelTestBody) =>
  call('POST /api/models/:provider/test', { params: { provider }, body })
export const saveModel = (provider: ModelProvider, body: ModelBody | ProviderBody) =>
  call('PUT /api/models/:provider', { params: { provider }, body })
export const chooseModel = (model: string) => call('POST /api/models/use', { body: { model } })
export const forgetModel = (provider: ModelProvider) => call('DELETE /api/models/:provider', { params: { provider } })
export const readPresets = () => call('GET /api/models/presets')
export const saveFallbacks = (fallbacks: ModelFallback[]) => call('PUT /api/models/fallbacks', { body: { fallbacks } })
