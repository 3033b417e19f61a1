import type { BudgetsChange, BudgetsReply, RunBudget } from 'protocol'
import { call } from './http.ts'

export const readBudgets = () => call<BudgetsReply>('GET', '/api/budgets')
/** Changes the budgets. Each part that is given replaces the stored part; the others stay. */
export const changeBudgets = (change: BudgetsChange) => call<BudgetsReply>('PUT', '/api/budgets', change)
/** Raises the budget of one active run, US dollars. Other runs are not affected. */
export const allowMore = (runId: string, usd: number) =>
  call<RunBudget>('POST', `/api/budgets/runs/${encodeURIComponent(runId)}`, { usd })
