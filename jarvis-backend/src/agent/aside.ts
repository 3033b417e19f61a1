import type { BudgetKeeper, Spender } from './budgets.ts'
import { type Model, ModelError, type ModelRequest, type ModelSink, type Turn } from './model.ts'

/** Characters of a request per token. */
const charsPerToken = 3.3

type Generate = (model: Model, request: ModelRequest, sink: ModelSink, signal: AbortSignal) => Promise<Turn>

/**
 * Wraps `generate` for calls outside a run's turns, such as a title or the words of a fold: each call must fit the limits.
 * @param spender without a run, the day counts alone
 * @throws ModelError `model_quota` if the call does not fit; the errors of `generate`
 */
export function asideOf(
  budgets: Pick<BudgetKeeper, 'aside'>,
  kind: 'title' | 'compaction' | 'plain',
  spender: Pick<Spender, 'agent'> & Partial<Spender>,
  generate: Generate,
): Generate {
  return async (model, request, sink, signal) => {
    const chars = request.system.length + JSON.stringify(request.messages).length
    const outputTokens = model.mostOutputTokens?.(request) ?? request.maxOutputTokens ?? 2_048
    const plan = { model: model.id, inputTokens: Math.ceil(chars / charsPerToken), outputTokens }
    const reservation = budgets.aside(kind, plan, spender)
    if (reservation === undefined)
      throw new ModelError('model_quota', 'The limits of what models may use allow no more.', { isRetryable: false })
    try {
      const turn = await generate(model, request, sink, signal)
      reservation.settle(turn.usage, {
        isPartial: turn.isUsagePartial === true,
        said: JSON.stringify(turn.content).length,
      })
      return turn
    } catch (error) {
      if (error instanceof ModelError && error.usage !== undefined) reservation.settle(error.usage, { isPartial: true })
      else reservation.release()
      throw error
    }
  }
}
