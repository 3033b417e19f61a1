import type { Guest, Target } from '../protocol/index.ts'
import { serviceAsked } from './topology/units.ts'
import type { World } from './world.ts'

export type Resolved = { ok: true; target: Target } | { ok: false; message: string }

const noTarget: Target = { kind: 'none', id: '' }
const kinds = { vm: 'a virtual machine', ct: 'a container' }
const toolEnds = { vm: 'vm', ct: 'container' }

/** `stop_vm` → stop, vm; undefined for all that is not a power tool. */
export function powerOf(toolName: string): { action: 'start' | 'stop' | 'restart'; type: Guest['type'] } | undefined {
  const [, action, end] = /^(start|stop|restart)_(vm|container)$/.exec(toolName) ?? []
  if (action === undefined) return undefined
  return { action: action as 'start' | 'stop' | 'restart', type: end === 'vm' ? 'vm' : 'ct' }
}

/**
 * What an attached server's tool acts upon is not known here. The target is its definition, so that a card, a grant or a
 * denial stands for that one alone.
 */
export const resolveAttached = (toolName: string, { server, hash }: { server: string; hash: string }): Resolved => ({
  ok: true,
  target: { kind: 'none', id: `tool/${toolName}@${hash.slice(0, 16)}`, name: server },
})

/** Finds what a call is about in the cluster as it is known now. `message` names the field that is wrong. */
export function resolveTarget(toolName: string, input: Record<string, unknown>, world: World): Resolved {
  const { node, vmid, service } = input
  const power = powerOf(toolName)
  if (power !== undefined) return resolveGuest(power.action, power.type, vmid, node, world)
  if (typeof node !== 'string') return { ok: true, target: noTarget }
  const found = world.cluster.nodes.find(({ name }) => name === node)
  if (found === undefined) {
    const names = world.cluster.nodes.map(({ name }) => name).join(', ')
    return { ok: false, message: `node: there is no node ${node}. Nodes: ${names === '' ? 'none' : names}.` }
  }
  const asked = serviceAsked(toolName, input)
  const seen = asked && world.unitOf?.(asked.node, asked.service)
  const unit = seen === undefined ? {} : 'unit' in seen ? { unit: seen.unit } : { unitMissing: seen.missing }
  const place = { name: found.name, node: found.name, status: found.status, ...unit }
  if (unit.unit?.loadState === 'not-found' && asked !== undefined) {
    const field = toolName === 'restart_service' ? 'service' : 'command'
    return { ok: false, message: `${field}: ${node} has no service ${asked.service}.` }
  }
  if (toolName === 'restart_service' && typeof service === 'string') {
    return { ok: true, target: { kind: 'service', id: `service/${service}@${node}`, ...place, name: service } }
  }
  return { ok: true, target: { kind: 'node', id: `node/${node}`, ...place } }
}

/** A vmid is unique in the cluster; a node given besides must be the one the guest is on now. */
function resolveGuest(action: string, type: Guest['type'], vmid: unknown, node: unknown, world: World): Resolved {
  const guest = world.cluster.guests.find((candidate) => candidate.vmid === vmid)
  if (guest === undefined) {
    // Of a cluster that could not be read yet, nobody can say so.
    const [unread] = world.cluster.guests.length === 0 ? (world.cluster.missing ?? []) : []
    const why = unread === undefined ? '' : ` that is known: ${unread}`
    return { ok: false, message: `vmid: there is no guest ${String(vmid)}${why}.` }
  }
  if (guest.type !== type) {
    const end = toolEnds[guest.type]
    return { ok: false, message: `vmid: ${guest.vmid} is ${kinds[guest.type]}; use ${action}_${end}.` }
  }
  if (node !== undefined && node !== guest.node) {
    return { ok: false, message: `node: ${guest.vmid} is on ${guest.node}, not ${String(node)}.` }
  }
  const { vmid: id, name, status, lock, haState, madeAt } = guest
  const state = {
    status,
    ...(lock !== undefined && { lock }),
    ...(haState !== undefined && { haState }),
    ...(madeAt !== undefined && { madeAt }),
  }
  return { ok: true, target: { kind: 'guest', id: `${type}/${id}`, name, node: guest.node, vmid: id, type, ...state } }
}
