import { Router } from 'express'
import type { Executor } from '../calls/execute.ts'
import { operatorOnly, param } from './handle.ts'

/** `/api/executions`: looks again for the outcome of a call whose outcome is unknown. */
export function executionRoutes(executor: Executor): Router {
  const router = Router()
  router.post('/:id/check', operatorOnly, async (request, response) => {
    response.json(await executor.check(param(request, 'id')))
  })
  return router
}
