import type { DemoModel } from 'demo-model'
import type { ClusterState } from 'protocol'
import { type Model, ModelError } from '../agent/model.ts'
import { namingSystem } from '../agent/sessions/name-session.ts'
import { withoutSpeaker } from '../agent/speaker.ts'
import { newId } from '../lib/ids.ts'
import type { Embedder } from '../memory/ports.ts'

/**
 * The model of the demo. Its package is loaded here and not imported, because a build may leave it out; `generate` then throws a
 * ModelError `model_unfit`. @param parts.cluster the present state @param parts.embedder compares sentences by meaning; undefined: by words
 */
export function demoModel(parts: { cluster(): ClusterState; embedder?: Pick<Embedder, 'embed'> | undefined }): Model {
  const loaded = load(parts)
  // The first request reports a failure to load.
  loaded.catch(() => undefined)
  return {
    id: 'demo',
    sees: false,
    generate: async (request, sink, signal) => (await loaded).generate(request, sink, signal),
  }
}

async function load({ cluster, embedder }: Parameters<typeof demoModel>[0]): Promise<DemoModel> {
  const { demoModel: make } = await import('demo-model').catch((cause: unknown) => {
    throw new ModelError(
      'model_unfit',
      'The demo is not part of this build. Connect a model in Settings, Models, or install a build with the demo.',
      { isRetryable: false, cause },
    )
  })
  const vectors = embedder && ((texts: readonly string[], signal: AbortSignal) => embedder.embed(texts, signal))
  return make({ cluster, vectors, namingSystem, withoutSpeaker, newToolUseId: () => newId('tu') })
}
