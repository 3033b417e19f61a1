import { type ResourceLimits, Worker } from 'node:worker_threads'

type Answer = { id: number; vectors: Float32Array[] }
/** Starts a script as a worker thread. */
export type StartThread = (script: URL, workerData: unknown, resourceLimits: ResourceLimits) => Worker
export type EncoderThread = {
  /**
   * Returns for each text, in order, one vector of length 1 with `dimensions` numbers: the mean of the text's sentences (see `passageVector`); all
   * zeros for an empty text.
   * @throws Error if the model cannot be loaded; the next call tries again. @throws the signal's reason when it aborts.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>
}

/** Time without a call after which the model (about 40 MB) is released, ms. Loading it again takes a tenth of a second. */
const defaultIdleMs = 2 * 60_000
/** Memory limits of the thread. The weights are outside the heap; the heap holds the vocabulary and a few texts. */
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 4 }

const script = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './sentence-encoder-worker.js',
  import.meta.url,
)

/**
 * Runs the encoder in its own thread. The thread starts with the first text and does not keep the process alive.
 * @param options.folder folder of the model; default: the installed model. @param options.start starts the thread, for sources that Node cannot run
 * unchanged; default: `new Worker`. @param options.idleMs time without a call after which the model is released.
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
    // A thread that was already released must not reject the calls to its successor.
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
