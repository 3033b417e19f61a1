import type { Content, Effort, ImageType, TurnStop, Usage } from 'protocol'

export type ToolSpec = { name: string; description: string; inputSchema: Record<string, unknown> }

/**
 * One user message or model turn of the conversation, in an order that every provider accepts: each tool call of an `assistant` message is answered
 * in the `user` message right after it. Results come first, in the order of the calls. `images`: pictures that a person attached; `text` names each
 * of them.
 */
export type Message =
  | { role: 'user'; results: ToolResult[]; text: string; context?: string; images?: readonly ModelImage[] }
  /** `model`: undefined for a turn that no model made. `suggestions` and `isAsked`: as of `Turn`. */
  | { role: 'assistant'; content: Content[]; model?: string; suggestions?: readonly string[]; isAsked?: true }

/** The result of one call. `text` is never empty and names each of the images, because a provider that takes no images leaves them out. */
export type ToolResult = {
  toolUseId: string
  toolName: string
  text: string
  isError: boolean
  images?: readonly ModelImage[]
}
/** A picture. `id`: its id in its session. */
export type ModelImage = { mimeType: ImageType; data: Buffer; id?: string }

/**
 * The requested format of an answer: any JSON object, or an object that matches a JSON Schema. `isStrict`: the provider enforces the schema as far
 * as it can.
 */
export type AnswerFormat =
  | { type: 'json_object' }
  | { type: 'json_schema'; name: string; schema: Record<string, unknown>; isStrict?: true }

/** The tool that a model must call: any tool, or the tool with this name. */
export type ToolChoice = 'any' | { name: string }

export type ModelRequest = {
  /** The system prompt. It stays the same over a session, because the provider caches it as the prefix. */
  system: string
  messages: Message[]
  /** Empty for the last call at the turn limit: the provider must then make the model answer in text. */
  tools: readonly ToolSpec[]
  /** The effort with which the model thinks; undefined: the model’s configured effort. */
  effort?: Effort
  /** 0 to 2. Not sent to a model that does not accept a temperature. */
  temperature?: number
  /** False: the tools are declared only because earlier messages contain calls of them, and must not be called now. */
  mayCallTools: boolean
  /** The tool that the reply must call. Ignored if `mayCallTools` is false. */
  toolChoice?: ToolChoice
  /** The requested format of the reply’s text: one of the model’s `formats`. */
  format?: AnswerFormat
  /** True: text that was streamed to the receiver cannot be withdrawn, so text that may be thinking is not streamed as text. */
  isFinal?: true
  /** Maximum tokens of the reply, thinking included; undefined: the maximum of the model’s settings. */
  maxOutputTokens?: number
}

/** Receives a reply while it streams; called synchronously for each delta. */
export type ModelSink = {
  text(delta: string): void
  thinking(delta: string): void
  /** Reports that all text streamed so far was thinking. */
  takeBack?(): void
  /** Called for each piece of a tool call, to show that the model is still writing. */
  call?(delta: string): void
  /** The usage that the provider has reported so far. The turn's or the error's usage is final. */
  usage?(counted: Usage): void
}

export type Turn = {
  /** Holds no empty text, and no call whose JSON was cut off. */
  content: Content[]
  /** The name of the tool whose call was cut off. */
  cutCall?: string
  stopReason: TurnStop
  usage: Usage
  /** The provider did not report all tokens, so `usage` is a lower bound. */
  isUsagePartial?: true
  /** Set if the server seems to have dropped part of the request without an error. `sentTokens`: estimated. `readTokens`: as the server counted. */
  cut?: { sentTokens: number; readTokens: number }
  /** The number of attached pictures that were not sent, because the model takes none; undefined: all pictures were sent. */
  unseen?: number
  /** Sentences that the text quotes and that a person may send by one click. Only the demo model sets them. */
  suggestions?: readonly string[]
  /** The text asks if a suggestion is to be carried out, so that `ok` is consent. */
  isAsked?: true
}

/** A model at a provider. */
export interface Model {
  /** The model’s id, `provider/model`. */
  readonly id: string
  /** True if the model accepts pictures; undefined: not known, so pictures are sent as a try. */
  readonly sees?: boolean
  /** The formats that the provider can enforce; undefined: none. */
  readonly formats?: readonly AnswerFormat['type'][]
  /** Returns the maximum tokens of the reply to a request, thinking included. The method is undefined if the maximum is not known. */
  mostOutputTokens?(request: Pick<ModelRequest, 'effort' | 'maxOutputTokens'>): number
  /**
   * Streams one reply. Tool calls get ids that JARVIS makes (`newToolUseId`), whatever ids the provider used. On abort the connection to the
   * provider is closed before the promise settles.
   * @throws ModelError for every refusal and failure of the provider; the signal’s reason when aborted.
   */
  generate(request: ModelRequest, sink: ModelSink, signal: AbortSignal): Promise<Turn>
  /**
   * Returns how many tokens the provider counts for a request, without asking for an answer. The method is undefined if the provider cannot count.
   * @throws as `generate` does
   */
  count?(request: ModelRequest, signal: AbortSignal): Promise<number>
}

export type ModelErrorCode =
  | 'model_rate_limited'
  | 'model_overloaded'
  | 'model_quota'
  | 'model_auth'
  | 'model_bad_request'
  /** The server has no such model, or the model lacks an ability that the request needs. */
  | 'model_unfit'
  | 'model_unreachable'
  | 'model_timeout'
  | 'model_stream_broken'
  /** The reply had neither text nor a call. */
  | 'model_mute'

/** The models that the operator has configured. */
export type ModelChoice = {
  /** The model in use. The operator may choose another one at any time. */
  current(): Model
  /** A model by id; undefined if it is not configured, or no longer. */
  named(id: string): Model | undefined
  /** The ids of all configured models, the model in use first. */
  ids(): string[]
  /** Checks that a model is configured. @throws JarvisError `invalid_request` with the ids of the configured models */
  require(id: string): void
}

/**
 * Limits that a provider reported, tokens. `windowTokens`: the longest input of the model. `planTokens`: the largest request that the account’s plan
 * allows. `affordsTokens`: the longest answer that the account’s credit pays for.
 */
export type ModelLimits = { windowTokens?: number; planTokens?: number; affordsTokens?: number }

type ModelErrorOptions = {
  isRetryable: boolean
  retryAfterMs?: number
  usage?: Usage
  isTooLong?: boolean
  isBare?: boolean
  hasSpoken?: boolean
  because?: string
  limits?: ModelLimits
  cause?: unknown
}

/** `message` is a sentence for a person that says what to do. */
export class ModelError extends Error {
  readonly code: ModelErrorCode
  readonly isRetryable: boolean
  /** The wait that the provider asked for, ms; undefined if it asked for none. */
  readonly retryAfterMs: number | undefined
  /** The tokens that the failed attempt used, if they are known. */
  readonly usage: Usage | undefined
  /** The request was longer than the model can read. */
  readonly isTooLong: boolean
  /** The provider refused the request without a reason. */
  readonly isBare: boolean
  /** Part of the answer had been shown. */
  readonly hasSpoken: boolean

  /** The reason as a key of the table of refusals; undefined: not known. */
  readonly because: string | undefined
  readonly limits: ModelLimits

  constructor(code: ModelErrorCode, message: string, options: ModelErrorOptions) {
    super(message, { cause: options.cause })
    this.name = 'ModelError'
    this.code = code
    this.isRetryable = options.isRetryable
    this.retryAfterMs = options.retryAfterMs
    this.usage = options.usage
    this.isTooLong = options.isTooLong === true
    this.isBare = options.isBare === true
    this.hasSpoken = options.hasSpoken === true
    this.because = options.because
    this.limits = options.limits ?? {}
  }

  /** Returns a copy of the error with another message, or with more facts. */
  as(message: string, more: Pick<ModelErrorOptions, 'usage' | 'hasSpoken'> = {}): ModelError {
    const { code, isRetryable, retryAfterMs, usage, isTooLong, isBare, hasSpoken, because, limits, cause } = this
    const kept = { isRetryable, isTooLong, isBare, hasSpoken, limits, cause }
    const known = { retryAfterMs, usage, because }
    return new ModelError(code, message, { ...kept, ...known, ...more })
  }
}
