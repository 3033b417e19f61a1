import type { DemoModel } from 'demo-model'
import type { ClusterState } from 'protocol'
import { type Model, ModelError } from '../agent/model.ts'
import { namingSystem } from '../agent/sessions/name-session.ts'
import { withoutSpeaker } from '../agent/speaker.ts'
import { newId } from '../lib/ids.ts'

/**
 * The model of the demo. Its package is loaded here and not imported, because a build may leave it out; `generate` then throws a
 * ModelError `model_unfit`. @param parts.cluster the present state
 */
export function demoModel(parts: { cluster(): ClusterState }): Model {
  const loaded = load(parts.cluster)
  // The first request reports a failure to load.
  loaded.catch(() => undefined)
  return {
    id: 'demo',
    sees: false,
    generate: async (request, sink, signal) => (await loaded).generate(request, sink, signal),
  }
}

async function load(cluster: () => ClusterState): Promise<DemoModel> {
  const { demoModel: make } = await import('demo-model').catch((cause: unknown) => {
    throw new ModelError(
      'model_unfit',
      'The demo is not part of this build. Connect a model in Settings, Models, or install a build with the demo.',
      { isRetryable: false, cause },
    )
  })
  return make({ cluster, namingSystem, withoutSpeaker, newToolUseId: () => newId('tu') })
}
