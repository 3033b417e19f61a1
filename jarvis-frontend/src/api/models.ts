import type {
  ModelBody,
  ModelFallback,
  ModelPreset,
  ModelProvider,
  ModelsReply,
  ModelTestBody,
  ModelTestReply,
  ProviderBody,
} from 'protocol'
import { call } from './http.ts'

export const readModels = () => call<ModelsReply>('GET', '/api/models')
export const testModel = (provider: ModelProvider, body: ModelTestBody) =>
  call<ModelTestReply>('POST', `/api/models/${provider}/test`, body)
export const saveModel = (provider: ModelProvider, body: ModelBody) =>
  call<ModelsReply>('PUT', `/api/models/${provider}`, body)
export const chooseModel = (model: string) => call<ModelsReply>('POST', '/api/models/use', { model })
export const forgetModel = (provider: ModelProvider) => call<ModelsReply>('DELETE', `/api/models/${provider}`)
export const readPresets = () => call<{ presets: ModelPreset[] }>('GET', '/api/models/presets')
export const saveProvider = (name: ModelProvider, body: ProviderBody) =>
  call<ModelsReply>('PUT', `/api/models/${name}`, body)
export const saveFallbacks = (fallbacks: readonly ModelFallback[]) =>
  call<ModelsReply>('PUT', '/api/models/fallbacks', { fallbacks })
