import { Router } from 'express'
import { AcknowledgeBody, AlertHistoryQuery, SilenceBody } from '../protocol/index.ts'
import type { Watch } from '../watch/watch.ts'
import { identityOf, operatorOnly, param, read } from './handle.ts'

/** `/api/alerts`: what is wrong now and was; acknowledges and silences it. */
export function alertRoutes(watch: Watch): Router {
  const router = Router()
  router.get('/', (_request, response) => {
    response.json(watch.list())
  })
  router.get('/history', (request, response) => {
    response.json(watch.history(read(AlertHistoryQuery, request.query)))
  })
  router.get('/:id', async (request, response) => {
    response.json(await watch.detail(param(request, 'id')))
  })
  router.post('/:id/acknowledge', operatorOnly, (request, response) => {
    const body = read(AcknowledgeBody, request.body)
    response.json(watch.acknowledge(param(request, 'id'), body, identityOf(response).sub))
  })
  router.post('/:id/unacknowledge', operatorOnly, (request, response) => {
    response.json(watch.unacknowledge(param(request, 'id'), identityOf(response).sub))
  })
  router.post('/:id/silence', operatorOnly, (request, response) => {
    response.json(watch.silence(param(request, 'id'), read(SilenceBody, request.body), identityOf(response).sub))
  })
  router.post('/:id/unsilence', operatorOnly, (request, response) => {
    response.json(watch.unsilence(param(request, 'id'), identityOf(response).sub))
  })
  return router
}
