import type { ClusterState, UnitState } from 'protocol'
import type { Policy } from './policy/policy.ts'

/** `missing`: why it is not known. */
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
  /** The change that made this guest, while it is still the one that was made. */
  madeBy?: (vmid: number) => { change: string; at: number } | undefined
  /** The newest proof that a backup of this guest restores: how far it came, 1 to 6, and when. */
  proofOf?: (vmid: number) => { level: number; at: number } | undefined
  /** JARVIS's own files and folders, absolute: no root of the workbench reaches them. */
  ownPaths?: readonly string[]
  /** The session that the call belongs to; empty: none. Absent: whoever looks may see what belongs to any. */
  sessionId?: string
  /** Unix ms. */
  now: number
}
