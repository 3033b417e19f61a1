import type { Clock } from '../../lib/clock.ts'
import type { Connection } from './connect.ts'

/**
 * End of a session. `over`: the session has ended on the server too. `left`: the session may still run on the server, so its connection gets no new
 * sessions. `refused`: the server accepts no more sessions, so fewer are opened from now on.
 */
export type SessionEnd = 'over' | 'left' | 'refused'

/** The right to open one session on a connection. */
export type Lease = {
  connection: Connection
  /** True if the server has refused so often that another try is useless. */
  isHopeless(): boolean
  /** Call it when the server has opened the session. */
  begun(): void
  /** Gives the right back. Call it once. */
  release(end: SessionEnd): void
}

export type Pool = {
  /** Waits for a free session, in order of arrival. @throws the errors of `connect`; the signal's reason */
  lease(node: string, signal: AbortSignal): Promise<Lease>
  /** Ends every connection at once. */
  close(): void
}

type Link = {
  connection: Connection
  active: number
  /** `begun`: active sessions that the server has opened. `proven`: the largest `begun` so far. */
  begun: number
  proven: number
  refusedInARow: number
  limit: number
  isRetired: boolean
  /** Called with `true` to hand a session over, with `false` if the connection gets no new sessions. */
  waiting: Set<(granted: boolean) => void>
  cancelIdle?: () => void
}

const momentMs = 50
const tries = 40

type PoolParts = {
  connect(node: string): Promise<Connection>
  clock: Clock
  idleMs: number
  /** Maximum number of sessions on one connection; fewer after the server has refused one. */
  maxSessions: number
}

/** Shares one connection per node among that node's commands. Opens a connection on demand and ends it after `idleMs` without use. */
export class SessionPool implements Pool {
  readonly #parts: PoolParts
  readonly #links = new Map<string, Promise<Link>>()
  readonly #open = new Set<Connection>()
  #isClosed = false

  constructor(parts: PoolParts) {
    this.#parts = parts
  }

  async lease(node: string, signal: AbortSignal): Promise<Lease> {
    for (;;) {
      signal.throwIfAborted()
      const link = await unlessAborted(this.#linkTo(node), signal)
      if (link.connection.isLost()) this.#retire(node, link)
      if (link.isRetired) continue
      if (link.active < link.limit) {
        link.active += 1
        link.cancelIdle?.()
        return this.#leaseOf(node, link)
      }
      if (await turn(link, signal)) return this.#leaseOf(node, link)
    }
  }

  close(): void {
    this.#isClosed = true
    for (const connection of this.#open) connection.cut()
  }

  #linkTo(node: string): Promise<Link> {
    const known = this.#links.get(node)
    if (known !== undefined) return known
    const made = this.#parts.connect(node).then((connection) => {
      const link: Link = {
        connection,
        active: 0,
        begun: 0,
        proven: 0,
        refusedInARow: 0,
        limit: this.#parts.maxSessions,
        isRetired: false,
        waiting: new Set(),
      }
      this.#open.add(connection)
      connection.onLost(() => {
        this.#open.delete(connection)
        link.cancelIdle?.()
        this.#retire(node, link)
      })
      if (this.#isClosed) connection.cut()
      return link
    })
    this.#links.set(node, made)
    made.catch(() => this.#links.delete(node))
    return made
  }

  /** Stops using a connection; waiting callers continue with a new one. */
  #retire(node: string, link: Link) {
    if (link.isRetired) return
    link.isRetired = true
    this.#links.delete(node)
    for (const answer of link.waiting) answer(false)
  }

  #leaseOf(node: string, link: Link): Lease {
    let isBegun = false
    const wasAlone = link.active === 1
    return {
      connection: link.connection,
      isHopeless: () => (link.proven === 0 ? wasAlone : link.refusedInARow > tries),
      begun() {
        isBegun = true
        link.begun += 1
        link.proven = Math.max(link.proven, link.begun)
        link.refusedInARow = 0
      },
      release: (end) => {
        if (isBegun) link.begun -= 1
        if (end === 'left') this.#retire(node, link)
        if (end !== 'refused') this.#handOver(link)
        else {
          // The server also refuses while it cleans up an ended session. A moment later it accepts as many as before.
          link.limit = Math.max(1, link.proven, Math.min(link.limit, link.active - 1))
          link.refusedInARow += 1
          this.#parts.clock.after(momentMs, () => this.#handOver(link))
        }
      },
    }
  }

  /** Gives the session of an ended lease to the caller who has waited longest. */
  #handOver(link: Link) {
    link.active -= 1
    const [next] = link.waiting
    if (next !== undefined && link.active < link.limit) {
      link.active += 1
      next(true)
    }
    if (link.active > 0) return
    if (link.isRetired) link.connection.end()
    else link.cancelIdle = this.#parts.clock.after(this.#parts.idleMs, link.connection.end)
  }
}

function turn({ waiting }: Link, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.delete(answer)
      signal.removeEventListener('abort', onAbort)
    }
    const answer = (granted: boolean) => {
      leave()
      resolve(granted)
    }
    const onAbort = () => {
      leave()
      reject(signal.reason)
    }
    waiting.add(answer)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
