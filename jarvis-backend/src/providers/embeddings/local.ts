import type { Worker } from 'node:worker_threads'
import { startWorker } from '../../lib/start-worker.ts'
import type { Embedder } from '../../memory/ports.ts'
import { JarvisError } from '../../protocol/index.ts'
import { dimensions } from './sentence-encoder.ts'

type Answer = { id: number; vectors: Float32Array[] }

/** Idle for so long, the model (about 40 MB) is let go; it is back in a tenth of a second. */
const idleMs = 2 * 60_000
/** Its numbers are outside the heap: what is in it is the vocabulary and a text or two. */
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 4 }

const script = new URL(import.meta.url.endsWith('.ts') ? './local-worker.ts' : './embedding-worker.js', import.meta.url)

/**
 * The embedded model: the light English Universal Sentence Encoder, 512 dimensions, offline. It runs in a thread of its
 * own, started with the first text. @param folder where the model is; absent: the one that was installed.
 * @throws JarvisError `internal` where the model cannot be loaded.
 */
export function localEmbedder(folder?: string): Embedder {
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let nextId = 1
  const waiting = new Map<number, { resolve(vectors: Float32Array[]): void; reject(error: unknown): void }>()

  function running(): Worker {
    if (worker !== undefined) return worker
    const started = startWorker(script, { folder }, resourceLimits)
    started.on('message', (answer: Answer) => {
      const call = waiting.get(answer.id)
      waiting.delete(answer.id)
      call?.resolve(answer.vectors)
    })
    // What waits once it was let go waits for the one after it.
    const gone = (why: string) => worker === started && drop(why)
    started.on('error', (error) => gone(`could not be used: ${error.message}`))
    started.on('exit', () => gone('stopped.'))
    started.unref()
    worker = started
    return started
  }

  function drop(why: string) {
    worker = undefined
    for (const { reject } of waiting.values()) reject(new JarvisError('internal', `The embedded model ${why}`))
    waiting.clear()
  }

  function letGo() {
    const last = worker
    drop('was let go.')
    void last?.terminate()
  }

  return {
    // Counted up where the same text comes to have another vector.
    id: 'local/universal-sentence-encoder-lite-en-2',
    dimensions,
    embed(texts, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        clearTimeout(idle)
        idle = setTimeout(letGo, idleMs).unref()
        const id = nextId++
        const onAbort = () => {
          waiting.delete(id)
          reject(signal.reason)
        }
        signal.addEventListener('abort', onAbort, { once: true })
        const settled = () => signal.removeEventListener('abort', onAbort)
        waiting.set(id, {
          resolve(vectors) {
            settled()
            resolve(vectors)
          },
          reject(error) {
            settled()
            reject(error)
          },
        })
        running().postMessage({ id, texts })
      })
    },
  }
}
