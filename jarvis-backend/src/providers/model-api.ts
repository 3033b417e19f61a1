import type { Effort, ModelFacts, ModelKind } from 'protocol'
import type { Model } from '../agent/model.ts'
import type { Learned } from './learned.ts'

/** A server that answers for models. */
export type ModelServer = {
  /** The provider's name, the first part of its models' ids. */
  provider: string
  kind: ModelKind
  apiKey?: string
  /** Default: the API's `address`. */
  baseUrl?: string
  /** Headers that are sent with each request. */
  headers?: Readonly<Record<string, string>>
  /** The reason why nothing can be sent: a variable of the key or of a header has no value. A sentence. */
  unfilled?: string
}

/** The server and name of a model, which stay the same if its provider is renamed. */
export type ServedPlace = Pick<ModelServer, 'kind' | 'baseUrl'> & { model: string }
/** A configured model: a model of a server, or the demo model. */
export type ConfiguredModel = (ModelServer & { model: string }) | { provider: 'demo'; kind: 'demo' }
export const isServed = (model: ConfiguredModel): model is ModelServer & { model: string } => model.kind !== 'demo'

/** The settings of one model. */
export type ModelOptions = {
  /** The provider's name, the first part of the model's id. */
  name: string
  model: string
  /** Optional, because servers on the local network may need no key. */
  apiKey?: string
  /** Default: the API's `address`. */
  baseUrl?: string
  /** Headers that are sent with each request. */
  headers?: Readonly<Record<string, string>>
  /** Maximum length of an answer, tokens. Default: that of the API or the server. */
  maxTokens?: number
  /** Effort for requests that set none. Absent: such a request is sent without an effort. */
  effort?: Effort
  /** Maximum time without a byte, ms. Default: that of the API. */
  idleTimeoutMs?: number
  /** The parts of requests that the server refused before. Absent: they are kept in memory only. */
  learned?: Learned
  /**
   * Returns true if the server says that the model takes pictures, and false if it says that the model takes none. Absent or undefined: not known.
   */
  sees?: () => boolean | undefined
}

export type ListedModel = { id: string; facts: ModelFacts }

/**
 * The answer of a server that did not give the requested models. `unknown_model`: the server has no model of the requested name. `refused`: the
 * server refused for a reason other than the key; `text` has its message. `unsure`: the answer allows no conclusion; `why` says what came.
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
  /** Creates a model. Sends nothing: the first request goes out when the model is first asked. */
  model(options: ModelOptions): Model
  /** The headers that carry the key. @param host of the server that is asked, without a port */
  keyHeaders(apiKey: string, host: string): Record<string, string>
  /** Lists a server's models. It must cost nothing. @throws only the signal's reason */
  list(server: AskedServer): Promise<Listing>
  /** Looks up one model by its name, if the API has an address for that. The request must cost nothing. @throws only the signal's reason */
  find?(server: AskedServer, model: string): Promise<Answered | NotListed>
  /** The path at which servers usually have this API. It is suggested if an address without a path does not answer. */
  readonly usualPath?: string
  /** Ollama, LM Studio and llama.cpp speak this API, so a server on the own network is also asked at the addresses of these three programs. */
  readonly isOfLocalServers?: true
}

/** The header that carries a key with most APIs. */
export const bearer = (apiKey: string): Record<string, string> => ({ authorization: `Bearer ${apiKey}` })
