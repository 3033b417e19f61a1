import type { ClusterState, UnitState } from '../protocol/index.ts'
import type { Policy } from './policy/policy.ts'

/** `missing`: why it is not known. */
export type SeenUnit = { unit: UnitState } | { missing: string }

/** What a verdict may depend on besides the call itself. */
export type World = {
  cluster: Pick<ClusterState, 'nodes' | 'guests'> &
    Partial<Pick<ClusterState, 'tasks' | 'self' | 'missing' | 'unreachableSince' | 'unread'>>
  /** What the gate goes by; what the operator said of the cluster is `policy.topology`, the rest is detected. */
  policy: Policy
  /** What a node said of a service last; undefined where it was not asked lately. */
  unitOf?: (node: string, service: string) => SeenUnit | undefined
  /** Unix ms. */
  now: number
}
