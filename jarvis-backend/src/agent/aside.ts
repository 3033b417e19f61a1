import type { BudgetKeeper, Spender } from './budgets.ts'
import { type Model, ModelError, type ModelRequest, type ModelSink, type Turn } from './model.ts'

/** Characters of a request that make a token. */
const charsPerToken = 3.3

type Generate = (model: Model, request: ModelRequest, sink: ModelSink, signal: AbortSignal) => Promise<Turn>

/**
 * Makes a call of a model outside a run's turns within the limits: a title, or the words of a fold.
 * @param spender without a run, the day counts alone
 * @throws ModelError `model_quota` where it does not fit; what `generate` throws
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
