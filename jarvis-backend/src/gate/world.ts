import type { ClusterState, UnitState } from 'protocol'
import type { Policy } from './policy/policy.ts'

/** A node's report on a service. `missing`: why there is no report. */
export type SeenUnit = { unit: UnitState } | { missing: string }

/** The facts besides the call that a verdict may depend on. */
export type World = {
  cluster: Pick<ClusterState, 'nodes' | 'guests'> &
    Partial<
      Pick<
        ClusterState,
        'storages' | 'tasks' | 'self' | 'missing' | 'unreachableSince' | 'unread' | 'hidden' | 'isQuorate'
      >
    >
  /** The policy in force. Facts about the cluster from the operator are in `policy.topology`; the rest is detected. */
  policy: Policy
  /** The node's newest report on a service; undefined when it was not asked recently. */
  unitOf?: (node: string, service: string) => SeenUnit | undefined
  /** Returns the change that made this guest, while the same guest still has the number. */
  madeBy?: (vmid: number) => { change: string; at: number } | undefined
  /** The newest proof that a backup of this guest restores: how far it came, 1 to 6, and when. */
  proofOf?: (vmid: number) => { level: number; at: number } | undefined
  /** JARVIS's own files and folders, absolute: no root of the workbench reaches them. */
  ownPaths?: readonly string[]
  /** The session that the call belongs to; empty: none. Absent: things of all sessions may be seen. */
  sessionId?: string
  /** Unix ms. */
  now: number
}
