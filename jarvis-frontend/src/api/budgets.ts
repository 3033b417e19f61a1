import type { BudgetsChange, BudgetsReply, RunBudget } from 'protocol'
import { call } from './http.ts'

export const readBudgets = () => call<BudgetsReply>('GET', '/api/budgets')
/** Each part that is given replaces that part. */
export const changeBudgets = (change: BudgetsChange) => call<BudgetsReply>('PUT', '/api/budgets', change)
/** Allows a run at work more, US dollars; for that run only. */
export const allowMore = (runId: string, usd: number) =>
  call<RunBudget>('POST', `/api/budgets/runs/${encodeURIComponent(runId)}`, { usd })
