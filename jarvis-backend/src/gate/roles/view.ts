import type { ClusterState, Target } from 'protocol'
import type { Effect, Thing } from '../effect.ts'
import type { Role, World } from '../world.ts'
import { beyondRole } from './role.ts'

/** Returns true if a person with the role may look at an object of the cluster. */
const maySee = (role: Role, { on, target }: { on: Thing; target: Target }, world: World): boolean => {
  const effect: Effect = { kind: 'read', on, target }
  const look = { effects: [effect], tier: 'green' } as const
  return beyondRole(role, { call: { toolName: '', baseTier: 'green', input: {} }, ...look }, world) === undefined
}

/**
 * Returns the part of the cluster at which a person with the role may look. If they may see a guest and not its node, the node keeps only its name
 * and status.
 */
export function seenBy(role: Role, state: ClusterState, world: World): ClusterState {
  if (role.isWhole) return state
  const guests = state.guests.filter(({ vmid, type, name, node }) =>
    maySee(role, { on: 'guest', target: { kind: 'guest', id: `${type}/${vmid}`, name, node, vmid, type } }, world),
  )
  const hosts = new Set(guests.map(({ node }) => node))
  const isTheirs = (name: string) =>
    maySee(role, { on: 'node', target: { kind: 'node', id: `node/${name}`, name, node: name } }, world)
  const theirs = new Set(state.nodes.filter(({ name }) => isTheirs(name)).map(({ name }) => name))
  const vmids = new Set(guests.map(({ vmid }) => vmid))
  const { self, ...rest } = state
  return {
    ...rest,
    // Hide the lines about missing parts, because they name nodes and storages.
    missing: state.missing.length === 0 ? [] : ['a part of the cluster could not be read'],
    ...(self?.vmid !== undefined && vmids.has(self.vmid) && { self }),
    nodes: state.nodes
      .filter(({ name }) => theirs.has(name) || hosts.has(name))
      .map((node) =>
        theirs.has(node.name) ? node : { name: node.name, status: node.status, isProtected: node.isProtected },
      ),
    guests,
    storages: state.storages.filter(({ name, node }) => {
      const id = node === undefined ? `storage/${name}` : `storage/${node}/${name}`
      return maySee(
        role,
        { on: 'storage', target: { kind: 'storage', id, name, ...(node !== undefined && { node }) } },
        world,
      )
    }),
    tasks: state.tasks.filter(({ node, vmid }) => (vmid === undefined ? theirs.has(node) : vmids.has(vmid))),
  }
}
