import { Router } from 'express'
import type { Grants } from '../calls/confirmations/grants.ts'
import { identityOf, operatorOnly, param } from './handle.ts'

/** `/api/grants`: lists and revokes grants. */
export function grantRoutes(grants: Pick<Grants, 'list' | 'revoke'>): Router {
  const router = Router()
  router.get('/', (_request, response) => {
    response.json({ items: grants.list() })
  })
  router.delete('/:id', operatorOnly, (request, response) => {
    grants.revoke(param(request, 'id'), identityOf(response).sub)
    response.status(204).end()
  })
  return router
}
