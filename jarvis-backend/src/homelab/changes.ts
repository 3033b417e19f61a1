import type { Activity, ClusterState, ClusterUpdate } from '../protocol/index.ts'

/** What differs, things replaced whole. @returns undefined where nothing does. */
export function changesBetween(before: ClusterState, after: ClusterState): ClusterUpdate | undefined {
  const vmids = new Set(after.guests.map(({ vmid }) => vmid))
  const changes = {
    ...some(
      'nodes',
      changed(before.nodes, after.nodes, ({ name }) => name),
    ),
    ...some(
      'guests',
      changed(before.guests, after.guests, ({ vmid }) => vmid),
    ),
    ...some(
      'storages',
      changed(before.storages, after.storages, ({ name, node }) => `${node ?? ''}/${name}`),
    ),
    ...some(
      'tasks',
      changed(before.tasks, after.tasks, ({ upid }) => upid),
    ),
    ...some(
      'removedGuests',
      before.guests.filter(({ vmid }) => !vmids.has(vmid)).map(({ vmid }) => vmid),
    ),
    ...(before.isQuorate === after.isQuorate ? {} : { isQuorate: after.isQuorate }),
    ...(isSame(before.missing, after.missing) ? {} : { missing: after.missing }),
  }
  return Object.keys(changes).length === 0 ? undefined : { at: after.at, ...changes }
}

const some = <K extends string, T>(key: K, items: T[]) =>
  items.length === 0 ? {} : ({ [key]: items } as Record<K, T[]>)

function changed<T>(before: readonly T[], after: readonly T[], idOf: (item: T) => unknown): T[] {
  const known = new Map(before.map((item) => [idOf(item), item]))
  return after.filter((item) => {
    const earlier = known.get(idOf(item))
    return earlier !== item && !isSame(earlier, item)
  })
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** The activity lines that a change of the cluster is worth: states and finished tasks, not metrics. */
export function activityBetween(before: ClusterState, after: ClusterState): Omit<Activity, 'id'>[] {
  const lines: Omit<Activity, 'id'>[] = []
  const { at } = after
  const nodes = new Map(before.nodes.map((node) => [node.name, node]))
  for (const { name, status } of after.nodes) {
    const was = nodes.get(name)?.status
    if (was === undefined || was === status) continue
    const level = status === 'online' ? 'info' : 'error'
    lines.push({ at, kind: 'node', level, node: name, text: `${name} is ${status}` })
  }
  const guests = new Map(before.guests.map((guest) => [guest.vmid, guest]))
  for (const { vmid, name, node, status } of after.guests) {
    const was = guests.get(vmid)?.status
    if (was === undefined || was === status) continue
    const level = status === 'unknown' ? 'warning' : 'info'
    lines.push({ at, kind: 'guest', level, vmid, node, text: `${vmid} ${name} is ${status}, was ${was}` })
  }
  const tasks = new Map(before.tasks.map((task) => [task.upid, task]))
  for (const { upid, type, node, vmid, status, exitStatus } of after.tasks) {
    if (status === 'running' || tasks.get(upid)?.status === status) continue
    lines.push({
      at,
      kind: 'task',
      level: status === 'ok' ? 'info' : status === 'failed' ? 'error' : 'warning',
      node,
      text: `${type}${vmid === undefined ? '' : ` ${vmid}`} on ${node}: ${exitStatus ?? status}`,
      ...(vmid !== undefined && { vmid }),
    })
  }
  return lines
}
