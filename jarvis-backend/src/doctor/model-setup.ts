import {
  isVariableProvider,
  JarvisError,
  type ModelBody,
  type ModelFacts,
  type ModelFallback,
  type ModelProvider,
  type ModelProviderInfo,
  type ModelsReply,
  type ModelTestBody,
  type ModelTestReply,
  type ProviderBody,
  type VariableProvider,
  variableProviders,
} from 'protocol'
import { type Config, ConfigError } from '../config/config.ts'
import type { Changes } from '../config/env-file.ts'
import { createFill } from '../config/fillers.ts'
import { idOf, type ModelConfig, type ServedModel } from '../config/model.ts'
import {
  filledServer,
  type ModelsFile,
  readModelsFile,
  type SavedProvider,
  writeModelsFile,
} from '../config/models-file.ts'
import { isOnlyNames, isToFill } from '../config/placeholder.ts'
import { openerOf } from '../config/sealing.ts'
import { modelsAfter, saveSettings } from '../config/settings-file.ts'
import type { Clock } from '../lib/clock.ts'
import { isSent, keyNameOf, listModels, presets, tryModel } from '../providers/index.ts'
import type { LeftOut } from '../providers/learned.ts'
import { fallbackFault, withoutConsent, withoutProvider } from './fallbacks.ts'
import { kindOf, type Server, serverOf, variableKinds } from './model-server.ts'

export { presets }

const variables = {
  anthropic: { apiKey: 'ANTHROPIC_API_KEY', baseUrl: 'ANTHROPIC_BASE_URL', model: 'CLAUDE_MODEL' },
  openai: { apiKey: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL', model: 'OPENAI_MODEL' },
} as const
const suggested = { anthropic: 'claude-sonnet-5-5', openai: 'gpt-5.2' } as const

export type ModelSetupParts = {
  config: Pick<Config, 'dataDir' | 'secretKeys' | 'modelEnvironment' | 'embeddings' | 'variables'>
  clock: Clock
  /** Sets the models that may answer from now on, the one in use first, and the models that answer if one of them fails. */
  apply(models: readonly ModelConfig[], fallbacks: readonly ModelFallback[]): void
  /** Forgets which parts of requests the servers of these models refused. */
  forget?(models: readonly Pick<ServedModel, 'kind' | 'baseUrl' | 'model'>[]): void
  /** The tools that are not sent to a provider, because its server refuses them. */
  leftOut?(provider: ModelProvider): LeftOut[]
  /** Returns the known facts of a model. */
  factsOf(model: ModelConfig): ModelFacts
}

function keyEndOf({ apiKey }: Server): Pick<ModelProviderInfo, 'keyEnd' | 'keyName'> {
  if (apiKey === undefined) return {}
  if (isToFill(apiKey)) return { keyEnd: '', ...(isOnlyNames(apiKey) && { keyName: apiKey }) }
  const keyName = keyNameOf(apiKey)
  if (keyName !== undefined) return { keyEnd: '', keyName }
  // The last four characters of a short key would reveal too much.
  return { keyEnd: apiKey.length >= 12 ? apiKey.slice(-4) : '' }
}

/** @throws JarvisError `invalid_request` for a key that signs or is filled in, which only a provider with a name of its own takes */
function requirePlain(provider: VariableProvider, apiKey: string | undefined): void {
  if (apiKey === undefined || (isSent(apiKey) && !isToFill(apiKey))) return
  throw new JarvisError(
    'invalid_request',
    `${provider} takes a plain key only. Give the provider a name of its own, such as cloud, for a key of AWS or Google Cloud or for \${…}.`,
  )
}

/** Connects models from the dashboard and the command line: tries them, saves them, uses one from the next message on. */
export class ModelSetup {
  readonly #parts: ModelSetupParts
  readonly #given: Config['modelEnvironment']

  constructor(parts: ModelSetupParts) {
    this.#parts = parts
    this.#given = parts.config.modelEnvironment
  }

  current(): ModelsReply {
    const { inUse, all, providers: known } = this.#modelsNow()
    const { providers, fallbacks } = this.#readFile()
    return {
      inUse: idOf(inUse),
      isFixed: this.#given.JARVIS_MODEL !== undefined,
      providers: [
        ...variableProviders.map((provider): ModelProviderInfo => {
          const server: Partial<ServedModel> =
            inUse.kind !== 'demo' && inUse.provider === provider ? inUse : (known.get(provider)?.[0] ?? {})
          return {
            provider,
            kind: variableKinds[provider],
            source: !known.has(provider) ? 'none' : this.#isGiven(provider) ? 'environment' : 'settings',
            model: server.model ?? suggested[provider],
            baseUrl: server.baseUrl,
            ...keyEndOf(server),
            ...this.#leftOutOf(provider),
          }
        }),
        ...providers.map(
          ({ name: provider, kind, baseUrl, models, key, headers }): ModelProviderInfo => ({
            provider,
            kind,
            source: 'settings',
            model: models[0] ?? '',
            models,
            baseUrl,
            ...keyEndOf(key === undefined ? {} : { apiKey: key }),
            ...(headers && { headers: Object.keys(headers) }),
            ...this.#leftOutOf(provider),
          }),
        ),
      ],
      fallbacks,
      facts: Object.fromEntries(all.map((model) => [idOf(model), this.#parts.factsOf(model)])),
    }
  }

  /** @throws JarvisError `invalid_request` */
  async test(
    provider: ModelProvider,
    { model, kind: asked, ...body }: ModelTestBody,
    signal: AbortSignal,
  ): Promise<ModelTestReply> {
    const kind = kindOf(provider, asked, this.#knownOf(provider)?.kind)
    if (isVariableProvider(provider) && body.headers !== undefined)
      throw new JarvisError('invalid_request', `${provider} takes no headers: give the provider another name.`)
    if (isVariableProvider(provider)) requirePlain(provider, body.apiKey)
    const known = this.#knownOf(provider)
    // A new key of Anthropic or OpenAI is tested at their own address, as it would be saved. Otherwise the saved address is used.
    const isOwnAddress = isVariableProvider(provider) && body.apiKey !== undefined
    const baseUrl = body.baseUrl ?? (isOwnAddress ? undefined : known?.baseUrl)
    if (baseUrl === undefined && !isVariableProvider(provider))
      throw new JarvisError('invalid_request', `${provider} is not saved yet, so baseUrl is needed.`)
    // A saved variable is filled in anew, so that a missing value is named.
    const saved = this.#savedOf(provider, this.#readFile()) ?? known
    const given = serverOf({ ...body, ...(baseUrl !== undefined && { baseUrl }) }, saved)
    const server = { provider, kind, ...given, ...this.#filled(given) }
    const asking = { now: () => this.#parts.clock.now(), signal }
    return model === undefined ? listModels(server, asking) : tryModel({ ...server, model }, asking)
  }

  /** Saves a model in the data dir and uses it from the next message on. @throws JarvisError `conflict`, `invalid_request` */
  save(provider: VariableProvider, body: ModelBody): void {
    this.#mayChange(provider)
    this.#mayChoose()
    const { model } = body
    const { apiKey, baseUrl } = serverOf(body, this.#knownOf(provider))
    requirePlain(provider, apiKey)
    const names = variables[provider]
    this.#parts.forget?.([{ kind: variableKinds[provider], model, baseUrl }])
    this.#keep({
      [names.apiKey]: apiKey,
      [names.baseUrl]: baseUrl,
      [names.model]: model,
      JARVIS_MODEL: `${provider}/${model}`,
    })
  }

  /** Saves a named provider in the data dir, beside the others. @throws JarvisError `invalid_request` */
  saveNamed(name: ModelProvider, body: ProviderBody): void {
    const { kind, baseUrl, models } = body
    const file = this.#readFile()
    const { apiKey, headers } = serverOf(body, this.#savedOf(name, file))
    const saved: SavedProvider = {
      name,
      kind,
      baseUrl,
      models: [...new Set(models)],
      key: apiKey,
      headers,
    }
    const at = file.providers.findIndex((known) => known.name === name)
    this.#parts.forget?.(models.map((model) => ({ kind, baseUrl, model })))
    const isMoved = at >= 0 && file.providers[at]?.baseUrl !== baseUrl
    this.#keep(
      {},
      {
        ...file,
        providers: at < 0 ? [...file.providers, saved] : file.providers.with(at, saved),
        fallbacks: isMoved ? withoutConsent(file.fallbacks, name) : file.fallbacks,
      },
    )
  }

  /** Uses a model from the next message on. @throws JarvisError `conflict`; `invalid_request` if its provider is not configured */
  use(model: string): void {
    this.#mayChoose()
    this.#keep({ JARVIS_MODEL: model })
  }

  /** Sets the models that answer if a model fails. @throws JarvisError `invalid_request` naming the first fallback that cannot be used */
  fallBack(fallbacks: readonly ModelFallback[]): void {
    const { all } = this.#modelsNow()
    const fault = fallbackFault(fallbacks, all)
    if (fault !== undefined) throw new JarvisError('invalid_request', fault)
    this.#keep({}, { ...this.#readFile(), fallbacks: [...fallbacks] })
  }

  /** Removes a provider with its key and address; if it was in use, the next configured provider answers. */
  forget(provider: ModelProvider): void {
    const wasInUse = this.#modelsNow().inUse.provider === provider
    const noChoice = wasInUse ? { JARVIS_MODEL: undefined } : {}
    if (!isVariableProvider(provider)) {
      const file = this.#readFile()
      const providers = file.providers.filter(({ name }) => name !== provider)
      if (providers.length === file.providers.length)
        throw new JarvisError('not_found', `There is no provider ${provider}.`)
      if (wasInUse) this.#mayChoose()
      this.#keep(noChoice, { ...file, providers, fallbacks: withoutProvider(file.fallbacks, provider) })
      return
    }
    this.#mayChange(provider)
    if (provider === 'openai' && this.#parts.config.embeddings.kind === 'openai') {
      throw new JarvisError(
        'conflict',
        'JARVIS_EMBEDDINGS names this provider, so the next start would fail without it. Change JARVIS_EMBEDDINGS first.',
      )
    }
    if (wasInUse) this.#mayChoose()
    const { apiKey, baseUrl, model } = variables[provider]
    this.#keep({ [apiKey]: undefined, [baseUrl]: undefined, [model]: undefined, ...noChoice })
  }

  /** Returns the models and fallbacks as the files have them now. @throws ConfigError, JarvisError if the files cannot be used */
  look(): { models: readonly ModelConfig[]; fallbacks: readonly ModelFallback[] } {
    const file = this.#readFile()
    return { models: this.#modelsNow({}, file).all, fallbacks: file.fallbacks }
  }

  #isGiven(provider: VariableProvider): boolean {
    const { apiKey, baseUrl } = variables[provider]
    return this.#given[apiKey] !== undefined || this.#given[baseUrl] !== undefined
  }

  /** Reads models.json. @throws JarvisError `conflict` if the file cannot be used. It is not replaced, because it holds keys. */
  #readFile(): ModelsFile {
    const { config } = this.#parts
    try {
      return readModelsFile(config.dataDir, openerOf(config))
    } catch (error) {
      if (error instanceof ConfigError) throw new JarvisError('conflict', error.message)
      throw error
    }
  }

  #modelsNow(changes: Changes = {}, file = this.#readFile()) {
    return modelsAfter(this.#parts.config, changes, file)
  }

  #knownOf(provider: ModelProvider): ServedModel | undefined {
    return this.#modelsNow().providers.get(provider)?.[0]
  }

  /** A named provider as it was saved, with its `${…}`. */
  #savedOf(name: ModelProvider, { providers }: ModelsFile): Server | undefined {
    const saved = providers.find((one) => one.name === name)
    return saved && { apiKey: saved.key, baseUrl: saved.baseUrl, headers: saved.headers }
  }

  #filled({ apiKey, headers }: Server): Pick<ServedModel, 'apiKey' | 'headers' | 'unfilled'> {
    const { key, ...rest } = filledServer({ key: apiKey, headers }, createFill(this.#parts.config))
    return { ...rest, apiKey: key }
  }

  /** Saves changes and applies them. Writes nothing if the models could not be read afterwards. */
  #keep(changes: Record<string, string | undefined>, next?: ModelsFile): void {
    const { config } = this.#parts
    const file = next ?? this.#readFile()
    const { all } = this.#modelsNow(changes, file)
    if (next !== undefined) writeModelsFile(config, next)
    if (Object.keys(changes).length > 0) saveSettings(config, changes)
    this.#parts.apply(all, file.fallbacks)
  }

  #mayChoose(): void {
    if (this.#given.JARVIS_MODEL === undefined) return
    throw new JarvisError(
      'conflict',
      'JARVIS_MODEL is set in .env or the environment, which overrides this setting. Remove it there first.',
    )
  }

  #mayChange(provider: VariableProvider): void {
    if (!this.#isGiven(provider)) return
    throw new JarvisError(
      'conflict',
      `${variables[provider].apiKey} or its address is set in .env or the environment. Change it there.`,
    )
  }

  #leftOutOf(provider: ModelProvider) {
    const leftOut = this.#parts.leftOut?.(provider) ?? []
    return leftOut.length === 0 ? {} : { leftOut }
  }
}
