import type { Clock } from '../../lib/clock.ts'
import type { Connection } from './connect.ts'

/**
 * `over`: the session ended on the server too. `left`: it may still run there, so the connection gets no new sessions. `refused`: the
 * server accepts no more sessions, so fewer are opened from now on.
 */
export type SessionEnd = 'over' | 'left' | 'refused'

/** The right to open one session on a connection. */
export type Lease = {
  connection: Connection
  /** The server has refused too often to try again. */
  isHopeless(): boolean
  /** Call it when the server has opened the session. */
  begun(): void
  /** Call it once. */
  release(end: SessionEnd): void
}

export type Pool = {
  /** Waits for a free session, in order of arrival. @throws what connecting throws, the signal's reason */
  lease(node: string, signal: AbortSignal): Promise<Lease>
  /** Ends every connection at once. */
  close(): void
}

type Link = {
  connection: Connection
  active: number
  /** `begun`: active sessions that the server has opened; `proven`: the most there ever were. */
  begun: number
  proven: number
  refusedInARow: number
  limit: number
  isRetired: boolean
  /** Called with `true` to hand over a session, with `false` when the connection gets no new ones. */
  waiting: Set<(granted: boolean) => void>
  cancelIdle?: () => void
}

const momentMs = 50
const tries = 40

/** Shares one connection per node among its commands; opened when needed and ended after `idleMs`. */
export function createPool(parts: {
  connect(node: string): Promise<Connection>
  clock: Clock
  idleMs: number
  /** Most sessions on one connection; fewer where a server refuses. */
  maxSessions: number
}): Pool {
  const { clock, idleMs } = parts
  const links = new Map<string, Promise<Link>>()
  const open = new Set<Connection>()
  let isClosed = false

  function linkTo(node: string): Promise<Link> {
    const known = links.get(node)
    if (known !== undefined) return known
    const made = parts.connect(node).then((connection) => {
      const link: Link = {
        connection,
        active: 0,
        begun: 0,
        proven: 0,
        refusedInARow: 0,
        limit: parts.maxSessions,
        isRetired: false,
        waiting: new Set(),
      }
      open.add(connection)
      connection.onLost(() => {
        open.delete(connection)
        link.cancelIdle?.()
        retire(node, link)
      })
      if (isClosed) connection.cut()
      return link
    })
    links.set(node, made)
    made.catch(() => links.delete(node))
    return made
  }

  /** Stops using a connection; waiting callers continue with a new one. */
  function retire(node: string, link: Link) {
    if (link.isRetired) return
    link.isRetired = true
    links.delete(node)
    for (const answer of link.waiting) answer(false)
  }

  const leaseOf = (node: string, link: Link): Lease => {
    let isBegun = false
    const wasAlone = link.active === 1
    const handOver = () => {
      link.active -= 1
      const [next] = link.waiting
      if (next !== undefined && link.active < link.limit) {
        link.active += 1
        next(true)
      }
      if (link.active > 0) return
      if (link.isRetired) link.connection.end()
      else link.cancelIdle = clock.after(idleMs, link.connection.end)
    }
    return {
      connection: link.connection,
      isHopeless: () => (link.proven === 0 ? wasAlone : link.refusedInARow > tries),
      begun() {
        isBegun = true
        link.begun += 1
        link.proven = Math.max(link.proven, link.begun)
        link.refusedInARow = 0
      },
      release(end) {
        if (isBegun) link.begun -= 1
        if (end === 'left') retire(node, link)
        if (end !== 'refused') handOver()
        else {
          // The server also refuses while it cleans up an ended session, and accepts as many as before a moment later.
          link.limit = Math.max(1, link.proven, Math.min(link.limit, link.active - 1))
          link.refusedInARow += 1
          clock.after(momentMs, handOver)
        }
      },
    }
  }

  return {
    async lease(node, signal) {
      for (;;) {
        signal.throwIfAborted()
        const link = await unlessAborted(linkTo(node), signal)
        if (link.connection.isLost()) retire(node, link)
        if (link.isRetired) continue
        if (link.active < link.limit) {
          link.active += 1
          link.cancelIdle?.()
          return leaseOf(node, link)
        }
        if (await turn(link, signal)) return leaseOf(node, link)
      }
    },
    close() {
      isClosed = true
      for (const connection of open) connection.cut()
    },
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
