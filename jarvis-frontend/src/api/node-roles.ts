import type { NodeRoles, NodeRolesReply } from 'jarvis-backend/protocol'
import { call } from './http.ts'

export const readNodeRoles = () => call<NodeRolesReply>('GET', '/api/node-roles')
/** Replaces all that was set. @throws ApiError */
export const setNodeRoles = (roles: NodeRoles) => call<NodeRolesReply>('PUT', '/api/node-roles', { roles })
