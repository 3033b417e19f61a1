import type { Partial } from 'homelab-ports/ports'
import { percent } from 'node-kit/words'
import type { Alert, AlertDetail, OfferedRunbook, Task } from 'protocol'
import { plainName } from '../homelab/format.ts'
import { type AlertStore, fingerprintOf, type StoredAlert } from './alert.ts'
import type { Check, CheckPorts } from './check.ts'

const dayMs = 24 * 3_600_000
const earlierMs = 30 * dayMs
/** Alerts of the same node are shown if they fired within this time before or after, ms. */
const aroundMs = 30 * 60_000
const mostChanges = 20
/** Minimum number of values for a median: those of half an hour. */
const fewestValues = 30

export type AlertChange = AlertDetail['changes'][number]

/** The data and functions that the page of one alert reads. */
export type DetailPorts = {
  samples: CheckPorts['samples']
  /** The changes that JARVIS made to these targets between two times, newest first. */
  changes(targets: readonly string[], from: number, to: number): Promise<AlertChange[]>
  /** A node's newest tasks, or those of all nodes. @throws as `Cluster.tasks` */
  tasks(node: string | undefined): Promise<Partial<Task>>
  isOurs(task: Task): boolean
  offers(alert: Pick<StoredAlert, 'check' | 'object' | 'inputs'>, names: readonly string[]): OfferedRunbook[]
}

/** Makes the page of one alert. `missing` names everything that could not be read. */
export async function detailOf(
  stored: StoredAlert,
  around: {
    shown: Alert
    /** Alerts that have not ended, as they are shown. */
    open: readonly Alert[]
    /** Recently ended alerts of its node. */
    ended: readonly Alert[]
    check: Check | undefined
    durationMs: number | undefined
    store: Pick<AlertStore, 'earlier'>
    now: number
  },
  ports: DetailPorts,
): Promise<AlertDetail> {
  const { shown, open, ended, check } = around
  const missing: string[] = []
  const usual = usualOf(stored, around.now, ports)
  return {
    ...shown,
    title: check?.title ?? stored.check,
    evidence: {
      read: readOf(check, stored),
      at: stored.seenAt,
      durationMs: around.durationMs,
      values: [...stored.values],
      usual,
      before: around.store.earlier(
        fingerprintOf(stored),
        Math.max(around.now - earlierMs, stored.object.guest?.since ?? 0),
      ),
    },
    changes: await changesBefore(stored, ports, missing),
    also: [...open, ...ended].filter((other) => isAround(stored, other)),
    hidden: open.filter(({ hiddenBy }) => hiddenBy === stored.id),
    runbooks: ports.offers(stored, check?.runbooks ?? []),
    missing,
  }
}

/** The check's `reads` for this object: the path with the object's node and VMID filled in. */
const readOf = (check: Check | undefined, { inputs = {}, object }: StoredAlert): string =>
  (check?.reads ?? 'unknown: the check is no longer there').replace(/\{(\w+)\}/g, (place, name: string) =>
    String(inputs[name] ?? (name === 'node' ? object.node : name === 'vmid' ? object.vmid : undefined) ?? place),
  )

const isAround = ({ id, object, firedAt, since }: StoredAlert, other: Alert): boolean =>
  other.id !== id &&
  object.node !== undefined &&
  other.object.node === object.node &&
  other.firedAt !== undefined &&
  Math.abs(other.firedAt - (firedAt ?? since)) <= aroundMs

/** The median of the day before the alert began, in words; undefined if too few values of it are known. */
function usualOf({ chart, since }: StoredAlert, now: number, { samples }: DetailPorts): string | undefined {
  if (chart === undefined) return undefined
  const minutes = dayMs / 60_000
  const after = Math.max(0, Math.floor((now - since) / 60_000))
  const known = samples(chart.series, chart.field, minutes)
    .slice(0, minutes - after)
    .filter((value) => value !== undefined)
    .sort((a, b) => a - b)
  const median = known[Math.floor(known.length / 2)]
  return median === undefined || known.length < fewestValues
    ? undefined
    : `${figure(chart.field, median)}, median of 24 h`
}

function figure(field: string, value: number): string {
  if (field.endsWith('Ratio')) return percent(value)
  return field === 'temperatureC' ? `${Math.round(value)} °C` : String(Number(value.toPrecision(3)))
}

/** Changes of the object and its node in the day before the alert began, newest first. */
async function changesBefore(alert: StoredAlert, ports: DetailPorts, missing: string[]): Promise<AlertChange[]> {
  const { object, since } = alert
  const from = since - dayMs
  const targets = [...new Set([object.id, ...(object.node === undefined ? [] : [`node/${object.node}`])])]
  const [ours, tasks] = await Promise.all([
    ports.changes(targets, from, since),
    ports.tasks(object.node).catch((error: unknown): Partial<Task> => {
      const why = error instanceof Error ? error.message : String(error)
      return { items: [], missing: [`The tasks before it could not be read: ${why}`] }
    }),
  ])
  missing.push(...tasks.missing)
  const foreign = tasks.items
    .filter((task) => task.startedAt >= from && task.startedAt <= since && isAbout(alert, task) && !ports.isOurs(task))
    .map(
      (task): AlertChange => ({
        at: task.startedAt,
        sentence: `${plainName(task.type)}${task.vmid === undefined ? '' : ` of ${task.vmid}`} on ${plainName(task.node)}: ${plainName(task.reason ?? task.exitStatus ?? task.status)}`,
        by: plainName(task.user),
        isOurs: false,
      }),
    )
  return [...ours, ...foreign].sort((a, b) => b.at - a.at).slice(0, mostChanges)
}

/** True if a task may concern the alert: for a guest, its own tasks and its node's tasks without a guest; for a node, any of its tasks. */
const isAbout = ({ object: { vmid, node } }: StoredAlert, task: Task): boolean =>
  vmid === undefined
    ? node === undefined || task.node === node
    : task.vmid === vmid || (task.vmid === undefined && task.node === node)
