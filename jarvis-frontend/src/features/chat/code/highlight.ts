import { scriptUrl } from '../../../lib/trusted.ts'
import workerUrl from './highlight-worker.ts?worker&url'
import type { Kind } from './kinds.ts'

/** A stretch of code of one kind; without a kind it is plain. */
export type Piece = [text: string, kind?: Kind]
export type Asked = { id: number; text: string; grammar: string }
/** A message of the worker. Without `pieces`: the grammar is loaded and the worker starts to tokenize. With `pieces`: the result. */
export type Told = { id: number; pieces?: Piece[] }

/** Longest time to tokenize, ms. A grammar may be slow on hostile code, which then stays plain. Loading the grammar does not count. */
const longestMs = 10_000
const kept = 200

const known = new Map<string, readonly Piece[]>()
const waiting = new Map<number, { begin(): void; end(pieces: readonly Piece[] | undefined): void }>()
let worker: Worker | undefined
let asked = 0

function startWorker(): Worker {
  const made = new Worker(scriptUrl(workerUrl), { type: 'module' })
  made.addEventListener('message', ({ data }: MessageEvent<Told>) => {
    const one = waiting.get(data.id)
    if (data.pieces === undefined) one?.begin()
    else one?.end(data.pieces)
  })
  made.addEventListener('error', giveUp)
  return made
}

function giveUp(): void {
  worker?.terminate()
  worker = undefined
  for (const { end } of [...waiting.values()]) end(undefined)
}

const keyOf = (text: string, grammar: string) => `${grammar} ${text}`

/** Returns the cached result, so that a block that is drawn again looks the same at once. */
export const highlighted = (text: string, grammar: string) => known.get(keyOf(text, grammar))

/** Highlights code in a worker, so that it does not block the page. @returns undefined if it took too long */
export function highlight(text: string, grammar: string): Promise<readonly Piece[] | undefined> {
  worker ??= startWorker()
  const id = asked++
  return new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const begin = () => {
      timer = setTimeout(giveUp, longestMs)
    }
    const end = (pieces: readonly Piece[] | undefined) => {
      clearTimeout(timer)
      waiting.delete(id)
      if (pieces !== undefined) known.set(keyOf(text, grammar), pieces)
      const [oldest] = known.keys()
      if (known.size > kept && oldest !== undefined) known.delete(oldest)
      resolve(pieces)
    }
    waiting.set(id, { begin, end })
    worker?.postMessage({ id, text, grammar } satisfies Asked)
  })
}
