import type { Server as HttpServer, IncomingMessage } from 'node:http'
import { JarvisError } from 'protocol'
import { type Namespace, Server, type Socket } from 'socket.io'
import type { RequestGuard } from '../auth/request-guard.ts'
import type { SessionCookie } from '../auth/session-cookie.ts'
import type { Identity, Tokens } from '../auth/tokens.ts'
import { identityOf } from './answer.ts'
import { boundPending, idOf } from './pending.ts'

/** Time from the connection to its first token, ms. */
const connectWithinMs = 10_000
/** How soon a change that another process made, such as the command line, ends a connection, ms. */
const lookEveryMs = 5_000
/** Longest delay that `setTimeout` takes, ms. */
const longestMs = 2 ** 31 - 1

export type Realtime = {
  io: Server
  /** Opens a namespace that only sockets with a valid token can enter. */
  namespace(name: string): Namespace
  /** Drops the sockets of a token that was revoked. */
  drop(identity: Identity): void
  /** Drops every socket. */
  dropAll(): void
  /** Drops the sockets whose holder counts no longer, or stands otherwise than when they connected. */
  look(): void
  close(): Promise<void>
}

/** Makes the Socket.IO server. @param networkOf key that connections without a token are counted by @param refused is told of what somebody may not do */
export function createRealtime(
  http: HttpServer,
  tokens: Tokens,
  guard: RequestGuard,
  cookie: Pick<SessionCookie, 'read'>,
  networkOf: (request: IncomingMessage) => string,
  refused: (request: IncomingMessage, by: string, door: string, why: string) => void,
): Realtime {
  const io = new Server(http, {
    serveClient: false,
    connectTimeout: connectWithinMs,
    perMessageDeflate: false,
    allowRequest(request, done) {
      const isAllowed = guard(request)
      done(isAllowed ? null : guard.why(request), isAllowed)
    },
  })
  const release = boundPending(io, http, networkOf)
  const guarded: Namespace[] = []

  function authenticate(socket: Socket, next: (error?: Error & { data?: unknown }) => void) {
    try {
      const { token } = socket.handshake.auth as { token?: unknown }
      const given = typeof token === 'string' ? token : ''
      const identity = tokens.verify(given === '' ? (cookie.read(socket.request) ?? '') : given)
      const tell = (why: string) => refused(socket.request, identity.sub, socket.nsp.name, why)
      Object.assign(socket.data as object, {
        identity,
        refused: tell,
        again: (identity: Identity) => tokens.again(identity),
      })
      release(idOf(socket.conn))
      next()
    } catch (error) {
      const { code, message } =
        error instanceof JarvisError ? error : new JarvisError('unauthorized', 'Sign in first.', { cause: error })
      next(Object.assign(new Error(message), { data: { code, message } }))
    }
  }

  const open = (name: string) => {
    const namespace = io.of(name)
    guarded.push(namespace)
    namespace.use(authenticate)
    namespace.on('connection', (socket) => {
      const { exp, tokenHash } = identityOf(socket)
      void socket.join(roomOf(tokenHash))
      const expiry = setTimeout(
        () => socket.disconnect(true),
        Math.min(longestMs, Math.max(0, exp * 1000 - Date.now())),
      )
      expiry.unref()
      socket.on('disconnect', () => clearTimeout(expiry))
      // An error event without a listener would end the process.
      socket.on('error', () => socket.disconnect(true))
    })
    return namespace
  }
  function look() {
    for (const namespace of guarded) {
      for (const socket of namespace.sockets.values()) if (!standsAsBefore(socket, tokens)) socket.disconnect(true)
    }
  }
  const looking = setInterval(look, lookEveryMs).unref()
  // The default namespace serves nothing, but it too requires a token.
  open('/')

  return {
    io,
    namespace: open,
    drop({ tokenHash }) {
      for (const namespace of guarded) namespace.in(roomOf(tokenHash)).disconnectSockets(true)
    },
    dropAll() {
      for (const namespace of guarded) namespace.disconnectSockets(true)
    },
    look,
    close() {
      clearInterval(looking)
      return io.close()
    },
  }
}

function standsAsBefore(socket: Socket, tokens: Pick<Tokens, 'again'>): boolean {
  const identity = identityOf(socket)
  try {
    return tokens.again(identity).person.role === identity.person.role
  } catch {
    return false
  }
}

const roomOf = (tokenHash: string) => `token:${tokenHash}`
