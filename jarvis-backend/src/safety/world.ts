import type { ClusterState } from '../protocol/index.ts'
import type { Policy } from './policy.ts'

/** What a verdict may depend on besides the call itself. */
export type World = {
  cluster: Pick<ClusterState, 'nodes' | 'guests'> &
    Partial<Pick<ClusterState, 'tasks' | 'self' | 'missing' | 'unreachableSince' | 'unread'>>
  /** What the gate goes by; what the operator said of the cluster is `policy.topology`, the rest is detected. */
  policy: Policy
  /** Unix ms. */
  now: number
}
