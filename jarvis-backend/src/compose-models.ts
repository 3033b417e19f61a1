import type { Router } from 'express'
import type { Model } from './agent/model.ts'
import type { Config } from './config/config.ts'
import type { ModelConfig } from './config/model.ts'
import { createModelSetup } from './doctor/model-setup.ts'
import { modelRoutes } from './http/models.ts'
import type { ModelSeen } from './http/status-parts.ts'
import type { Clock } from './lib/clock.ts'
import type { ClusterState } from './protocol/index.ts'
import { anthropicModel, demoModel, openAiCompatibleModel } from './providers/index.ts'
import type { Journal } from './tools/ports.ts'

/** The model in use, which the settings may replace: a turn ends with the one it began with. */
export function composeModels(parts: {
  config: Config
  /** What answers at first, in the place of the configured one. */
  first: Model | undefined
  clock: Clock
  cluster(): ClusterState
  journal: Journal
  durably<T>(work: () => T): T
  hide(secret: string): void
  redact(text: string): string
  changed(): void
}) {
  const { clock, journal, durably, hide, redact } = parts
  let config = parts.config.model
  let model = parts.first ?? createModel(config, parts.cluster)
  let seen: ModelSeen = {}
  const models = createModelSetup({
    config: parts.config,
    clock,
    apply(next) {
      config = next
      model = createModel(next, parts.cluster)
      seen = {}
      parts.changed()
    },
  })
  const routes: Router = modelRoutes({ models, journal, durably, hide })
  return {
    routes,
    model: () => model,
    config: () => config,
    seen: () => ({ id: model.id, isDemo: config.provider === 'demo', seen }),
    /** What came of the newest question; one to a model that was replaced meanwhile says nothing. */
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
