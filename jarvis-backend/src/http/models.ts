import {
  isVariableProvider,
  ModelBody,
  type ModelFallback,
  ModelFallbacksBody,
  ModelPreset,
  ModelProvider,
  ModelsReply,
  ModelTestBody,
  ModelTestReply,
  ModelUseBody,
  ProviderBody,
  type VariableProvider,
} from 'protocol'
import { z } from 'zod'
import type { Journal } from '../calls/ports.ts'
import { endOf, read } from './handle.ts'
import { type Route, readByHandler, route } from './route.ts'

/** The part of the models that the routes use. Each method throws JarvisError `invalid_request`, `conflict`. */
export type Models = {
  current(): ModelsReply
  test(provider: ModelProvider, body: ModelTestBody, signal: AbortSignal): Promise<ModelTestReply>
  save(provider: VariableProvider, body: ModelBody): void
  saveNamed(name: ModelProvider, body: ProviderBody): void
  use(model: string): void
  fallBack(fallbacks: readonly ModelFallback[]): void
  forget(provider: ModelProvider): void
}

const params = z.object({ provider: ModelProvider })

/** `/api/models`, for operators: lists the models and chooses the one that answers. Keys are accepted and never returned. */
export function modelRoutes(parts: {
  models: Models
  presets: readonly ModelPreset[]
  journal: Journal
  durably<T>(work: () => T): T
  /** Makes the redactor remove this secret from now on. */
  hide(secret: string): void
}): Route[] {
  const { models, journal, durably } = parts
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

  return [
    route('/models').get('Providers and their models, never a key.', { role: 'operator', reply: ModelsReply }, () =>
      models.current(),
    ),
    route('/models/presets').get(
      'Known services to begin a named provider from.',
      { role: 'owner', reply: z.object({ presets: z.array(ModelPreset).readonly() }) },
      () => ({ presets: parts.presets }),
    ),
    route('/models/fallbacks').put(
      'Replaces the [models that answer while another fails](models.md).',
      { role: 'owner', password: true, body: ModelFallbacksBody, reply: ModelsReply },
      ({ body: { fallbacks }, by }) =>
        change({ change: 'model_fallbacks', by, fallbacks }, () => models.fallBack(fallbacks)),
    ),
    route('/models/use').post(
      'Chooses the model that answers.',
      { role: 'owner', body: ModelUseBody, reply: ModelsReply },
      ({ body: { model }, by }) => change({ change: 'model_used', by, model }, () => models.use(model)),
    ),
    route('/models/:provider/test').post(
      'Asks a provider one short question; saves nothing.',
      { role: 'owner', params, body: ModelTestBody, reply: ModelTestReply },
      async ({ params: { provider }, body, by, response }) => {
        const found = await models.test(provider, hidden(body), endOf(response))
        const { model, baseUrl } = body
        durably(() =>
          journal.append('setup', { change: 'model_tested', by, provider, model, baseUrl, verdict: found.verdict }),
        )
        return found
      },
    ),
    route('/models/:provider').put(
      'Saves a provider: of `anthropic` and `openai` `{model, baseUrl?, apiKey?}`, which is then used; of every other name `{kind, baseUrl, apiKey?, headers?, models}`.',
      {
        role: 'owner',
        password: true,
        params,
        body: readByHandler(z.union([ModelBody, ProviderBody])),
        reply: ModelsReply,
      },
      ({ params: { provider }, body: given, by }) => {
        if (!isVariableProvider(provider)) {
          const body = hidden(read(ProviderBody, given))
          const { kind, models: names, baseUrl, headers } = body
          const hasNewKey = body.apiKey !== undefined
          const saved = { change: 'provider_saved', by, provider, kind, models: names, baseUrl, hasNewKey }
          const sent = headers === undefined ? {} : { headers: Object.keys(headers) }
          return change({ ...saved, ...sent }, () => models.saveNamed(provider, body))
        }
        const body = hidden(read(ModelBody, given))
        const { model, baseUrl } = body
        const saved = { change: 'model_saved', by, provider, model, baseUrl, hasNewKey: body.apiKey !== undefined }
        return change(saved, () => models.save(provider, body))
      },
    ),
    route('/models/:provider').delete(
      'Forgets a provider.',
      { role: 'owner', params, reply: ModelsReply },
      ({ params: { provider }, by }) =>
        change({ change: 'model_forgotten', by, provider }, () => models.forget(provider)),
    ),
  ]
}
