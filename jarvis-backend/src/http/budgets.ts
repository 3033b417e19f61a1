import { Router } from 'express'
import type { StepUp } from '../auth/step-up.ts'
import { BudgetRaise, BudgetsChange, type BudgetsReply, type RunBudget } from '../protocol/index.ts'
import { identityOf, operatorOnly, param, passwordAgain, read } from './handle.ts'

/** `/api/budgets`: what models used and may use; sets limits, and allows a run more. Reading changes nothing. */
export function budgetRoutes(parts: {
  reply(): BudgetsReply
  change(change: BudgetsChange, by: string): void
  /** @throws JarvisError `not_found`, `conflict` where the run has ended */
  raise(runId: string, usd: number, by: string): RunBudget
  stepUp: StepUp
}): Router {
  const router = Router()
  router.get('/', (_request, response) => {
    response.json(parts.reply())
  })
  router.put('/', operatorOnly, passwordAgain(parts.stepUp), (request, response) => {
    parts.change(read(BudgetsChange, request.body), identityOf(response).sub)
    response.json(parts.reply())
  })
  router.post('/runs/:runId', operatorOnly, passwordAgain(parts.stepUp), (request, response) => {
    const { usd } = read(BudgetRaise, request.body)
    response.json(parts.raise(param(request, 'runId'), usd, identityOf(response).sub))
  })
  return router
}
