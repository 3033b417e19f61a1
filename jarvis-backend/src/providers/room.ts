import type { ClusterState } from 'protocol'
import type { Model } from '../agent/model.ts'
import type { Config } from '../config/config.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'
import { modelRoutes } from '../http/models.ts'
import { type ComposedModels, Models } from './choice/models.ts'
import { presets, secretsOfKey } from './index.ts'

/** The room of models: providers, the choice of a model, prices, and records of refused parts. Emits `models.changed`; listens to `files.changed`. */
export const modelsRoom = defineRoom({
  name: 'models',
  /** `first` and `others`: replace the configured models in tests. */
  open(needs: {
    foundation: Foundation
    config: Config
    facts: JarvisFacts
    cluster(): ClusterState
    first: Model | undefined
    others: readonly Model[] | undefined
  }) {
    const { foundation, facts, ...parts } = needs
    const { clock, settings, journal, database, hide } = foundation
    const modelsChanged = facts.teller('models.changed')
    const opened = new Models({
      ...parts,
      clock,
      settings,
      redact: foundation.redact,
      hide,
      changed() {
        foundation.activity.changed({ what: 'settings' })
        modelsChanged(undefined)
      },
      announce: (problem) => foundation.log(problem, 'warning'),
    })
    facts.on('files.changed', () => opened.look())
    const models: ComposedModels = opened
    const routes = modelRoutes({
      models: opened.setup,
      presets,
      journal,
      durably: database.durably,
      hide: (secret) => secretsOfKey(secret).forEach(hide),
    })
    return { models, contributes: { routes } }
  },
})
