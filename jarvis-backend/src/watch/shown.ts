import type { Alert, ClusterState, Limits, MaintenanceWindow } from 'protocol'
import { isSilent, type StoredAlert } from './alert.ts'
import type { Check } from './check.ts'
import { causesOf } from './hides.ts'
import type { Leaning } from './leaning.ts'

/** Alerts of one node may belong together if one fired within this time after the other, ms. */
const nearMs = 5 * 60_000
const gravity = { failed: 0, look: 1, info: 2 } as const
const progress = { firing: 0, held: 1, pending: 2, resolved: 3 } as const

export type Surroundings = {
  now: number
  state: ClusterState
  limits: Limits
  windows: readonly MaintenanceWindow[]
  checkOf(id: string): Check | undefined
  /** The objects that guests and storages depend on. Absent: only the nodes are known. */
  leaning?: Leaning
}

/** The window that covers an object now. A window for a node also covers everything on the node. */
export const windowOf = ({ object }: Pick<Alert, 'object'>, windows: readonly MaintenanceWindow[], now: number) =>
  windows.find(
    ({ from, until, objects }) =>
      from <= now &&
      now < until &&
      objects.some(
        (id) => id === '*' || id === object.id || (object.node !== undefined && id === `node/${object.node}`),
      ),
  )

/** Alerts as clients get them, most severe first. They tell which alert hides which, which alerts are near, and which a window covers. */
export function shownAlerts(alerts: readonly StoredAlert[], around: Surroundings): Alert[] {
  const hiding = causesOf(alerts, around.state, around.leaning)
  const hiddenBy = new Map([...hiding].map(([id, { id: by }]) => [id, by]))
  const hides = new Map<string, number>()
  for (const by of hiddenBy.values()) hides.set(by, (hides.get(by) ?? 0) + 1)
  // The time at which a sweep's alert fires depends on the sweep and does not tell when the condition began.
  const isState = ({ check }: StoredAlert) => around.checkOf(check)?.pace === 'state'
  const first = firstOfNodes(alerts.filter(isState))
  return alerts
    .map((alert) => {
      const by = hiddenBy.get(alert.id)
      const count = hides.get(alert.id)
      const near = first.get(alert.object.node ?? '')?.find((other) => isNear(other, alert) && isState(alert))
      return {
        ...shownAlert(alert, around),
        ...(by !== undefined && { hiddenBy: by }),
        ...(count !== undefined && { hides: count }),
        ...(near !== undefined && { near: near.id }),
      }
    })
    .sort(
      (a, b) =>
        gravity[a.severity] - gravity[b.severity] ||
        progress[a.state] - progress[b.state] ||
        b.since - a.since ||
        (a.id < b.id ? -1 : 1),
    )
}

/** One alert as clients get it. */
export function shownAlert(stored: StoredAlert, around: Surroundings): Alert {
  const { seenAt: _s, amount: _a, isLowBad: _l, values: _v, inputs: _i, turns: _t, isClear: _x, ...rest } = stored
  const { silence, flapping, acknowledged, due, told, ...alert } = rest
  const check = around.checkOf(alert.check)
  const window = alert.state === 'resolved' ? undefined : windowOf(alert, around.windows, around.now)
  const isQuiet = silence !== undefined && isSilent(stored, around.now) && alert.state !== 'resolved'
  return {
    ...alert,
    ...(check !== undefined && { limit: check.limit(around.limits) }),
    ...(acknowledged !== undefined && { acknowledged: shownAcknowledgement(acknowledged) }),
    ...(flapping !== undefined && flapping.until > around.now && { flapping }),
    ...(isQuiet && { silenced: silence }),
    ...(!isQuiet &&
      window && { silenced: { by: window.by, until: window.until, note: window.name, window: window.id } }),
    told: [
      ...told.map(({ isOpen: _open, ...words }) => words),
      ...(due?.quiet === undefined ? [] : [{ at: due.at, what: due.what, words: due.quiet }]),
    ],
  }
}

const shownAcknowledgement = ({
  severity: _severity,
  untilValue: _value,
  ...acknowledged
}: NonNullable<StoredAlert['acknowledged']>) => acknowledged

/** The alerts of each node that fired, earliest first. */
function firstOfNodes(alerts: readonly StoredAlert[]): Map<string, StoredAlert[]> {
  const byNode = new Map<string, StoredAlert[]>()
  for (const alert of [...alerts].sort((a, b) => (a.firedAt ?? 0) - (b.firedAt ?? 0))) {
    const { node } = alert.object
    if (node === undefined || alert.firedAt === undefined) continue
    const others = byNode.get(node)
    if (others === undefined) byNode.set(node, [alert])
    else others.push(alert)
  }
  return byNode
}

const isNear = (other: StoredAlert, { check, firedAt }: StoredAlert) =>
  other.check !== check &&
  firedAt !== undefined &&
  other.firedAt !== undefined &&
  other.firedAt < firedAt &&
  firedAt - other.firedAt <= nearMs
