import { sleep } from 'node-kit/clock'
import { noUsage, type Usage } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import { type Model, ModelError, type ModelErrorCode, type ModelSink, type Turn } from './model.ts'
import type { Asked, Generate, RunModels } from './ports.ts'

/** The longest wait that is granted to a provider, ms. If it asks for more, the attempt fails. */
const longestWaitMs = 120_000
const firstBackoffMs = 1_000
const longestBackoffMs = 30_000

export type RetryOptions = {
  clock: Clock
  /** 0..1, for the jitter. Default `Math.random`. */
  random?: () => number
  /** Maximum attempts, the first included. Default 5. */
  maxAttempts?: number
  onRetry(notice: { message: string; retryInMs: number }): void
  /**
   * Returns true if the limits of the run allow another attempt. Undefined: every attempt is allowed.
   * @param spent the tokens that failed attempts used, as far as they were counted
   * @param isLost true if the last attempt may have used tokens that nobody counted
   */
  mayRetry?(spent: Usage | undefined, isLost: boolean): boolean
}

/**
 * Calls `model.generate`. Retries a retryable failure only if nothing was streamed yet, because text that a person has read cannot be withdrawn. The
 * usage of failed attempts is added to the usage of the turn or the error.
 * @throws ModelError of the last attempt; the signal’s reason as soon as it aborts.
 */
export async function generateWithRetries(
  model: Model,
  { request, sink, signal }: Pick<Asked, 'request' | 'sink' | 'signal'>,
  { clock, random = Math.random, maxAttempts = 5, onRetry, mayRetry = () => true }: RetryOptions,
): Promise<Turn> {
  let isSilent = true
  let spent: Usage | undefined
  const watched: ModelSink = {
    text(delta) {
      isSilent = false
      sink.text(delta)
    },
    thinking(delta) {
      isSilent = false
      sink.thinking(delta)
    },
    takeBack: () => sink.takeBack?.(),
    call: (delta) => sink.call?.(delta),
    usage: (counted) => sink.usage?.(spent === undefined ? counted : sum(spent, counted)),
  }
  const ended = (error: ModelError, message: string) =>
    error.as(message, { ...(spent !== undefined && { usage: spent }), hasSpoken: !isSilent })
  for (let attempt = 1; ; attempt++) {
    try {
      const turn = await model.generate(request, watched, signal)
      return spent === undefined ? turn : { ...turn, usage: sum(spent, turn.usage) }
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      if (error.usage !== undefined) spent = sum(spent ?? noUsage, error.usage)
      if (spent !== undefined) sink.usage?.(spent)
      const mayHelp = error.isRetryable && isSilent && attempt < maxAttempts
      if (!mayHelp) throw ended(error, error.message)
      if (!mayRetry(spent, error.usage === undefined && isBrokenOff(error)))
        throw ended(error, `${error.message} The limits of this run allow no further attempt.`)
      const { retryAfterMs } = error
      if (retryAfterMs !== undefined && retryAfterMs > longestWaitMs) {
        const minutes = Math.ceil(retryAfterMs / 60_000)
        const long = minutes < 1_440 ? `${minutes} min` : 'a day or more'
        throw ended(error, `${error.message} It asks to be left alone for ${long}.`)
      }
      // Half of the backoff is fixed and half random, so that clients that failed together do not retry together.
      const backoffMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempt - 1)) * (0.5 + random() / 2)
      const retryInMs = Math.round(retryAfterMs || backoffMs)
      const inS = Math.max(1, Math.round(retryInMs / 1_000))
      const message = `${troubles[error.code]} Trying again in ${inS} s (attempt ${attempt + 1} of ${maxAttempts}).`
      onRetry({ message, retryInMs })
      await sleep(clock, retryInMs, signal)
    }
  }
}

/** @returns a function that asks a model with retries, and reports to `models` that the model answered or failed. @param warn writes a line to the log */
export const askingModels =
  (models: Pick<RunModels, 'answered' | 'failed'>, clock: Clock, warn: (text: string) => void): Generate =>
  async (model, asked) => {
    const { tell, may } = asked.retries ?? {}
    try {
      const onRetry = (notice: Parameters<NonNullable<typeof tell>>[0]) => {
        warn(`${model.id}: ${notice.message}`)
        tell?.(notice)
      }
      const turn = await generateWithRetries(model, asked, { clock, onRetry, mayRetry: may })
      models.answered(model)
      return turn
    } catch (error) {
      if (!asked.signal.aborted) models.failed(model, error)
      throw error
    }
  }

/** True if the provider received the request and reported no usage. */
export const isBrokenOff = (error: unknown): boolean =>
  error instanceof ModelError && (error.code === 'model_stream_broken' || error.code === 'model_timeout')

/** A sentence for each kind of failure. */
export const troubles: Record<ModelErrorCode, string> = {
  model_rate_limited: 'The model limits the rate of requests.',
  model_overloaded: 'The model is overloaded.',
  model_quota: "The model's quota is used up.",
  model_auth: 'The model refused access.',
  model_bad_request: 'The model refused the request.',
  model_unfit: 'The model cannot be used.',
  model_unreachable: 'The model cannot be reached.',
  model_timeout: 'The model fell silent.',
  model_stream_broken: "The model's answer broke off.",
  model_mute: 'The model answered without a word.',
}

/** Adds the tokens of two calls. */
export const sum = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
})
