import { JarvisError } from 'protocol'
import { createEncoderThread, dimensions, encoderId } from 'sentence-encoder'
import { startWorker } from '../../lib/start-worker.ts'
import type { Embedder } from '../../memory/ports.ts'

/**
 * Returns the offline embedder of the package `sentence-encoder`. It runs in a thread that starts with the first text. @param folder of the model;
 * default: the installed one. @throws JarvisError `internal` if the model cannot be loaded
 */
export function localEmbedder(folder?: string): Embedder {
  const thread = createEncoderThread({ folder, start: startWorker })
  return {
    id: `local/${encoderId}`,
    dimensions,
    async embed(texts, signal) {
      try {
        return await thread.embed(texts, signal)
      } catch (error) {
        if (signal.aborted) throw error
        throw new JarvisError('internal', error instanceof Error ? error.message : String(error), { cause: error })
      }
    },
  }
}
