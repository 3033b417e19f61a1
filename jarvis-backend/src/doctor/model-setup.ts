import type { Config } from '../config/config.ts'
import { idOf, type ModelConfig } from '../config/model.ts'
import { modelsAfter, saveSettings } from '../config/settings-file.ts'
import type { Clock } from '../lib/clock.ts'
import {
  JarvisError,
  type ModelBody,
  type ModelProvider,
  type ModelProviderInfo,
  type ModelsReply,
  type ModelTestBody,
  type ModelTestReply,
} from '../protocol/index.ts'
import { listModels, tryModel } from '../providers/index.ts'

const variables = {
  anthropic: { apiKey: 'ANTHROPIC_API_KEY', baseUrl: 'ANTHROPIC_BASE_URL', model: 'CLAUDE_MODEL' },
  openai: { apiKey: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL', model: 'OPENAI_MODEL' },
} as const
const suggested = { anthropic: 'claude-sonnet-5-5', openai: 'gpt-5.2' } as const
const providers = ['anthropic', 'openai'] as const
type Known = { model: string; apiKey?: string; baseUrl?: string }

/** Connects a model from the dashboard: try it, save it, use it from the next message on. */
export function createModelSetup(parts: {
  config: Config
  clock: Clock
  /** Sets the models that may answer from now on; the one in use is first. */
  apply(models: readonly ModelConfig[]): void
}) {
  const { config, clock, apply } = parts
  const given = config.modelEnvironment
  const isGiven = (provider: ModelProvider) =>
    given[variables[provider].apiKey] !== undefined || given[variables[provider].baseUrl] !== undefined
  const knownOf = (provider: ModelProvider): Known | undefined => modelsAfter(config).providers[provider]

  /** A key is used only for the address it was saved for; another address needs the key again. */
  function serverOf(provider: ModelProvider, { baseUrl, apiKey }: ModelTestBody): Omit<Known, 'model'> {
    const fault = baseUrl === undefined ? undefined : addressFault(baseUrl)
    if (fault !== undefined) throw new JarvisError('invalid_request', fault)
    if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new JarvisError('invalid_request', 'The key must be the key alone, without spaces.')
    }
    const known = knownOf(provider)
    const key = apiKey ?? (known?.baseUrl === baseUrl ? known?.apiKey : undefined)
    if (key === undefined && known?.apiKey !== undefined) {
      throw new JarvisError(
        'invalid_request',
        'The address is another one: type its key too. The one before stays here.',
      )
    }
    if (key === undefined && baseUrl === undefined) throw new JarvisError('invalid_request', 'A key is needed.')
    return { ...(key !== undefined && { apiKey: key }), ...(baseUrl !== undefined && { baseUrl }) }
  }

  function keep(changes: Record<string, string | undefined>): void {
    const { all } = modelsAfter(config, changes)
    saveSettings(config.dataDir, changes)
    apply(all)
  }
  function mayChoose(): void {
    if (given.JARVIS_MODEL === undefined) return
    throw new JarvisError(
      'conflict',
      'JARVIS_MODEL is set in .env or the environment, which counts first. Take it out there.',
    )
  }
  function mayChange(provider: ModelProvider): void {
    if (!isGiven(provider)) return
    throw new JarvisError(
      'conflict',
      `${variables[provider].apiKey} or its address is set in .env or the environment. Change it there.`,
    )
  }

  return {
    current(): ModelsReply {
      const { inUse, providers: known } = modelsAfter(config)
      return {
        inUse: idOf(inUse),
        isFixed: given.JARVIS_MODEL !== undefined,
        providers: providers.map((provider): ModelProviderInfo => {
          const { apiKey, baseUrl, model } =
            inUse.provider === provider ? inUse : (known[provider] ?? ({} as Partial<Known>))
          return {
            provider,
            source: known[provider] === undefined ? 'none' : isGiven(provider) ? 'environment' : 'settings',
            model: model ?? suggested[provider],
            ...(baseUrl !== undefined && { baseUrl }),
            // The last four characters of a short key would reveal too much.
            ...(apiKey !== undefined && { keyEnd: apiKey.length >= 12 ? apiKey.slice(-4) : '' }),
          }
        }),
      }
    },

    /** @throws JarvisError `invalid_request` */
    test(provider: ModelProvider, { model, ...body }: ModelTestBody, signal: AbortSignal): Promise<ModelTestReply> {
      const server = { provider, ...serverOf(provider, body) }
      const asking = { now: () => clock.now(), signal }
      return model === undefined ? listModels(server, asking) : tryModel({ ...server, model }, asking)
    },

    /** Saves a model in the data dir and uses it from the next message on. @throws JarvisError `conflict`, `invalid_request` */
    save(provider: ModelProvider, body: ModelBody): void {
      mayChange(provider)
      mayChoose()
      const { model } = body
      const { apiKey, baseUrl } = serverOf(provider, body)
      const names = variables[provider]
      keep({
        [names.apiKey]: apiKey,
        [names.baseUrl]: baseUrl,
        [names.model]: model,
        JARVIS_MODEL: `${provider}/${model}`,
      })
    },

    /** @throws JarvisError `conflict`, `invalid_request` where its provider is not configured. */
    use(model: string): void {
      mayChoose()
      keep({ JARVIS_MODEL: model })
    },

    /** Removes a provider's key and address; if it was in use, the next configured provider answers. */
    forget(provider: ModelProvider): void {
      mayChange(provider)
      if (provider === 'openai' && config.embeddings.kind === 'openai') {
        throw new JarvisError(
          'conflict',
          'JARVIS_EMBEDDINGS needs it: the next start would fail without. Change that first.',
        )
      }
      const wasInUse = modelsAfter(config).inUse.provider === provider
      if (wasInUse) mayChoose()
      const { apiKey, baseUrl, model } = variables[provider]
      keep({
        [apiKey]: undefined,
        [baseUrl]: undefined,
        [model]: undefined,
        ...(wasInUse && { JARVIS_MODEL: undefined }),
      })
    },
  }
}

/** Why an address cannot be a model's server; undefined where it can. Never quotes what may be a secret. */
function addressFault(text: string): string | undefined {
  const example = 'such as http://127.0.0.1:11434/v1'
  if (!/^https?:\/\//i.test(text)) {
    const isBare = !/^\w+:\/|[\s@?#]/.test(text) && /[.:/]/.test(text) && URL.canParse(`http://${text}`)
    return `The address must begin with http:// or https://, ${isBare ? `such as http://${text}` : example}.`
  }
  if (!URL.canParse(text)) return `The address cannot be read as a URL, ${example}.`
  const { username, password, search, hash, pathname } = new URL(text)
  if (username !== '' || password !== '')
    return 'The address must hold no name and no password: the key has its own place.'
  if (search !== '' || hash !== '') return 'The address must end before its ? or #.'
  if (/\/chat\/completions\/?$/.test(pathname)) {
    return `The address must end before /chat/completions: ${text.replace(/\/chat\/completions\/?$/, '')}`
  }
  return undefined
}
