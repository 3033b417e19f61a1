import type { ClusterState } from '../protocol/index.ts'
import type { StoredAlert } from './alert.ts'

/** Checks whose alerts explain others: what is away cannot be seen, nor what stands on it. */
export const causes = { cluster: 'cluster-away', node: 'node-away', storage: 'storage-away' } as const

const failedBackup = 'backup-failed'
const oldBackup = 'backup-old'

const isOpen = ({ state, isClear }: StoredAlert) => state !== 'resolved' && isClear !== true

/** What an alert hides, by the cause's check; in this order, so that the farthest cause is named. */
const hides: readonly [
  check: string,
  isHidden: (cause: StoredAlert, other: StoredAlert, state: ClusterState) => boolean,
][] = [
  [causes.cluster, () => true],
  [causes.node, (cause, other) => cause.object.node !== undefined && other.object.node === cause.object.node],
  [
    causes.storage,
    (cause, other, state) => isOf(cause, other) || isBackupOn(cause, other, state) || namesIt(cause, other),
  ],
]

const isOf = (cause: StoredAlert, other: StoredAlert) => other.object.id === cause.object.id

/** Backups that cannot be seen while the storage that would hold them is away. */
const isBackupOn = ({ object }: StoredAlert, other: StoredAlert, { storages }: ClusterState) =>
  other.check.startsWith('backup-') &&
  other.state === 'held' &&
  storages.some(({ name, content }) => name === object.name && content.includes('backup'))

/** A backup that failed for that storage. */
const namesIt = ({ object }: StoredAlert, { check, inputs }: StoredAlert) =>
  check === failedBackup && inputs?.storage === object.name

/** The alerts that explain each alert, by id. A pending cause counts too: until it is decided, nobody is told. */
export function causesOf(alerts: readonly StoredAlert[], state: ClusterState): Map<string, StoredAlert> {
  const found = new Map<string, StoredAlert>()
  for (const [check, isHidden] of hides) {
    for (const cause of alerts) {
      if (cause.check !== check || !isOpen(cause)) continue
      for (const other of alerts)
        if (other.id !== cause.id && !found.has(other.id) && isHidden(cause, other, state))
          found.set(other.id, found.get(cause.id) ?? cause)
    }
  }
  // A backup is old because it failed.
  const failed = new Map(
    alerts.filter((alert) => alert.check === failedBackup && isOpen(alert)).map((alert) => [alert.object.id, alert]),
  )
  for (const { id, check, object } of alerts) {
    const cause = check === oldBackup ? failed.get(object.id) : undefined
    if (cause !== undefined && !found.has(id)) found.set(id, found.get(cause.id) ?? cause)
  }
  return found
}
