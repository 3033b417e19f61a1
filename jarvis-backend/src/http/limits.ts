import { Router } from 'express'
import { Limits } from '../protocol/index.ts'
import { identityOf, operatorOnly, read } from './handle.ts'

/** `/api/limits`: reads and sets the limits of runs. */
export function limitsRoutes(limits: { current(): Limits; set(limits: Limits, by: string): void }): Router {
  const router = Router()
  router.get('/', (_request, response) => {
    response.json(limits.current())
  })
  router.put('/', operatorOnly, (request, response) => {
    limits.set(read(Limits, request.body), identityOf(response).sub)
    response.json(limits.current())
  })
  return router
}
