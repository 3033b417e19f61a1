import type { NodeRoles, NodeRolesReply } from 'protocol'
import { call } from './http.ts'

export const readNodeRoles = () => call<NodeRolesReply>('GET', '/api/node-roles')
/** Replaces the roles of all nodes. @throws ApiError */
export const setNodeRoles = (roles: NodeRoles) => call<NodeRolesReply>('PUT', '/api/node-roles', { roles })
