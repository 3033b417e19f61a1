import type { Socket } from 'socket.io'
import type { z } from 'zod'
import type { Reach } from '../auth/reach.ts'
import type { Standing } from '../auth/roles.ts'
import type { Identity } from '../auth/tokens.ts'

/**
 * The data of one request of a Socket.IO namespace. The list of all requests provides the listeners of every socket, and the tables of requests in
 * `docs/api.md`. `Answers` checks and acknowledges each request.
 */
export type SocketRequest = Omit<Facts<unknown>, 'roleFor'> & {
  /** The namespace, such as `/chat`. It is opened when its first request is registered. */
  namespace: string
  /** The event, such as `chat:send`. */
  event: string
  input: z.ZodType
  roleFor?(input: unknown): Standing
  handle(call: SocketCall): object | Promise<object>
}

/** The declarations of a request other than its namespace, event and input. */
type Facts<Input> = {
  /** One line of Markdown for the reference: the effect of the request, and the fields of its acknowledgement other than `ok`. */
  summary: string
  /** Minimum role of a person, checked before the input is read. */
  role: Standing
  /** Returns a higher minimum role if this input needs one. */
  roleFor?(input: Input): Standing
  /** The right that is needed in the session that the input's `sessionId` names. Default: `look` for the role `viewer`, otherwise `talk`. */
  session?: Reach
  /** True if the person must enter the password again. */
  password?: true
  /** True if the request waits until the database can be written. */
  writes?: true
  /** Cost against the limit per second; default 1. */
  weight?: number
}

/** A request in the form for its handler: `input` is parsed. */
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

/** Returns a function that declares the requests of one namespace. Their inputs and replies are defined in the protocol. */
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
