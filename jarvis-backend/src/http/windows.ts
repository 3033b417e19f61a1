import { Router } from 'express'
import { WindowBody } from '../protocol/index.ts'
import type { Watch } from '../watch/watch.ts'
import { identityOf, operatorOnly, param, read } from './handle.ts'

/** `/api/windows`: maintenance windows, in which nobody is told of alerts. */
export function windowRoutes(watch: Pick<Watch, 'windows' | 'addWindow' | 'removeWindow'>): Router {
  const router = Router()
  router.get('/', (_request, response) => {
    response.json({ items: watch.windows() })
  })
  router.post('/', operatorOnly, (request, response) => {
    response.status(201).json(watch.addWindow(read(WindowBody, request.body), identityOf(response).sub))
  })
  router.delete('/:id', operatorOnly, (request, response) => {
    watch.removeWindow(param(request, 'id'), identityOf(response).sub)
    response.status(204).end()
  })
  return router
}
