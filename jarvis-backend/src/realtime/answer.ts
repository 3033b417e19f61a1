import { type ErrorBody, JarvisError, readAs } from 'protocol'
import type { Socket } from 'socket.io'
import type { z } from 'zod'
import { requireStanding, type Standing } from '../auth/roles.ts'
import type { Identity, Tokens } from '../auth/tokens.ts'

type Ack = (reply: { ok: true } | ({ ok: false } & ErrorBody)) => void

/** Requests that a socket may make in one second; more are answered `too_many_requests`. */
const perSecond = 1_000

/**
 * Wraps a handler of socket requests; the only place that acknowledges. It checks payload and role, answers every failure with a code, and never
 * throws. A result that `handle` returns synchronously is acknowledged synchronously.
 */
export function answer<Input>(
  socket: Socket,
  options: {
    schema: z.ZodType<Input>
    needs: Standing
    /** The cost of the request against the limit per second; 1 by default. */
    weight?: number
    report(error: unknown, message: string): void
    /** Takes secrets out of the message of a failure. */
    redact(text: string): string
    /** Only for a request that writes: `Database.untilFree`. */
    untilFree?(): Promise<void> | undefined
  },
  handle: (input: Input, identity: Identity) => object | Promise<object>,
) {
  return (...args: unknown[]) => {
    const last = args.at(-1)
    const reply: Ack = typeof last === 'function' ? (last as Ack) : () => {}
    const payload = typeof args[0] === 'function' ? undefined : args[0]
    const refuse = (error: unknown) => {
      const code = error instanceof JarvisError ? error.code : 'internal'
      if (code === 'internal' || code === 'storage_failed') options.report(error, 'a socket request failed')
      const message =
        error instanceof JarvisError
          ? options.redact(error.message)
          : 'Something went wrong inside JARVIS; the log says more.'
      if (code === 'forbidden') (socket.data as { refused?(why: string): void }).refused?.(message)
      reply({ ok: false, error: { code, message } })
    }
    const take = (input: Input, identity: Identity) => {
      const handled = handle(input, identity)
      if (handled instanceof Promise) handled.then((result: object) => reply({ ok: true, ...result })).catch(refuse)
      else reply({ ok: true, ...handled })
    }
    const attempt = (work: () => void) => {
      try {
        work()
      } catch (error) {
        refuse(error)
      }
    }
    attempt(() => {
      const identity = standingNow(socket)
      slowDown(socket, options.weight ?? 1)
      requireStanding(identity.person.role, options.needs)
      const read = readAs(options.schema, payload)
      if (!read.ok) throw new JarvisError('invalid_request', read.problem)
      const free = options.untilFree?.()
      if (free === undefined) return take(read.value, identity)
      // Nothing of it has begun, so it is left out where its client is gone. After too long a wait the work itself says what is wrong.
      const go = () => {
        if (socket.connected) attempt(() => take(read.value, standingNow(socket)))
      }
      free.then(go, go)
    })
  }
}

/** Returns the identity behind a socket with its present standing. @throws JarvisError `unauthorized`, `token_expired`, and ends the connection */
function standingNow(socket: Socket): Identity {
  const { again, identity } = socket.data as { again: Tokens['again']; identity: Identity }
  try {
    return again(identity)
  } catch (error) {
    // The refusal is sent first.
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
