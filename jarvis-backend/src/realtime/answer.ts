import { type ErrorBody, JarvisError, readAs } from 'protocol'
import type { Socket } from 'socket.io'
import type { SessionReach } from '../auth/reach.ts'
import { requireStanding } from '../auth/roles.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { Identity, Tokens } from '../auth/tokens.ts'
import type { SocketRequest } from './request.ts'

type Ack = (reply: { ok: true } | ({ ok: false } & ErrorBody)) => void

/** Maximum number of requests per second on a socket; further requests are answered with `too_many_requests`. */
const perSecond = 1_000

/** The parts that the checks of a request need. */
export type AnswersNeeds = {
  reach: Pick<SessionReach, 'require'>
  stepUp: Pick<StepUp, 'require'>
  /** The same as `Database.untilFree`. */
  untilFree(): Promise<void> | undefined
  report(error: unknown, message: string): void
  /** Removes secrets from the message of a failure. */
  redact(text: string): string
}

/**
 * Checks the requests of sockets and acknowledges them. No other code acknowledges a request. The order of the checks is: token, limit per second,
 * role, input, right in the session, role for this input, password. Every failure is answered with a code.
 */
export class Answers {
  readonly #needs: AnswersNeeds

  constructor(needs: AnswersNeeds) {
    this.#needs = needs
  }

  /** Answers a request on a socket from now on. A reply that the handler returns synchronously is acknowledged synchronously. */
  listen(socket: Socket, request: SocketRequest): void {
    socket.on(request.event, (...args: unknown[]) => {
      const last = args.at(-1)
      const reply: Ack = typeof last === 'function' ? (last as Ack) : () => {}
      const payload = typeof args[0] === 'function' ? undefined : args[0]
      this.#attempt(socket, reply, () => this.#answer(socket, request, { payload, reply }))
    })
  }

  #answer(socket: Socket, request: SocketRequest, { payload, reply }: { payload: unknown; reply: Ack }): void {
    const identity = standingNow(socket)
    slowDown(socket, request.weight ?? 1)
    requireStanding(identity.person.role, request.role)
    const read = readAs(request.input, payload)
    if (!read.ok) throw new JarvisError('invalid_request', read.problem)
    const take = (identity: Identity) => {
      this.#admit(request, read.value, identity)
      const handled = request.handle({ input: read.value, identity, by: identity.sub, socket })
      if (handled instanceof Promise)
        handled
          .then((result: object) => reply({ ok: true, ...result }))
          .catch((error: unknown) => this.#refuse(socket, reply, error))
      else reply({ ok: true, ...handled })
    }
    const free = request.writes === true ? this.#needs.untilFree() : undefined
    if (free === undefined) {
      take(identity)
      return
    }
    // The request has not begun, so it is dropped if its client has disconnected. If the wait for the database fails, the handler runs and reports
    // the reason.
    const go = () => {
      if (socket.connected) this.#attempt(socket, reply, () => take(standingNow(socket)))
    }
    free.then(go, go)
  }

  /** The checks that need the parsed input. */
  #admit(request: SocketRequest, input: unknown, identity: Identity): void {
    const { sessionId } = input as { sessionId?: string }
    const needed = request.session ?? (request.role === 'viewer' ? 'look' : 'talk')
    if (sessionId !== undefined) this.#needs.reach.require(identity.person, sessionId, needed)
    if (request.roleFor !== undefined) requireStanding(identity.person.role, request.roleFor(input))
    if (request.password === true) this.#needs.stepUp.require(identity)
  }

  #attempt(socket: Socket, reply: Ack, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#refuse(socket, reply, error)
    }
  }

  #refuse(socket: Socket, reply: Ack, error: unknown): void {
    const code = error instanceof JarvisError ? error.code : 'internal'
    if (code === 'internal' || code === 'storage_failed') this.#needs.report(error, 'a socket request failed')
    const message =
      error instanceof JarvisError
        ? this.#needs.redact(error.message)
        : 'Something went wrong inside JARVIS; the log says more.'
    if (code === 'forbidden') (socket.data as { refused?(why: string): void }).refused?.(message)
    reply({ ok: false, error: { code, message } })
  }
}

/** Returns the identity of a socket with its present role. @throws JarvisError `unauthorized`, `token_expired`; the connection is then closed */
function standingNow(socket: Socket): Identity {
  const { again, identity } = socket.data as { again: Tokens['again']; identity: Identity }
  try {
    return again(identity)
  } catch (error) {
    // The refusal must be sent before the connection is closed.
    setImmediate(() => socket.disconnect(true))
    throw error
  }
}

export const identityOf = (socket: Socket): Identity => (socket.data as { identity: Identity }).identity

function slowDown(socket: Socket, weight: number) {
  const data = socket.data as { second?: number; requests?: number }
  const second = Math.floor(Date.now() / 1000)
  data.requests = (data.second === second ? (data.requests ?? 0) : 0) + weight
  data.second = second
  if (data.requests > perSecond) {
    throw new JarvisError('too_many_requests', `More than ${perSecond} requests in a second. Slow down.`, {
      retryAfterS: 1,
    })
  }
}
