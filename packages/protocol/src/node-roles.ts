import { z } from 'zod'

/** A node's purpose in a few words: `main`, `compute`, `NAS`. */
export const NodeRole = z
  .string()
  .trim()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ,.&+/_-]{0,39}$/u, { error: 'must be a few words, for example "compute, NAS"' })
export const NodeRoles = z
  .record(z.string().min(1).max(64), NodeRole)
  .refine((roles) => Object.keys(roles).length <= 200, { error: 'must name at most 200 nodes' })
/** Roles of nodes, keyed by the nodes' exact names. */
export type NodeRoles = z.infer<typeof NodeRoles>

export const NodeRolesBody = z.strictObject({ roles: NodeRoles })
/** `roles`: set by an operator. `policy`: from policy.yaml, which takes precedence. */
export const NodeRolesReply = z.object({ roles: NodeRoles, policy: NodeRoles })
export type NodeRolesReply = z.infer<typeof NodeRolesReply>
