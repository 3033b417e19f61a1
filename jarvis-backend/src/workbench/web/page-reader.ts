import type { Worker } from 'node:worker_threads'
import { startWorker } from '../../lib/start-worker.ts'
import { strippedOf } from './nesting.ts'
import type { PageText } from './page-text.ts'

/** Converts a page of HTML to text. @throws the signal's reason, and nothing else */
export type PageReader = (html: string, address: string, signal: AbortSignal) => Promise<PageText>

/** Time limit for one page, after its thread has loaded the libraries, ms. */
const slowestMs = 5_000
/** Time limit for the thread to load the libraries, ms. */
const slowestStartMs = 20_000
const memory = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }
const mostAtOnce = 2

const besideThis = () =>
  new URL(import.meta.url.endsWith('.ts') ? './page-worker.ts' : './page-worker.js', import.meta.url)

/**
 * Reads each page in its own thread. A thread that exceeds its time or memory limit is ended, and the result is then the HTML with its tags
 * stripped.
 * @param options.worker the built program of the thread; absent: the one beside this file
 */
export function createPageReader(options: { worker?: URL | undefined; slowestMs?: number } = {}): PageReader {
  const limitMs = options.slowestMs ?? slowestMs
  const waiting: (() => void)[] = []
  let running = 0

  const turn = async (): Promise<void> => {
    if (running >= mostAtOnce) await new Promise<void>((go) => waiting.push(go))
    running += 1
  }

  function read(html: string, address: string, signal: AbortSignal): Promise<PageText | undefined> {
    return new Promise((done, failed) => {
      const worker: Worker = startWorker(options.worker ?? besideThis(), { html, address }, memory)
      worker.unref()
      let timer = setTimeout(() => end(), slowestStartMs)
      const end = (text?: PageText) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        void worker.terminate()
        done(text)
      }
      const abort = () => {
        end()
        failed(signal.reason)
      }
      signal.addEventListener('abort', abort, { once: true })
      worker.on('message', (message: 'ready' | PageText) => {
        if (message !== 'ready') return end(message)
        clearTimeout(timer)
        timer = setTimeout(() => end(), limitMs)
      })
      worker.on('error', () => end())
      worker.on('exit', () => end())
    })
  }

  return async (html, address, signal) => {
    signal.throwIfAborted()
    await turn()
    try {
      signal.throwIfAborted()
      const text = await read(html, address, signal)
      signal.throwIfAborted()
      return text ?? { title: '', text: strippedOf(html), how: 'stripped', hidden: { count: 0, reasons: [] } }
    } finally {
      running -= 1
      waiting.shift()?.()
    }
  }
}
