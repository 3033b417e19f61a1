import { Value } from '../lib/value.ts'
import { retryDelayMs, type Sockets } from './sockets.ts'

export type Link =
  | { status: 'live'; since: number }
  /** `connecting` until it was live once. `retryAt`: when the next try starts; absent while one is under way. */
  | { status: 'connecting' | 'lost'; since: number; retryAt?: number }

/** Watches the connection. `onSignedOut` is called when the server takes the token no more. */
export function watchLink({ manager, chat, cluster, events }: Sockets, onSignedOut: () => void) {
  const sockets = [chat, cluster, events]
  const link = new Value<Link>({ status: 'connecting', since: Date.now() })
  const lost = (retryAt?: number) => {
    const now = link.get()
    const status = now.status === 'live' ? 'lost' : now.status
    const since = now.status === 'live' ? Date.now() : now.since
    link.set({ status, since, ...(retryAt !== undefined && { retryAt }) })
  }
  /** Between sign-in and sign-out. */
  let isWanted = false
  const connectLater = (socket: (typeof sockets)[number], afterMs: number) => {
    setTimeout(() => {
      if (isWanted) socket.connect()
    }, afterMs)
  }
  let attempt = 0
  const nextDelay = () => Math.min(retryDelayMs.most, retryDelayMs.first * 2 ** attempt)

  chat.on('connect', () => {
    attempt = 0
    link.set({ status: 'live', since: Date.now() })
  })
  chat.on('disconnect', () => lost(Date.now() + nextDelay()))
  manager.on('reconnect_attempt', () => lost())
  manager.on('reconnect_error', () => {
    attempt += 1
    lost(Date.now() + nextDelay())
  })
  manager.on('error', () => {
    if (link.get().status !== 'live') lost(Date.now() + nextDelay())
  })
  for (const socket of sockets) {
    socket.on('disconnect', (reason) => {
      // The server closed this one on purpose: the handshake decides whether we may come back.
      if (reason === 'io server disconnect') connectLater(socket, retryDelayMs.first)
    })
    socket.on('connect_error', (error: Error & { data?: { code?: string } }) => {
      const code = error.data?.code
      if (code === 'unauthorized' || code === 'token_expired') onSignedOut()
      else if (code !== undefined) connectLater(socket, retryDelayMs.most)
    })
  }

  return {
    value: link,
    connect() {
      isWanted = true
      link.set({ status: 'connecting', since: Date.now() })
      for (const socket of sockets) socket.connect()
    },
    disconnect() {
      isWanted = false
      for (const socket of sockets) socket.disconnect()
    },
    /** Tries again at once instead of waiting for the next turn. */
    tryNow() {
      if (link.get().status === 'live') return
      for (const socket of sockets) socket.disconnect().connect()
    },
  }
}

export type LinkWatch = ReturnType<typeof watchLink>
