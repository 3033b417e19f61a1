import type { Homelab } from 'homelab-ports/ports'
import { type ClusterState, NodeRoles } from 'protocol'

const key = 'node_roles'

export type RolesOfNodes = ReturnType<typeof createNodeRoles>

/** The roles of nodes. A role from policy.yaml takes precedence over one that an operator set, and both over the cluster's own. */
export function createNodeRoles(parts: {
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  /** Writes the change to the journal, in the same transaction as the setting. */
  record(change: { from: NodeRoles; to: NodeRoles; by: string }): void
  durably(work: () => void): void
}) {
  const listeners = new Set<() => void>()
  let kept: NodeRoles = {}
  let ofPolicy: NodeRoles = {}
  let all = new Map<string, string>()
  try {
    kept = NodeRoles.parse(JSON.parse(parts.settings.get(key) ?? '{}'))
  } catch {
    // The stored roles are invalid, so no role is set.
  }
  function changed() {
    all = new Map([...Object.entries(kept), ...Object.entries(ofPolicy)])
    for (const listener of [...listeners]) listener()
  }
  changed()
  return {
    current: () => ({ roles: kept, policy: ofPolicy }),
    /** All roles by node. Returns the same map until a role changes. */
    all: (): ReadonlyMap<string, string> => all,
    set(roles: NodeRoles, by: string) {
      parts.durably(() => {
        parts.settings.set(key, JSON.stringify(roles))
        parts.record({ from: kept, to: roles, by })
      })
      kept = roles
      changed()
    },
    /** Replaces the roles from policy.yaml. */
    setOfPolicy(roles: NodeRoles) {
      ofPolicy = roles
      changed()
    },
    watch(listener: () => void): () => void {
      const own = () => listener()
      listeners.add(own)
      return () => listeners.delete(own)
    },
  }
}

/** Adds the roles to the nodes in a homelab's state. A changed role gives a new state. */
export function withNodeRoles(homelab: Homelab, roles: Pick<RolesOfNodes, 'all' | 'watch'>): Homelab {
  const { cluster } = homelab
  let last: { from: ClusterState; roles: ReadonlyMap<string, string>; state: ClusterState } | undefined
  function state(): ClusterState {
    const from = cluster.state()
    const named = roles.all()
    if (named.size === 0) return from
    if (last?.from !== from || last.roles !== named) {
      const nodes = from.nodes.map((node) => {
        const role = named.get(node.name)
        return role === undefined ? node : { ...node, role }
      })
      last = { from, roles: named, state: { ...from, nodes } }
    }
    return last.state
  }
  return {
    ...homelab,
    cluster: {
      ...cluster,
      state,
      watch(listener, pace) {
        const stops = [cluster.watch(listener, pace), roles.watch(listener)]
        return () => {
          for (const stop of stops) stop()
        }
      },
    },
  }
}
