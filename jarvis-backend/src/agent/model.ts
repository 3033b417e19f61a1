import type { Content, Effort, ImageType, TurnStop, Usage } from 'protocol'

export type ToolSpec = { name: string; description: string; inputSchema: Record<string, unknown> }

/**
 * One user message or model turn of the conversation, in an order every provider accepts: each tool call of an
 * `assistant` message is answered in the `user` message right after it, results first and in the calls' order. `images`: what a person
 * attached; `text` names each.
 */
export type Message =
  | { role: 'user'; results: ToolResult[]; text: string; context?: string; images?: readonly ModelImage[] }
  /** `model`: absent where no model said it. */
  | { role: 'assistant'; content: Content[]; model?: string }

/** The result of one call. `text` is never empty, and names each of the images: a provider that takes no images leaves them out. */
export type ToolResult = {
  toolUseId: string
  toolName: string
  text: string
  isError: boolean
  images?: readonly ModelImage[]
}
/** A picture. `id`: its id in its session. */
export type ModelImage = { mimeType: ImageType; data: Buffer; id?: string }

/** The form of an answer in words: any JSON object, or one by a JSON Schema. `isStrict`: the provider holds the model to it as far as it can. */
export type AnswerFormat =
  | { type: 'json_object' }
  | { type: 'json_schema'; name: string; schema: Record<string, unknown>; isStrict?: true }

/** The tool that a model must call: any tool, or the one of that name. */
export type ToolChoice = 'any' | { name: string }

export type ModelRequest = {
  /** Stable over a session, because it is the cached prefix. */
  system: string
  messages: Message[]
  /** Empty for the last call at the loop limit: the provider must make the model answer in words. */
  tools: readonly ToolSpec[]
  /** How much to think; absent: the model's configured effort. */
  effort?: Effort
  /** 0 to 2. Not sent to a model that takes no temperature. */
  temperature?: number
  /** False: the tools are declared for the history alone and must not be called now. */
  mayCallTools: boolean
  /** The tool that the reply must call. Ignored if `mayCallTools` is false. */
  toolChoice?: ToolChoice
  /** The form of the reply's text: one of the model's `formats`. */
  format?: AnswerFormat
  /** The receiver of the stream cannot take text back, so words that may be thinking are not streamed as text. */
  isFinal?: true
  /** The most tokens of the reply, thinking included; absent: as many as the model's settings allow. */
  maxOutputTokens?: number
}

/** Receives a reply while it streams; called synchronously for each delta. */
export type ModelSink = {
  text(delta: string): void
  thinking(delta: string): void
  /** All text that was streamed so far was thinking. */
  takeBack?(): void
  /** A piece of a call, which shows that the model still writes. */
  call?(delta: string): void
  /** The usage that the provider has reported so far. The turn's or the error's usage is final. */
  usage?(counted: Usage): void
}

export type Turn = {
  /** Holds no empty text, and no call whose JSON was cut off. */
  content: Content[]
  /** The tool of the call that was cut off. */
  cutCall?: string
  stopReason: TurnStop
  usage: Usage
  /** The provider did not report all tokens, so `usage` is a lower bound. */
  isUsagePartial?: true
  /** Set if the server seems to have dropped part of the request without saying so. `sentTokens`: estimated. `readTokens`: as the server counted. */
  cut?: { sentTokens: number; readTokens: number }
  /** How many attached pictures the model was not shown, because it takes none. Absent: it was shown all. */
  unseen?: number
}

/** A model: one name at one provider. */
export interface Model {
  /** `provider/model`. */
  readonly id: string
  /** True if the model takes pictures. Absent: not known, so pictures are tried. */
  readonly sees?: boolean
  /** The formats that the provider can enforce. Absent: none. */
  readonly formats?: readonly AnswerFormat['type'][]
  /** The most tokens that the reply to a request can have, thinking included. Absent: not known. */
  mostOutputTokens?(request: Pick<ModelRequest, 'effort' | 'maxOutputTokens'>): number
  /**
   * Streams one reply. Tool calls get ids minted by JARVIS (`newToolUseId`), whatever the provider called them.
   * On abort the upstream connection is closed before the promise settles.
   * @throws ModelError for whatever the provider refuses or breaks; the signal's reason when aborted.
   */
  generate(request: ModelRequest, sink: ModelSink, signal: AbortSignal): Promise<Turn>
  /**
   * How many tokens the provider counts for a request, without an answer. Absent: it cannot count.
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
  /** The server has no such model, or the model cannot do what is needed. */
  | 'model_unfit'
  | 'model_unreachable'
  | 'model_timeout'
  | 'model_stream_broken'
  /** The reply had neither a word nor a call. */
  | 'model_mute'

/** The models that the operator has configured. */
export type ModelChoice = {
  /** The model in use. It may be replaced at any time. */
  current(): Model
  /** A model by id; undefined if it is not configured, or no longer. */
  named(id: string): Model | undefined
  /** The one in use first. */
  ids(): string[]
  /** @throws JarvisError `invalid_request` with the ids of the configured models */
  require(id: string): void
}

/**
 * Limits that a provider named, tokens. `windowTokens`: the most that the model reads. `planTokens`: the most of one request on the account's plan.
 * `affordsTokens`: the longest answer that the credit pays for.
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
  /** The wait that the provider asked for. */
  readonly retryAfterMs: number | undefined
  /** The tokens of the broken attempt, if they are known. */
  readonly usage: Usage | undefined
  /** The request was longer than the model can read. */
  readonly isTooLong: boolean
  /** The provider refused the request without a reason. */
  readonly isBare: boolean
  /** Part of the answer had been shown. */
  readonly hasSpoken: boolean

  /** The reason, as a word of the table of refusals. Absent: not known. */
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

  /** The same failure in other words, or with more known. */
  as(message: string, more: Pick<ModelErrorOptions, 'usage' | 'hasSpoken'> = {}): ModelError {
    const { code, isRetryable, retryAfterMs, usage, isTooLong, isBare, hasSpoken, because, limits, cause } = this
    const kept = { isRetryable, isTooLong, isBare, hasSpoken, limits, cause }
    const known = {
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(usage !== undefined && { usage }),
      ...(because !== undefined && { because }),
    }
    return new ModelError(code, message, { ...kept, ...known, ...more })
  }
}
