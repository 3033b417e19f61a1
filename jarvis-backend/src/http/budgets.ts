import { BudgetRaise, BudgetsChange, BudgetsReply, RunBudget } from 'protocol'
import { type Route, route } from './route.ts'

/** `/api/budgets`: the use of models and its limits; changes limits, and allows one run more. Reading changes nothing. */
export const budgetRoutes = (parts: {
  reply(): BudgetsReply
  change(change: BudgetsChange, by: string): void
  /** Allows a run more. @throws JarvisError `not_found`, `conflict` if the run has ended */
  raise(runId: string, usd: number, by: string): RunBudget
}): Route[] => [
  route('/budgets').get(
    'The use of models, and its limits: [Limits](limits.md).',
    { role: 'viewer', token: 'read', reply: BudgetsReply },
    parts.reply,
  ),
  route('/budgets').put(
    'Sets limits.',
    { role: 'owner', password: true, body: BudgetsChange, reply: BudgetsReply },
    ({ body, by }) => {
      parts.change(body, by)
      return parts.reply()
    },
  ),
  route('/budgets/runs/:runId').post(
    'Allows a run `usd` dollars more. 409 where it has ended.',
    { role: 'operator', password: true, body: BudgetRaise, reply: RunBudget },
    ({ params, body, by }) => parts.raise(params.runId, body.usd, by),
  ),
]
