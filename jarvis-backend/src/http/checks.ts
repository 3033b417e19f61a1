import { Router } from 'express'
import { CheckBody } from '../protocol/index.ts'
import type { Watch } from '../watch/watch.ts'
import { identityOf, operatorOnly, param, read } from './handle.ts'

/** `/api/checks`: what is looked at; switches a check off and on, and lets all look now. */
export function checkRoutes(watch: Pick<Watch, 'checks' | 'setOff' | 'checkNow'>): Router {
  const router = Router()
  router.get('/', (_request, response) => {
    response.json(watch.checks())
  })
  router.patch('/:id', operatorOnly, (request, response) => {
    const { isOff } = read(CheckBody, request.body)
    response.json(watch.setOff(param(request, 'id'), isOff, identityOf(response).sub))
  })
  /** A sweep of a large cluster takes minutes, so nobody waits for its end here. */
  router.post('/run', operatorOnly, (_request, response) => {
    void watch.checkNow()
    response.status(202).json({ ok: true })
  })
  return router
}
