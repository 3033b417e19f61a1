import type { Worker } from 'node:worker_threads'
import { JarvisError } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import type { EarlySearch } from './early-search.ts'
import type { Found, IndexStatus } from './indexer.ts'
import type { FromWorker, MemoryMethod, MemoryRequests, ToWorker } from './messages.ts'

/** The index as other modules use it. A call rejects with `internal` where the worker died. */
export type Memory = {
  call<M extends MemoryMethod>(method: M, input: MemoryRequests[M]['input']): Promise<MemoryRequests[M]['output']>
  /** The worker's newest status. */
  status(): IndexStatus | undefined
  /** Returns true if there are notes to recall from, as far as known. */
  hasNotes(): boolean
  stop(): Promise<void>
}

const restartAfterMs = 5_000
const slowestMs = 30_000

/**
 * Runs the index in a thread, which the first request starts and which restarts some time after a crash. So no chat waits for indexing,
 * and a fault in the index ends nothing else. Until the thread has started, words are searched on disk.
 */
export function createRemoteMemory(parts: {
  start(): Worker
  early: EarlySearch
  clock: Clock
  /** Told of the tokens of each request for embeddings to a server. `isPartial`: they are estimated. */
  embedded?(tokens: number, isPartial: boolean): void
  /** `undefined`: the thread died, and the status is unknown until it is back. */
  changed(status: IndexStatus | undefined): void
  report(error: unknown, message: string): void
}): Memory {
  type Waiting = { resolve(output: unknown): void; reject(error: unknown): void; timer: NodeJS.Timeout | undefined }
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let nextId = 1
  let status: IndexStatus | undefined
  let hasNotes = false
  let cancelRestart: (() => void) | undefined
  let isStopped = false

  function running(): Worker {
    if (worker !== undefined) return worker
    if (isStopped || cancelRestart !== undefined) {
      throw new JarvisError('internal', 'The memory stopped and starts again in a few seconds.')
    }
    const started = parts.start()
    started.on('message', (message: FromWorker) => {
      if ('changed' in message) {
        parts.early.close()
        status = message.changed
        hasNotes = message.hasNotes
        parts.changed(message.changed)
      } else if ('embedded' in message) parts.embedded?.(message.embedded, message.isPartial)
      else if ('fault' in message) parts.report(new Error(message.fault), message.message)
      else {
        const call = waiting.get(message.id)
        waiting.delete(message.id)
        clearTimeout(call?.timer)
        if ('error' in message) call?.reject(new JarvisError('internal', message.error))
        else call?.resolve(message.output)
      }
    })
    let fault: unknown
    started.on('error', (error) => {
      fault = error
    })
    started.on('exit', (code) => {
      worker = undefined
      status = undefined
      if (!isStopped) {
        parts.report(fault ?? new Error(`It ended with ${code}.`), 'the memory stopped working; it starts again soon')
        parts.changed(undefined)
        cancelRestart = parts.clock.after(restartAfterMs, () => {
          cancelRestart = undefined
          try {
            running()
          } catch (error) {
            parts.report(error, 'the memory could not be started again')
          }
        })
      }
      hasNotes = false
      for (const { reject, timer } of waiting.values()) {
        clearTimeout(timer)
        reject(new JarvisError('internal', 'The memory stopped in the middle of this.'))
      }
      waiting.clear()
    })
    // The thread does not keep the process alive.
    started.unref()
    worker = started
    return started
  }

  const send: Memory['call'] = (method, input) =>
    new Promise((resolve, reject) => {
      const id = nextId++
      const request: ToWorker = { id, method, input }
      const isLong = method === 'sync' || method === 'reindex' || method === 'embed'
      const timer = isLong
        ? undefined
        : setTimeout(() => {
            waiting.delete(id)
            reject(new JarvisError('internal', 'The memory did not answer in time.'))
          }, slowestMs).unref()
      try {
        running().postMessage(request)
        waiting.set(id, { resolve: resolve as (output: unknown) => void, reject, timer })
      } catch (error) {
        clearTimeout(timer)
        reject(error)
      }
    })

  /** Reads the index on disk; undefined once the thread answers, or where the index cannot be read. */
  function early<T>(read: (search: EarlySearch) => T): T | undefined {
    if (status !== undefined || isStopped) return undefined
    try {
      return read(parts.early)
    } catch {
      parts.early.close()
      return undefined
    }
  }

  return {
    async call(method, input) {
      type Output = MemoryRequests[typeof method]['output']
      const found: Found | undefined =
        method === 'search' ? early(({ search }) => search(input as MemoryRequests['search']['input'])) : undefined
      return found === undefined ? send(method, input) : (found as Output)
    },
    status: () => status,
    hasNotes: () => early((search) => search.hasNotes()) ?? hasNotes,
    async stop() {
      isStopped = true
      cancelRestart?.()
      parts.early.close()
      const last = worker
      if (last === undefined) return
      const gone = new Promise<void>((done) => last.once('exit', () => done()))
      last.postMessage({ id: nextId++, method: 'stop', input: {} } satisfies ToWorker)
      await gone
    },
  }
}
