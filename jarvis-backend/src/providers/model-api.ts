import type { Effort, ModelFacts, ModelKind } from 'protocol'
import type { Model } from '../agent/model.ts'
import type { Learned } from './learned.ts'

/** A server that answers for models. */
export type ModelServer = {
  /** The provider's name, the first part of its models' ids. */
  provider: string
  kind: ModelKind
  apiKey?: string
  /** Default: `address` of the API. */
  baseUrl?: string
  /** Sent with each request. */
  headers?: Readonly<Record<string, string>>
}

/** The settings of one model. */
export type ModelOptions = {
  /** The provider's name, the first part of the model's id. */
  name: string
  model: string
  /** Servers on the local network may need none. */
  apiKey?: string
  /** Default: `address` of the API. */
  baseUrl?: string
  /** Sent with each request. */
  headers?: Readonly<Record<string, string>>
  /** Default: the API's or the server's. */
  maxTokens?: number
  /** Effort for requests without one. Absent: the request leaves it out too. */
  effort?: Effort
  /** Longest time without a byte, ms. Default: the API's. */
  idleTimeoutMs?: number
  /** What the server refused before. Absent: it is forgotten with the process. */
  learned?: Learned
  /** What the server says of the model's sight. Absent or undefined: not known. */
  sees?: () => boolean | undefined
}

export type ListedModel = { id: string; facts: ModelFacts }

/**
 * What a server answered instead of the models that it was asked for. `unknown_model`: it has no model of the name that was asked for.
 * `refused`: it refused for another reason than the key; `text` has its words. `unsure`: its answer does not tell.
 */
export type NotListed =
  | { kind: 'key_refused' }
  | { kind: 'unknown_model'; models: string[] }
  | { kind: 'refused'; text: string }
  | { kind: 'unsure'; why: string }
  | { kind: 'unreachable'; why: string }
export type Listing = { kind: 'listed'; models: ListedModel[] } | NotListed

export type Answered = { status: number; body: unknown }

/** A server while it is asked about its models. */
export type AskedServer = {
  /** The server's address without a slash at its end. */
  address: string
  apiKey?: string
  /**
   * Requests JSON from the server, with its headers and its key. Sends `body` with POST; without `body` it sends GET. `hasKey: false` leaves
   * the key out. @throws only the signal's reason
   */
  ask(
    url: string,
    how?: { body?: object; headers?: Readonly<Record<string, string>>; hasKey?: boolean },
  ): Promise<Answered | NotListed>
}

/** An API that servers of models speak. `model-apis.ts` lists them. */
export interface ModelApi {
  /** The address of the service that defined the API, without a slash at its end. */
  readonly address: string
  /** Makes a model. Sends nothing: the server is first asked when the model answers. */
  model(options: ModelOptions): Model
  /** The headers that carry the key. @param host of the server that is asked, without a port */
  keyHeaders(apiKey: string, host: string): Record<string, string>
  /** Lists a server's models. It must cost nothing. @throws only the signal's reason */
  list(server: AskedServer): Promise<Listing>
  /** Asks for one model by its name, if the API has an address for that. It must cost nothing. @throws only the signal's reason */
  find?(server: AskedServer, model: string): Promise<Answered | NotListed>
  /** The path at which servers usually have this API. It is suggested if an address without a path does not answer. */
  readonly usualPath?: string
  /** Ollama, LM Studio and llama.cpp speak it, so a server on the own network is also asked at the addresses of these three programs. */
  readonly isOfLocalServers?: true
}

/** The header that carries a key with most APIs. */
export const bearer = (apiKey: string): Record<string, string> => ({ authorization: `Bearer ${apiKey}` })
