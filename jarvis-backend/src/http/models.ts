import { Router } from 'express'
import type { StepUp } from '../auth/step-up.ts'
import type { Journal } from '../calls/ports.ts'
import {
  isVariableProvider,
  ModelBody,
  type ModelFallback,
  ModelFallbacksBody,
  type ModelPreset,
  ModelProvider,
  type ModelsReply,
  ModelTestBody,
  type ModelTestReply,
  ModelUseBody,
  ProviderBody,
  type VariableProvider,
} from '../protocol/index.ts'
import { endOf, identityOf, operatorOnly, param, passwordAgain, read } from './handle.ts'

/** What the routes need of the models. Each method throws JarvisError `invalid_request`, `conflict`. */
export type Models = {
  current(): ModelsReply
  test(provider: ModelProvider, body: ModelTestBody, signal: AbortSignal): Promise<ModelTestReply>
  save(provider: VariableProvider, body: ModelBody): void
  saveNamed(name: ModelProvider, body: ProviderBody): void
  use(model: string): void
  fallBack(fallbacks: readonly ModelFallback[]): void
  forget(provider: ModelProvider): void
}

/** `/api/models`, for operators: which models there are, and which one answers. Keys are accepted and never returned. */
export function modelRoutes(parts: {
  models: Models
  presets: readonly ModelPreset[]
  journal: Journal
  durably<T>(work: () => T): T
  /** Adds a secret to the redactor. */
  hide(secret: string): void
  stepUp: StepUp
}): Router {
  const { models, journal, durably } = parts
  const router = Router()
  router.use(operatorOnly)
  const hidden = <T extends Pick<ModelTestBody, 'apiKey' | 'headers'>>(given: T): T => {
    if (given.apiKey !== undefined) parts.hide(given.apiKey)
    for (const value of Object.values(given.headers ?? {})) parts.hide(value)
    return given
  }
  /** Saves the change and its journal entry in one transaction. */
  const change = (body: Record<string, unknown>, work: () => void): ModelsReply =>
    durably(() => {
      journal.append('setup', body)
      work()
      return models.current()
    })

  router.get('/', (_request, response) => {
    response.json(models.current())
  })
  router.get('/presets', (_request, response) => {
    response.json({ presets: parts.presets })
  })
  router.put('/fallbacks', passwordAgain(parts.stepUp), (request, response) => {
    const { fallbacks } = read(ModelFallbacksBody, request.body)
    const by = identityOf(response).sub
    response.json(change({ change: 'model_fallbacks', by, fallbacks }, () => models.fallBack(fallbacks)))
  })
  router.post('/use', (request, response) => {
    const { model } = read(ModelUseBody, request.body)
    const by = identityOf(response).sub
    response.json(change({ change: 'model_used', by, model }, () => models.use(model)))
  })
  router.post('/:provider/test', async (request, response) => {
    const provider = read(ModelProvider, param(request, 'provider'))
    const body = hidden(read(ModelTestBody, request.body))
    const found = await models.test(provider, body, endOf(response))
    const { model, baseUrl } = body
    const by = identityOf(response).sub
    durably(() =>
      journal.append('setup', { change: 'model_tested', by, provider, model, baseUrl, verdict: found.verdict }),
    )
    response.json(found)
  })
  router.put('/:provider', passwordAgain(parts.stepUp), (request, response) => {
    const provider = read(ModelProvider, param(request, 'provider'))
    const by = identityOf(response).sub
    if (!isVariableProvider(provider)) {
      const body = hidden(read(ProviderBody, request.body))
      const { kind, models: names, baseUrl, headers } = body
      const saved = {
        change: 'provider_saved',
        by,
        provider,
        kind,
        models: names,
        baseUrl,
        hasNewKey: body.apiKey !== undefined,
      }
      const sent = headers === undefined ? {} : { headers: Object.keys(headers) }
      response.json(change({ ...saved, ...sent }, () => models.saveNamed(provider, body)))
      return
    }
    const body = hidden(read(ModelBody, request.body))
    const { model, baseUrl } = body
    const saved = { change: 'model_saved', by, provider, model, baseUrl, hasNewKey: body.apiKey !== undefined }
    response.json(change(saved, () => models.save(provider, body)))
  })
  router.delete('/:provider', (request, response) => {
    const provider = read(ModelProvider, param(request, 'provider'))
    const by = identityOf(response).sub
    response.json(change({ change: 'model_forgotten', by, provider }, () => models.forget(provider)))
  })
  return router
}
