import type { ModelBody, ModelProvider, ModelsReply, ModelTestBody, ModelTestReply } from 'jarvis-backend/protocol'
import { call } from './http.ts'

export const readModels = () => call<ModelsReply>('GET', '/api/models')
export const testModel = (provider: ModelProvider, body: ModelTestBody) =>
  call<ModelTestReply>('POST', `/api/models/${provider}/test`, body)
export const saveModel = (provider: ModelProvider, body: ModelBody) =>
  call<ModelsReply>('PUT', `/api/models/${provider}`, body)
export const chooseModel = (model: string) => call<ModelsReply>('POST', '/api/models/use', { model })
export const forgetModel = (provider: ModelProvider) => call<ModelsReply>('DELETE', `/api/models/${provider}`)
