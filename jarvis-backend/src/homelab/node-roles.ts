import type { Homelab } from 'homelab-ports/ports'
import { type ClusterState, NodeRoles } from 'protocol'

const key = 'node_roles'

type Parts = {
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  /** Writes the change to the journal, in the same transaction as the setting. */
  record(change: { from: NodeRoles; to: NodeRoles; by: string }): void
  durably(work: () => void): void
}

/** The roles of nodes. A role from policy.yaml takes precedence over one that an operator set, and both over the cluster's own. */
export class RolesOfNodes {
  readonly #parts: Parts
  readonly #listeners = new Set<() => void>()
  #kept: NodeRoles = {}
  #ofPolicy: NodeRoles = {}
  #all = new Map<string, string>()

  constructor(parts: Parts) {
    this.#parts = parts
    try {
      this.#kept = NodeRoles.parse(JSON.parse(parts.settings.get(key) ?? '{}'))
    } catch {
      // The stored roles are invalid, so no role is set.
    }
    this.#changed()
  }

  current(): { roles: NodeRoles; policy: NodeRoles } {
    return { roles: this.#kept, policy: this.#ofPolicy }
  }

  /** All roles by node. Returns the same map until a role changes. */
  all(): ReadonlyMap<string, string> {
    return this.#all
  }

  set(roles: NodeRoles, by: string): void {
    this.#parts.durably(() => {
      this.#parts.settings.set(key, JSON.stringify(roles))
      this.#parts.record({ from: this.#kept, to: roles, by })
    })
    this.#kept = roles
    this.#changed()
  }

  /** Replaces the roles from policy.yaml. */
  setOfPolicy(roles: NodeRoles): void {
    this.#ofPolicy = roles
    this.#changed()
  }

  watch(listener: () => void): () => void {
    const own = () => listener()
    this.#listeners.add(own)
    return () => this.#listeners.delete(own)
  }

  #changed(): void {
    this.#all = new Map([...Object.entries(this.#kept), ...Object.entries(this.#ofPolicy)])
    for (const listener of [...this.#listeners]) listener()
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
