import { type ResourceLimits, Worker } from 'node:worker_threads'

type Answer = { id: number; vectors: Float32Array[] }
/** Starts `script` as a thread. */
export type StartThread = (script: URL, workerData: unknown, resourceLimits: ResourceLimits) => Worker
export type EncoderThread = {
  /**
   * One vector of length 1 and `dimensions` numbers for each text, in order: the mean of the text's sentences (see
   * `passageVector`); all zeros for an empty text.
   * @throws Error where the model cannot be loaded; the next call tries again. @throws the signal's reason once it aborts.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>
}

/** After this time without a call the model (about 40 MB) is released. Loading it again takes a tenth of a second. */
const defaultIdleMs = 2 * 60_000
/** The weights are outside the heap. The heap holds the vocabulary and a text or two. */
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 4 }

const script = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './sentence-encoder-worker.js',
  import.meta.url,
)

/**
 * The encoder in a thread of its own, which starts with the first text and does not keep the process alive.
 * @param options.folder where the model is; absent: the installed one. @param options.start how to start the thread, for
 * sources that Node cannot run as they are; absent: `new Worker`. @param options.idleMs how long the model stays loaded.
 */
export function createEncoderThread({
  folder,
  idleMs = defaultIdleMs,
  start = (script, workerData, resourceLimits) => new Worker(script, { workerData, resourceLimits }),
}: {
  folder?: string | undefined
  idleMs?: number
  start?: StartThread
} = {}): EncoderThread {
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let nextId = 1
  const waiting = new Map<number, { resolve(vectors: Float32Array[]): void; reject(error: unknown): void }>()

  function running(): Worker {
    if (worker !== undefined) return worker
    const started = start(script, { folder }, resourceLimits)
    started.on('message', (answer: Answer) => {
      const call = waiting.get(answer.id)
      waiting.delete(answer.id)
      call?.resolve(answer.vectors)
    })
    // A thread that was already released must not reject the calls of the one after it.
    const gone = (why: string) => worker === started && drop(why)
    started.on('error', (error) => gone(`could not be used: ${error.message}`))
    started.on('exit', () => gone('stopped.'))
    started.unref()
    worker = started
    return started
  }

  function drop(why: string) {
    worker = undefined
    for (const { reject } of waiting.values()) reject(new Error(`The embedded model ${why}`))
    waiting.clear()
  }

  function letGo() {
    const last = worker
    drop('was let go.')
    void last?.terminate()
  }

  return {
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
