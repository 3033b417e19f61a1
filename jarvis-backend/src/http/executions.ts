import { Router } from 'express'
import type { Executor } from '../calls/execute.ts'
import { operatorOnly, param } from './handle.ts'

export function executionRoutes(executor: Executor): Router {
  const router = Router()
  // Looks again what became of a call whose outcome is not known. Runs nothing.
  router.post('/:id/check', operatorOnly, async (request, response) => {
    response.json(await executor.check(param(request, 'id')))
  })
  return router
}
