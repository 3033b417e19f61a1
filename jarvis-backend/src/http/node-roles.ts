import { NodeRolesBody, NodeRolesReply } from 'protocol'
import type { RolesOfNodes } from '../homelab/node-roles.ts'
import { type Route, route } from './route.ts'

/** `/api/node-roles`: reads the roles of nodes; a PUT replaces all of them. */
export const nodeRolesRoutes = (roles: Pick<RolesOfNodes, 'current' | 'set'>): Route[] => [
  route('/node-roles').get('The roles of nodes.', { role: 'viewer', token: 'read', reply: NodeRolesReply }, () =>
    roles.current(),
  ),
  route('/node-roles').put(
    'Replaces all roles of nodes. Those of `policy` take precedence.',
    { role: 'owner', body: NodeRolesBody, reply: NodeRolesReply },
    ({ body, by }) => {
      roles.set(body.roles, by)
      return roles.current()
    },
  ),
]
