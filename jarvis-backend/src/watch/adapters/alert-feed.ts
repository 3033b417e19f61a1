import type { Foundation } from '../../foundation.ts'
import type { StoredAlert } from '../alert.ts'

/** Checks whose alerts the cluster's own notices already report in the activity feed. */
const noticed = new Set([
  'cluster-away',
  'node-away',
  'quorum',
  'storage-away',
  'storage-full',
  'guest-stopped',
  'backup-old',
  'backup-failed',
])

/** Writes alerts to the activity feed, except alerts that the cluster's own notices already report. */
export function announce(alerts: readonly StoredAlert[], { activity, now }: Pick<Foundation, 'activity' | 'now'>) {
  for (const { check, sentence, severity, due, object, ending = '' } of alerts) {
    if (noticed.has(check)) continue
    const isOver = due?.what === 'resolved'
    activity.record({
      at: now(),
      kind: 'alert',
      level: isOver ? 'info' : severity === 'failed' ? 'error' : 'warning',
      text: isOver ? `Resolved: ${sentence} ${ending}` : sentence,
      node: object.node,
      vmid: object.vmid,
    })
  }
}
