import { Router } from 'express'
import { z } from 'zod'
import type { PlanRun, PlanRunsPage, RunbookRunReply } from '../protocol/index.ts'
import { identityOf, operatorOnly, param, read } from './handle.ts'

const Query = z.strictObject({
  before: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

/** What the routes act through. `next`: a cursor for `before`. */
export type PlanList = {
  list(query: { limit: number; before?: number }): PlanRun[]
  /** @throws JarvisError `not_found` */
  one(id: string): PlanRun
  /** The plan stops after its present step, or at once where that waits. @throws JarvisError `not_found`, `conflict` */
  stop(id: string, by: string): PlanRun
  /** Starts the plan that takes this one back; the session shows its card. @throws JarvisError `not_found`, `conflict` */
  undo(id: string, by: string): RunbookRunReply
}

/** `/api/plans`: the plans that began, newest first, stopping one, and taking one back. */
export function planRoutes({ list, one, stop, undo }: PlanList): Router {
  const router = Router()
  router.get('/', (request, response) => {
    const { limit, before } = read(Query, request.query)
    const found = list({ limit: limit + 1, ...(before !== undefined && { before }) })
    const items = found.slice(0, limit)
    const last = items.at(-1)
    const page: PlanRunsPage = { items, ...(found.length > limit && last && { next: String(last.startedAt) }) }
    response.json(page)
  })
  router.get('/:id', (request, response) => {
    response.json(one(param(request, 'id')))
  })
  router.post('/:id/stop', operatorOnly, (request, response) => {
    response.json(stop(param(request, 'id'), identityOf(response).sub))
  })
  router.post('/:id/undo', operatorOnly, (request, response) => {
    response.json(undo(param(request, 'id'), identityOf(response).sub))
  })
  return router
}
