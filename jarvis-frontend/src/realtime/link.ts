import { Value } from '../lib/value.ts'
import { retryDelayMs, type Sockets } from './sockets.ts'

export type Link =
  | { status: 'connecting'; since: number }
  | { status: 'live'; since: number }
  /** `retryAt`: when the next try starts; absent while one is under way. */
  | { status: 'lost'; since: number; retryAt?: number }

/** Watches the connection. `onSignedOut` is called when the server takes the token no more. */
export function watchLink({ manager, chat, cluster, events }: Sockets, onSignedOut: () => void) {
  const link = new Value<Link>({ status: 'connecting', since: Date.now() })
  const lost = (retryAt?: number) => {
    const now = link.get()
    const since = now.status === 'live' ? Date.now() : now.since
    link.set(retryAt === undefined ? { status: 'lost', since } : { status: 'lost', since, retryAt })
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
  for (const socket of [chat, cluster, events]) {
    socket.on('disconnect', (reason) => {
      // The server closed this one on purpose: the handshake decides whether we may come back.
      if (reason === 'io server disconnect') setTimeout(() => socket.connect(), retryDelayMs.first)
    })
    socket.on('connect_error', (error: Error & { data?: { code?: string } }) => {
      const code = error.data?.code
      if (code === 'unauthorized' || code === 'token_expired') onSignedOut()
      else if (code !== undefined) setTimeout(() => socket.connect(), retryDelayMs.most)
    })
  }

  return {
    value: link,
    connect() {
      for (const socket of [chat, cluster, events]) socket.connect()
    },
    disconnect() {
      for (const socket of [chat, cluster, events]) socket.disconnect()
    },
    /** Tries again at once instead of waiting for the next turn. */
    tryNow() {
      if (link.get().status === 'live') return
      for (const socket of [chat, cluster, events]) socket.disconnect().connect()
    },
  }
}

export type LinkWatch = ReturnType<typeof watchLink>
