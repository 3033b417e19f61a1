import { Router } from 'express'
import type { RolesOfNodes } from '../homelab/node-roles.ts'
import { NodeRolesBody, type NodeRolesReply } from '../protocol/index.ts'
import { identityOf, operatorOnly, read } from './handle.ts'

/** `/api/node-roles`: reads what nodes are for; a PUT replaces all roles. */
export function nodeRolesRoutes(roles: Pick<RolesOfNodes, 'current' | 'set'>): Router {
  const router = Router()
  router.get('/', (_request, response) => {
    response.json(roles.current() satisfies NodeRolesReply)
  })
  router.put('/', operatorOnly, (request, response) => {
    roles.set(read(NodeRolesBody, request.body).roles, identityOf(response).sub)
    response.json(roles.current() satisfies NodeRolesReply)
  })
  return router
}
