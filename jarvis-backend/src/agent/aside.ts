import type { BudgetKeeper, Spender } from './budgets.ts'
import { type Model, ModelError, type ModelRequest, type ModelSink, type Turn } from './model.ts'

/** Characters of a request per token. */
const charsPerToken = 3.3

/** Asks a model once. */
export type Generate = (
  model: Model,
  asked: { request: ModelRequest; sink: ModelSink; signal: AbortSignal },
) => Promise<Turn>

type Aside = {
  kind: 'title' | 'compaction' | 'plain'
  /** The caller whose limits the call counts against. Without a run, only the day’s limits count. */
  spender: Pick<Spender, 'agent'> & Partial<Spender>
}

/**
 * Wraps `generate` for model calls outside a run’s turns, such as naming a session or summarising a fold: each call must fit the limits.
 * @throws ModelError `model_quota` if the call does not fit; the errors of `generate`
 */
export function asideOf(budgets: Pick<BudgetKeeper, 'aside'>, { kind, spender }: Aside, generate: Generate): Generate {
  return async (model, asked) => {
    const { request } = asked
    const chars = request.system.length + JSON.stringify(request.messages).length
    const outputTokens = model.mostOutputTokens?.(request) ?? request.maxOutputTokens ?? 2_048
    const plan = { model: model.id, inputTokens: Math.ceil(chars / charsPerToken), outputTokens }
    const reservation = budgets.aside(kind, plan, spender)
    if (reservation === undefined)
      throw new ModelError('model_quota', 'The limits of what models may use allow no more.', { isRetryable: false })
    try {
      const turn = await generate(model, asked)
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
