import { scriptUrl } from '../../../lib/trusted.ts'
import workerUrl from './highlight-worker.ts?worker&url'
import type { Kind } from './kinds.ts'

/** A stretch of code of one kind; without a kind it is plain. */
export type Piece = [text: string, kind?: Kind]
export type Asked = { id: number; text: string; grammar: string }
export type Told = { id: number; pieces: Piece[] }

/** A grammar may be slow on hostile code. After this time the code stays plain. */
const longestMs = 10_000
const kept = 200

const known = new Map<string, readonly Piece[]>()
const waiting = new Map<number, (pieces: readonly Piece[] | undefined) => void>()
let worker: Worker | undefined
let asked = 0

function startWorker(): Worker {
  const made = new Worker(scriptUrl(workerUrl), { type: 'module' })
  made.addEventListener('message', ({ data }: MessageEvent<Told>) => waiting.get(data.id)?.(data.pieces))
  made.addEventListener('error', giveUp)
  return made
}

function giveUp(): void {
  worker?.terminate()
  worker = undefined
  for (const tell of [...waiting.values()]) tell(undefined)
}

const keyOf = (text: string, grammar: string) => `${grammar} ${text}`

/** The cached result, so that a block drawn again looks the same at once. */
export const highlighted = (text: string, grammar: string) => known.get(keyOf(text, grammar))

/** Highlights code in a worker, so that no block holds up the page. @returns undefined where that took too long */
export function highlight(text: string, grammar: string): Promise<readonly Piece[] | undefined> {
  worker ??= startWorker()
  const id = asked++
  return new Promise((resolve) => {
    const timer = setTimeout(giveUp, longestMs)
    waiting.set(id, (pieces) => {
      clearTimeout(timer)
      waiting.delete(id)
      if (pieces !== undefined) known.set(keyOf(text, grammar), pieces)
      const [oldest] = known.keys()
      if (known.size > kept && oldest !== undefined) known.delete(oldest)
      resolve(pieces)
    })
    worker?.postMessage({ id, text, grammar } satisfies Asked)
  })
}
