import { Value } from '../lib/value.ts'
import { retryDelayMs, type Sockets } from './sockets.ts'

export type Link =
  | { status: 'live'; since: number }
  /** `connecting`: until the first connection. `retryAt`: when the next attempt starts, Unix ms; undefined during an attempt. */
  | { status: 'connecting' | 'lost'; since: number; retryAt?: number }

/** True while messages reach the server, or will in a moment, because the first attempt to connect goes on. */
export const takesMessages = (link: Link): boolean =>
  link.status === 'live' || (link.status === 'connecting' && link.retryAt === undefined)

/** Delay, ms, before a namespace that the server closed is opened again. */
const againAfterMs = 1_000

/**
 * `silentMs`: a live connection receives something within this time, because the server pings every 25 s. `proofMs`: time in which a connection that
 * was silent for less must answer a ping.
 */
const patience = { silentMs: 30_000, proofMs: 2_000 }

/** Watches the connection. `onSignedOut` is called when the server no longer accepts the token. */
export function watchLink(
  { manager, chat, cluster, events }: Sockets,
  onSignedOut: () => void,
  { silentMs, proofMs } = patience,
) {
  const sockets = [chat, cluster, events]
  const link = new Value<Link>({ status: 'connecting', since: Date.now() })
  const lost = (retryAt?: number) => {
    const now = link.get()
    const status = now.status === 'live' ? 'lost' : now.status
    const since = now.status === 'live' ? Date.now() : now.since
    link.set({ status, since, retryAt })
  }
  /** True if a person is signed in, so that the connection should be open. */
  let isWanted = false
  const connectLater = (socket: (typeof sockets)[number], afterMs: number) => {
    setTimeout(() => {
      if (isWanted) socket.connect()
    }, afterMs)
  }
  let heardAt = Date.now()
  const hear = () => {
    heardAt = Date.now()
  }
  manager.on('packet', hear)
  manager.on('ping', hear)
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
      // The server closed this socket on purpose. Connect again: the handshake decides if this person is still accepted.
      if (reason === 'io server disconnect') connectLater(socket, againAfterMs)
    })
    socket.on('connect_error', (error: Error & { data?: { code?: string } }) => {
      const code = error.data?.code
      if (code === 'unauthorized' || code === 'token_expired') onSignedOut()
      else if (code !== undefined) connectLater(socket, retryDelayMs.most)
    })
  }
  const renew = () => {
    // Close all sockets before one reopens: the last to close ends the connection and its pending retry.
    for (const socket of sockets) socket.disconnect()
    lost()
    for (const socket of sockets) socket.connect()
  }
  const tryNow = () => {
    if (isWanted && link.get().status !== 'live') renew()
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
    /** Tries to connect at once instead of waiting for the next attempt. */
    tryNow,
    /** Call after sleep or a change of network. Retries a lost connection at once, and replaces a connection that died unnoticed. */
    check() {
      const { id } = chat
      if (id === undefined) return tryNow()
      if (Date.now() - heardAt > silentMs) return renew()
      chat.timeout(proofMs).emit('chat:ping', {}, (failure) => {
        if (failure !== null && chat.id === id) renew()
      })
    },
  }
}
