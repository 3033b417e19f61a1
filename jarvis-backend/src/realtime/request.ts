import type { Socket } from 'socket.io'
import type { z } from 'zod'
import type { Reach } from '../auth/reach.ts'
import type { Standing } from '../auth/roles.ts'
import type { Identity } from '../auth/tokens.ts'

/**
 * One request of a Socket.IO namespace as data. From the registry of all requests come the listeners of every socket and the tables of requests in
 * `docs/api.md`. `Answers` checks and acknowledges each request.
 */
export type SocketRequest = Omit<Facts<unknown>, 'roleFor'> & {
  /** `/chat`. The first request of a namespace opens it. */
  namespace: string
  /** `chat:send` */
  event: string
  input: z.ZodType
  roleFor?(input: unknown): Standing
  handle(call: SocketCall): object | Promise<object>
}

/** The declarations of a request beside its namespace, event and input. */
type Facts<Input> = {
  /** One line of Markdown for the reference: what the request does, and the fields of its acknowledgement besides `ok`. */
  summary: string
  /** Least standing of a person, checked before the input is read. */
  role: Standing
  /** A greater standing that this input needs. */
  roleFor?(input: Input): Standing
  /** The right in the session that `sessionId` of the input names. Default: `look` for the role `viewer`, else `talk`. */
  session?: Reach
  /** True if the password is asked for again. */
  password?: true
  /** True if the request waits until the database can be written. */
  writes?: true
  /** Cost against the limit per second; default 1. */
  weight?: number
}

/** A request as a handler gets it: `input` is parsed. */
export type SocketCall<Input = unknown> = {
  input: Input
  identity: Identity
  /** The name of the caller in the journal. */
  by: string
  socket: Socket
}

/** Declares a request. */
export const socketRequest = <Input>(
  request: Facts<Input> & {
    namespace: string
    event: string
    input: z.ZodType<Input>
    handle(call: SocketCall<Input>): object | Promise<object>
  },
): SocketRequest => request as SocketRequest

/** Returns the function that declares the requests of one namespace, whose inputs and replies the protocol knows. */
export const requestsOf =
  <Inputs, Replies extends { [E in keyof Inputs]: object }>(
    namespace: string,
    inputs: { readonly [E in keyof Inputs]: z.ZodType<Inputs[E]> },
  ) =>
  <E extends keyof Inputs & string>(
    event: E,
    facts: Facts<Inputs[E]>,
    handle: (call: SocketCall<Inputs[E]>) => Replies[E] | Promise<Replies[E]>,
  ): SocketRequest =>
    socketRequest({ namespace, event, input: inputs[event], ...facts, handle })
