import { asFarAsSeen, type Guest, type Target } from 'protocol'
import { judgeCommand } from 'ssh-grammar/judge-command'
import { type Effect, Mistake, noTarget, type PowerAction } from './effect.ts'
import type { World } from './world.ts'

const kinds = { vm: 'a virtual machine', ct: 'a container' }

/** Returns the node with this name. @param field the call's argument that an error message names @throws Mistake if there is no such node */
export function nodeTarget(name: string, { cluster }: World, field = 'node'): Target {
  const found = cluster.nodes.find((node) => node.name === name)
  if (found === undefined) {
    const names = cluster.nodes.map((node) => node.name).join(', ')
    throw new Mistake(`${field}: there is no node ${name}. Nodes: ${names === '' ? 'none' : names}.`)
  }
  return { kind: 'node', id: `node/${name}`, name: found.name, node: found.name, status: found.status }
}

/**
 * Returns the guest with this vmid, which is unique in the cluster. @param node if given, the node on which the guest must be now
 * @throws Mistake if there is no such guest, or if it is of another type or on another node
 */
export function guestTarget(
  { vmid, node }: { vmid: number; node?: string | undefined },
  { cluster }: World,
  wanted?: { type: Guest['type']; instead: string },
): Target {
  const guest = cluster.guests.find((candidate) => candidate.vmid === vmid)
  if (guest === undefined) {
    // While the cluster has not been read, a guest that is not listed may still exist.
    const [unread] = cluster.guests.length === 0 ? (cluster.missing ?? []) : []
    const as = unread === undefined ? asFarAsSeen('guests', cluster) : ` that is known: ${unread}`
    throw new Mistake(`vmid: there is no guest ${vmid}${as}.`)
  }
  const { type, name, status, lock, haState, madeAt, identity } = guest
  if (wanted !== undefined && type !== wanted.type) {
    throw new Mistake(`vmid: ${vmid} is ${kinds[type]}; use ${wanted.instead}.`)
  }
  if (node !== undefined && node !== guest.node) {
    throw new Mistake(`node: ${vmid} is on ${guest.node}, not ${node}.`)
  }
  return {
    kind: 'guest',
    id: `${type}/${vmid}`,
    name,
    node: guest.node,
    vmid,
    type,
    status,
    ...(lock !== undefined && { lock }),
    haState,
    madeAt,
    identity,
  }
}

/** Returns the effect of a read: on the node if the read names one, otherwise on the whole site. @throws Mistake if there is no such node */
export const reads = ({ node }: { node?: string | undefined; [name: string]: unknown }, world: World): Effect[] => [
  node === undefined
    ? { kind: 'read', on: 'site', target: noTarget }
    : { kind: 'read', on: 'node', target: nodeTarget(node, world) },
]

/** Returns an effect on a service of a node, with the last known state of its unit. @throws Mistake if there is no such node or service */
export function serviceEffect(
  action: PowerAction,
  { node, service }: { node: string; service: string },
  world: World,
): Effect {
  const place = withUnit(nodeTarget(node, world), { service, field: 'service' }, world)
  const target: Target = { ...place, kind: 'service', id: `service/${service}@${node}`, name: service }
  return { kind: 'power', on: 'service', action, service, isUnit: true, target }
}

/** Adds the node's newest report on the unit to the target. @param asked.field the call's argument that an error message names */
export function withUnit(
  place: Target,
  { service, field }: { service: string; field: string },
  { unitOf }: World,
): Target {
  const seen = unitOf?.(place.node ?? '', service)
  if (seen === undefined) return place
  if ('missing' in seen) return { ...place, unitMissing: seen.missing }
  if (seen.unit.loadState === 'not-found') throw new Mistake(`${field}: ${place.node} has no service ${service}.`)
  return { ...place, unit: seen.unit }
}

/** Returns the effect of a text that the node's shell runs, with the service that it changes. @throws Mistake */
export function commandEffect(node: string, executes: { argument: string; text: string }, world: World): Effect {
  const place = nodeTarget(node, world)
  const judged = judgeCommand(executes.text)
  const isReadOnly = judged.verdict === 'read_only'
  const effect: Effect = { kind: 'execute', on: 'node', executes, target: place, ...(isReadOnly && { isReadOnly }) }
  if (judged.verdict !== 'change' || judged.service === undefined) return effect
  const { service } = judged
  // Docker containers are not systemd units.
  if (!/^\s*systemctl\b/.test(executes.text)) return { ...effect, service }
  return { ...effect, service, isUnit: true, target: withUnit(place, { service, field: executes.argument }, world) }
}
