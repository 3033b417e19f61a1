import type { ClusterState } from 'protocol'
import type { StoredAlert } from './alert.ts'
import { type Ground, groundOf, type Leaning, noLeaning } from './leaning.ts'

/** Checks whose alerts explain others: an object that is away cannot be read, and neither can anything that depends on it. */
export const causes = {
  cluster: 'cluster-away',
  node: 'node-away',
  storage: 'storage-away',
  bridge: 'bridge-down',
  paused: 'vm-io-error',
  ha: 'ha-state',
} as const

const failedBackup = 'backup-failed'
const oldBackup = 'backup-old'
/** Checks of a guest whose alerts are explained if a storage of the guest's disks is away, because the guest waits for its disks. */
const needsDisks: ReadonlySet<string> = new Set([
  ...['vm-io-error', 'ha-state', 'agent-silent', 'vm-disk', 'stale-lock', failedBackup],
])
/** Checks of a guest that get no answer while the guest is paused. */
const needsGuest: ReadonlySet<string> = new Set(['agent-silent', 'vm-disk', 'stale-lock'])

const isOpen = ({ state, isClear }: StoredAlert) => state !== 'resolved' && isClear !== true
const order: readonly string[] = [causes.cluster, causes.node]
/** Sorts causes: the most distant first, then the one that began first. */
const rank = ({ check }: StoredAlert) => (order.includes(check) ? order.indexOf(check) : order.length)
const earlier = (a: StoredAlert, b: StoredAlert) => rank(a) - rank(b) || a.since - b.since || (a.id < b.id ? -1 : 1)

/** The place of a cause, as an id; undefined if its alert explains nothing. */
function placeOf({ check, object, severity }: StoredAlert): string | undefined {
  if (check === causes.node) return object.node === undefined ? undefined : `node/${object.node}`
  if (check === causes.ha) return severity === 'failed' && object.vmid !== undefined ? object.id : undefined
  return check === causes.storage || check === causes.bridge || check === causes.paused ? object.id : undefined
}

/** The things that an alert's object needs, as far as the alert's check depends on them. */
function needsOf(
  { check, object, chart, inputs, state }: StoredAlert,
  cluster: ClusterState,
  ground: Ground,
): string[] {
  const isPlace = /^(storage|bridge)\//.test(object.id)
  const backups =
    check.startsWith('backup-') && state === 'held'
      ? cluster.storages
          .filter(({ content }) => content.includes('backup'))
          .map(({ name, node }) => (node === undefined ? `storage/${name}` : `storage/${node}/${name}`))
      : []
  const target = check === failedBackup && inputs?.storage !== undefined ? String(inputs.storage) : undefined
  return [
    ...(object.node === undefined ? [] : [`node/${object.node}`]),
    ...(isPlace ? [object.id] : []),
    ...(needsGuest.has(check) ? [object.id] : []),
    ...(needsDisks.has(check) ? ground.disks(object.vmid) : []),
    ...(chart?.field === 'netBps' ? ground.bridges(object.vmid) : []),
    ...backups,
    ...(target === undefined ? [] : cluster.storages.filter(({ name }) => name === target).map(storageIdOf)),
  ]
}

const storageIdOf = ({ name, node }: { name: string; node?: string | undefined }) =>
  node === undefined ? `storage/${name}` : `storage/${node}/${name}`

/**
 * The alert that explains each explained alert, by the explained alert's id: something that the object depends on, directly or indirectly, is away.
 * The most distant cause is named. A pending cause counts too, so no message is sent until it is decided. If objects depend on each other in a
 * circle, the first alert explains the others, so that people still get a message.
 */
export function causesOf(
  alerts: readonly StoredAlert[],
  state: ClusterState,
  leaning: Leaning = noLeaning,
): Map<string, StoredAlert> {
  const open = alerts.filter(isOpen)
  const away = open.filter(({ check }) => check === causes.cluster)
  const at = new Map<string, StoredAlert[]>()
  for (const cause of open) {
    const place = placeOf(cause)
    if (place !== undefined) at.set(place, [...(at.get(place) ?? []), cause])
  }
  const failed = new Map(open.filter(({ check }) => check === failedBackup).map((alert) => [alert.object.id, alert]))
  const found = new Map<string, StoredAlert>()
  if (at.size === 0 && away.length === 0 && failed.size === 0) return found

  const ground = groundOf(state, leaning)
  const nearest = onceFor((alert: StoredAlert): StoredAlert[] => {
    const places = at.size === 0 ? [] : [...ground.under(needsOf(alert, state, ground))]
    const because = alert.check === oldBackup ? failed.get(alert.object.id) : undefined
    return [
      ...away,
      ...places.flatMap((place) => at.get(place) ?? []),
      ...(because === undefined ? [] : [because]),
    ].filter(({ id }) => id !== alert.id)
  })
  /** All alerts that explain an alert, directly or indirectly. In a circle, this includes the alert itself. */
  const all = onceFor((alert: StoredAlert): Set<StoredAlert> => {
    const causing = new Set(nearest(alert))
    for (const cause of causing) for (const further of nearest(cause)) causing.add(further)
    return causing
  })
  for (const alert of alerts) {
    const causing = all(alert)
    // A root cause: no other alert explains it, except alerts that it explains itself.
    const [first] = [...causing]
      .filter((cause) => [...all(cause)].every((further) => further === cause || all(further).has(cause)))
      .sort(earlier)
    if (first !== undefined && first.id !== alert.id) found.set(alert.id, first)
  }
  return found
}

/** Caches the result of a function for each alert. */
function onceFor<T>(of: (alert: StoredAlert) => T): (alert: StoredAlert) => T {
  const known = new Map<string, T>()
  return (alert) => {
    const before = known.get(alert.id)
    if (before !== undefined) return before
    const made = of(alert)
    known.set(alert.id, made)
    return made
  }
}
