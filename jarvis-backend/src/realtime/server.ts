import type { Server as HttpServer, IncomingMessage } from 'node:http'
import { JarvisError } from 'protocol'
import { type Namespace, Server, type Socket } from 'socket.io'
import type { RequestGuard } from '../auth/request-guard.ts'
import type { SessionCookie } from '../auth/session-cookie.ts'
import type { Identity, Tokens } from '../auth/tokens.ts'
import { type Answers, identityOf } from './answer.ts'
import { boundPending, idOf } from './pending.ts'
import type { SocketRequest } from './request.ts'

/** Most sockets of one person, over all namespaces. A page has at most five. */
const mostSockets = 500
/** Engine.IO's code for a connection that the last process knew. Every restart has some. */
const unknownConnection = 1
/** Time from the connection to its first token, ms. */
const connectWithinMs = 10_000
/** Interval at which connections are checked, ms. A change by another process, such as the CLI, ends a connection within this time. */
const lookEveryMs = 5_000
/** Maximum delay of `setTimeout`, ms. */
const longestMs = 2 ** 31 - 1

/** The parts that the Socket.IO server needs. */
export type RealtimeNeeds = {
  http: HttpServer
  tokens: Tokens
  guard: RequestGuard
  cookie: Pick<SessionCookie, 'read'>
  /** Returns the key by which connections without a token are counted. */
  networkOf(request: IncomingMessage): string
  /** Journals that a request was refused for lack of rights. */
  refused(request: IncomingMessage, refusal: { by: string; door: string; why: string }): void
  /** Logs that a socket was refused because its person has too many. */
  limited(request: IncomingMessage, refusal: { by: string; door: string; why: string }): void
  /** Writes a line about a socket's fault to the log, each kind at most once a minute. */
  faulted(what: string): void
}

/** The Socket.IO server. Only sockets with a valid token enter its namespaces, and a socket ends with its token. */
export class Realtime {
  readonly io: Server
  readonly #needs: RealtimeNeeds
  readonly #namespaces = new Map<string, Namespace>()
  readonly #looking: NodeJS.Timeout
  /** Ends the limits of a connection, by id, once it has shown a token. */
  readonly #release: (id: string) => void

  constructor(needs: RealtimeNeeds) {
    const { http, guard } = needs
    this.#needs = needs
    this.io = new Server(http, {
      serveClient: false,
      connectTimeout: connectWithinMs,
      perMessageDeflate: false,
      allowRequest(request, done) {
        const isAllowed = guard(request)
        done(isAllowed ? null : guard.why(request), isAllowed)
      },
    })
    this.io.engine.on('connection_error', ({ code, message }: { code: number; message: string }) => {
      if (code !== unknownConnection) needs.faulted(`A socket was refused: ${message}.`)
    })
    this.#release = boundPending(this.io, http, (request) => needs.networkOf(request))
    this.#looking = setInterval(() => this.look(), lookEveryMs).unref()
    // The default namespace serves nothing, but it too requires a token.
    this.namespace('/')
  }

  /** Returns a namespace that only sockets with a valid token can enter. Opens it at the first call. */
  namespace(name: string): Namespace {
    const opened = this.#namespaces.get(name)
    if (opened !== undefined) return opened
    const namespace = this.io.of(name)
    this.#namespaces.set(name, namespace)
    namespace.use((socket, next) => this.#authenticate(socket, next))
    namespace.on('connection', (socket) => endWithToken(socket, this.#needs.faulted))
    return namespace
  }

  /** The names of all namespaces that Socket.IO serves. */
  names(): string[] {
    return [...this.io._nsps.keys()]
  }

  /** From now on, answers the requests on every socket of their namespaces. */
  serve(requests: readonly SocketRequest[], answers: Answers): void {
    for (const name of new Set(requests.map(({ namespace }) => namespace))) {
      const own = requests.filter(({ namespace }) => namespace === name)
      this.namespace(name).on('connection', (socket) => {
        for (const request of own) answers.listen(socket, request)
      })
    }
  }

  /** Disconnects the sockets of a revoked token. */
  drop({ tokenHash }: Identity): void {
    for (const namespace of this.#namespaces.values()) namespace.in(roomOf(tokenHash)).disconnectSockets(true)
  }

  /** Disconnects the sockets whose person may no longer sign in, or whose role differs from the one at connect. */
  look(): void {
    for (const { sockets } of this.#namespaces.values())
      for (const socket of sockets.values()) if (!standsAsBefore(socket, this.#needs.tokens)) socket.disconnect(true)
  }

  close(): Promise<void> {
    clearInterval(this.#looking)
    return this.io.close()
  }

  /** @throws JarvisError `too_many_requests` if the person has all sockets that one person may have */
  #requireRoom(socket: Socket, { sub, person }: Identity): void {
    let count = 0
    for (const { sockets } of this.#namespaces.values())
      for (const other of sockets.values()) if (identityOf(other).person.id === person.id) count += 1
    if (count < mostSockets) return
    const why = `You have ${mostSockets} connections open, which is all that one person may have. Close some pages.`
    this.#needs.limited(socket.request, { by: sub, door: socket.nsp.name, why })
    throw new JarvisError('too_many_requests', why)
  }

  #authenticate(socket: Socket, next: (error?: Error & { data?: unknown }) => void): void {
    const { tokens, cookie, refused } = this.#needs
    try {
      const { token } = socket.handshake.auth as { token?: unknown }
      const given = typeof token === 'string' ? token : ''
      const identity = tokens.verify(given === '' ? (cookie.read(socket.request) ?? '') : given)
      this.#requireRoom(socket, identity)
      const tell = (why: string) => refused(socket.request, { by: identity.sub, door: socket.nsp.name, why })
      Object.assign(socket.data as object, {
        identity,
        refused: tell,
        again: (identity: Identity) => tokens.again(identity),
      })
      this.#release(idOf(socket.conn))
      next()
    } catch (error) {
      const { code, message } =
        error instanceof JarvisError ? error : new JarvisError('unauthorized', 'Sign in first.', { cause: error })
      next(Object.assign(new Error(message), { data: { code, message } }))
    }
  }
}

/** Disconnects a socket when its token expires. */
function endWithToken(socket: Socket, faulted: RealtimeNeeds['faulted']): void {
  const { exp, tokenHash } = identityOf(socket)
  void socket.join(roomOf(tokenHash))
  const leftMs = Math.min(longestMs, Math.max(0, exp * 1000 - Date.now()))
  const expiry = setTimeout(() => socket.disconnect(true), leftMs)
  expiry.unref()
  socket.on('disconnect', () => clearTimeout(expiry))
  // Without a listener, an error event would end the process.
  socket.on('error', (error: Error) => {
    faulted(`A socket of ${identityOf(socket).sub} failed: ${error.message}`)
    socket.disconnect(true)
  })
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
