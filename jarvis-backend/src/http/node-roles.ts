import { NodeRolesBody, NodeRolesReply } from 'protocol'
import type { RolesOfNodes } from '../homelab/node-roles.ts'
import { get, put, type Route } from './route.ts'

/** `/api/node-roles`: reads the roles of nodes; a PUT replaces all of them. */
export const nodeRolesRoutes = (roles: Pick<RolesOfNodes, 'current' | 'set'>): Route[] => [
  get('/node-roles', 'The roles of nodes.', { role: 'viewer', token: 'read', reply: NodeRolesReply }, () =>
    roles.current(),
  ),
  put(
    '/node-roles',
    'Replaces all roles of nodes. Those of `policy` take precedence.',
    { role: 'owner', body: NodeRolesBody, reply: NodeRolesReply },
    ({ body, by }) => {
      roles.set(body.roles, by)
      return roles.current()
    },
  ),
]
