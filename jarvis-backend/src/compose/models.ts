import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Router } from 'express'
import type { Model, ModelChoice } from '../agent/model.ts'
import { createTally } from '../agent/tally.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { Journal } from '../calls/ports.ts'
import type { Config } from '../config/config.ts'
import { idOf, type ModelConfig } from '../config/model.ts'
import { createModelSetup } from '../doctor/model-setup.ts'
import { modelRoutes } from '../http/models.ts'
import type { ModelSeen } from '../http/status-parts.ts'
import type { Clock } from '../lib/clock.ts'
import { isPublicAddress } from '../lib/public-address.ts'
import { type ClusterState, JarvisError } from '../protocol/index.ts'
import { anthropicModel, createPrices, demoModel, openAiCompatibleModel, windowOf } from '../providers/index.ts'

/** The usual effort's tokens for thinking, in addition to those of the answer. */
const tokensForThinking = 8_192
/** Where the answer's length is the server's to set, tokens. */
const usualAnswer = 8_192

/** Wires the models. The settings may replace them; a turn that has begun ends with its own model. */
export function composeModels(parts: {
  config: Config
  /** For tests: answers in place of the configured model. */
  first: Model | undefined
  /** For tests: further models that may be named. */
  others: readonly Model[] | undefined
  clock: Clock
  cluster(): ClusterState
  journal: Journal
  durably<T>(work: () => T): T
  hide(secret: string): void
  stepUp: StepUp
  redact(text: string): string
  changed(): void
  announce(problem: string): void
}) {
  const { clock, journal, durably, hide, redact } = parts
  const made = ([first = { provider: 'demo' }, ...others]: readonly ModelConfig[]) => ({
    config: first,
    configs: others,
    model: createModel(first, parts.cluster),
    others: new Map(others.map((other) => [idOf(other), createModel(other, parts.cluster)])),
  })
  let { config, configs, model, others } = made(parts.config.models)
  if (parts.first !== undefined) model = parts.first
  if (parts.others !== undefined) others = new Map(parts.others.map((other) => [other.id, other]))
  let seen: ModelSeen = {}
  const models = createModelSetup({
    config: parts.config,
    clock,
    apply(next) {
      ;({ config, configs, model, others } = made(next))
      seen = {}
      parts.changed()
    },
  })
  const routes: Router = modelRoutes({ models, journal, durably, hide, stepUp: parts.stepUp })
  const { costOf, reload } = createPrices(join(parts.config.dataDir, 'prices.json'), {
    isOwnService: (id) =>
      [config, ...configs].every((known) => !idOf(known).startsWith(`${id.split('/', 1)[0]}/`) || isOwnAddress(known)),
    announce: parts.announce,
  })
  const tally = createTally(costOf)
  const choice: ModelChoice = {
    current: () => model,
    named: (id) => (id === model.id ? model : others.get(id)),
    ids: () => [model.id, ...others.keys()],
    require(id) {
      if (choice.named(id) !== undefined) return
      throw new JarvisError('invalid_request', `model: ${id} is not configured. There are: ${choice.ids().join(', ')}.`)
    },
  }
  return {
    routes,
    choice,
    costOf,
    reloadPrices: reload,
    /** How much a model reads and writes at once. */
    windowOf(asked: Model) {
      const own = [config, ...configs].find((known) => idOf(known) === asked.id)
      const answer = own?.provider === 'anthropic' ? own.maxTokens + tokensForThinking : usualAnswer
      return windowOf(asked.id, answer, parts.config.contextTokens)
    },
    used: tally.add,
    /**
     * Whether a model may be asked for session titles. `auto`: only configured models that do not run on the local network, where each call is slow.
     */
    mayName(asked: Model): boolean {
      const { titles } = parts.config
      if (titles !== 'auto') return titles === 'on'
      if (asked === parts.first || (parts.others?.includes(asked) ?? false)) return false
      const own = [config, ...configs].find((known) => idOf(known) === asked.id)
      return own !== undefined && !isAtHome(own)
    },
    tallies: tally.read,
    model: () => model,
    config: () => config,
    seen: () => ({ id: model.id, isDemo: config.provider === 'demo', seen }),
    /** Notes that the current model answered; a replaced model is ignored. */
    answered(by: Model) {
      if (by === model) seen.okAt = clock.now()
    },
    failed(by: Model, error: unknown) {
      if (by !== model) return
      seen.failedAt = clock.now()
      seen.problem = redact(error instanceof Error ? error.message : String(error))
    },
  }
}

export type ComposedModels = ReturnType<typeof composeModels>

/** Whether the model's address is on this machine or its network. */
function isAtHome(config: ModelConfig): boolean {
  if (config.provider === 'demo' || config.baseUrl === undefined) return false
  const host = new URL(config.baseUrl).hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return !isPublicAddress(host)
  return !host.includes('.') || /\.(?:local|lan|home|internal|home\.arpa|localhost)$/.test(host)
}

const ownHosts = ['api.anthropic.com', 'api.openai.com']
/** Whether requests go to the provider's own service, not to a compatible one. */
const isOwnAddress = (config: ModelConfig) =>
  config.provider !== 'demo' && (config.baseUrl === undefined || ownHosts.includes(new URL(config.baseUrl).hostname))

function createModel(config: ModelConfig, cluster: () => ClusterState): Model {
  switch (config.provider) {
    case 'anthropic':
      return anthropicModel(config)
    case 'openai':
      return openAiCompatibleModel(config)
    case 'demo':
      return demoModel({ cluster })
    default:
      return config satisfies never
  }
}
