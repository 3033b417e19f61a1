import type { Worker } from 'node:worker_threads'
import { JarvisError } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import type { Keeper } from './changes.ts'
import type { EarlySearch } from './early-search.ts'
import type { Found, IndexStatus } from './indexer.ts'
import type { FromWorker, MemoryMethod, MemoryRequests, ToWorker } from './messages.ts'
import type { SourceKind } from './ports.ts'

/** The index as other modules use it. */
export interface Memory {
  /** Asks the index. Rejects with `internal` if the worker died. */
  call<M extends MemoryMethod>(method: M, input: MemoryRequests[M]['input']): Promise<MemoryRequests[M]['output']>
  /** The worker's newest status. */
  status(): IndexStatus | undefined
  /** The kinds of the texts that there are to recall from, as far as known. */
  kinds(): readonly SourceKind[]
  stop(): Promise<void>
}

const restartAfterMs = 5_000
const slowestMs = 30_000

export type RemoteMemoryParts = {
  start(): Worker
  early: EarlySearch
  clock: Clock
  /** Called with the tokens of each request for embeddings to a server. `isPartial`: they are estimated. */
  embedded?(tokens: number, isPartial: boolean): void
  /** `undefined`: the thread died, and the status is unknown until it is back. */
  changed(status: IndexStatus | undefined): void
  report(error: unknown, message: string): void
}

/** A call that waits for its answer. */
type Waiting = { resolve(output: unknown): void; reject(error: unknown): void; timer: NodeJS.Timeout | undefined }

/**
 * Runs the index in a thread, which the first request starts and which restarts some time after a crash. So no chat waits for indexing,
 * and a fault in the index ends nothing else. Until the thread has started, words are searched on disk.
 */
export class RemoteMemory implements Memory {
  readonly #parts: RemoteMemoryParts
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #nextId = 1
  #status: IndexStatus | undefined
  #kinds: readonly SourceKind[] = []
  #cancelRestart: (() => void) | undefined
  #isStopped = false

  constructor(parts: RemoteMemoryParts) {
    this.#parts = parts
  }

  async call<M extends MemoryMethod>(
    method: M,
    input: MemoryRequests[M]['input'],
  ): Promise<MemoryRequests[M]['output']> {
    type Output = MemoryRequests[M]['output']
    const found: Found | undefined =
      method === 'search' ? this.#early((index) => index.search(input as MemoryRequests['search']['input'])) : undefined
    return found === undefined ? this.#send(method, input) : (found as Output)
  }

  status(): IndexStatus | undefined {
    return this.#status
  }

  kinds(): readonly SourceKind[] {
    return this.#early((index) => index.kinds()) ?? this.#kinds
  }

  /** True if the thread has not started and the index on disk lacks texts of the keepers. The thread is then started at once. */
  isBehind(keepers: readonly Keeper[]): boolean {
    const isBehind = this.#early((index) => index.isBehind(keepers)) === true
    if (isBehind) this.call('status', {}).catch(() => {})
    return isBehind
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelRestart?.()
    this.#parts.early.close()
    const last = this.#worker
    if (last === undefined) return
    const gone = new Promise<void>((done) => last.once('exit', () => done()))
    last.postMessage({ id: this.#nextId++, method: 'stop', input: {} } satisfies ToWorker)
    await gone
  }

  /** Reads the index on disk. @returns undefined once the thread answers, or if the index cannot be read */
  #early<T>(read: (index: EarlySearch) => T): T | undefined {
    if (this.#status !== undefined || this.#isStopped) return undefined
    try {
      return read(this.#parts.early)
    } catch {
      this.#parts.early.close()
      return undefined
    }
  }

  #send<M extends MemoryMethod>(method: M, input: MemoryRequests[M]['input']): Promise<MemoryRequests[M]['output']> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++
      const request: ToWorker = { id, method, input }
      const isLong = method === 'sync' || method === 'reindex' || method === 'embed'
      const timer = isLong
        ? undefined
        : setTimeout(() => {
            this.#waiting.delete(id)
            reject(new JarvisError('internal', 'The memory did not answer in time.'))
          }, slowestMs).unref()
      try {
        this.#running().postMessage(request)
        this.#waiting.set(id, { resolve: resolve as (output: unknown) => void, reject, timer })
      } catch (error) {
        clearTimeout(timer)
        reject(error)
      }
    })
  }

  /** Returns the thread, and starts it if there is none. @throws JarvisError `internal` between a crash and the restart */
  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker
    if (this.#isStopped || this.#cancelRestart !== undefined)
      throw new JarvisError('internal', 'The memory stopped and starts again in a few seconds.')
    const started = this.#parts.start()
    started.on('message', (message: FromWorker) => this.#receive(message))
    let fault: unknown
    started.on('error', (error) => {
      fault = error
    })
    started.on('exit', (code) => this.#exited(fault ?? new Error(`It ended with ${code}.`)))
    // The thread does not keep the process alive.
    started.unref()
    this.#worker = started
    return started
  }

  #receive(message: FromWorker): void {
    const { early, changed, embedded, report } = this.#parts
    if ('changed' in message) {
      early.close()
      this.#status = message.changed
      this.#kinds = message.kinds
      changed(message.changed)
    } else if ('embedded' in message) embedded?.(message.embedded, message.isPartial)
    else if ('fault' in message) report(new Error(message.fault), message.message)
    else {
      const call = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      clearTimeout(call?.timer)
      if ('error' in message) call?.reject(new JarvisError('internal', message.error))
      else call?.resolve(message.output)
    }
  }

  #exited(fault: unknown): void {
    const { clock, changed, report } = this.#parts
    this.#worker = undefined
    this.#status = undefined
    if (!this.#isStopped) {
      report(fault, 'the memory stopped working; it starts again soon')
      changed(undefined)
      this.#cancelRestart = clock.after(restartAfterMs, () => this.#restart())
    }
    this.#kinds = []
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer)
      reject(new JarvisError('internal', 'The memory stopped in the middle of this.'))
    }
    this.#waiting.clear()
  }

  #restart(): void {
    this.#cancelRestart = undefined
    try {
      this.#running()
    } catch (error) {
      this.#parts.report(error, 'the memory could not be started again')
    }
  }
}
