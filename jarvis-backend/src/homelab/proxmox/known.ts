import { type GuestMarks, remadeIn } from 'homelab-ports/guest-identity'
import { madeAtIn } from 'homelab-ports/same-guest'
import type { Backup, Guest, Task } from 'protocol'
import type { GuestRow, NodeRow, StatusRow, StorageRow } from '../pve/answers.ts'
import type { Rights } from '../pve/rights.ts'
import type { Rates } from './rates.ts'

/** The result of one read of the cluster. */
export type Reading = {
  at: number
  nodes: NodeRow[]
  guests: GuestRow[]
  storages: StorageRow[]
  /** Undefined: the status could not be read. */
  status: StatusRow[] | undefined
  /** Undefined: the tasks could not be read. */
  tasks: Task[] | undefined
  /** The parts that could not be read, in words. */
  missing: string[]
}

/** A guest as read from its own node. The cluster's list is about ten seconds behind that. */
export type Sighting = { status: Guest['status']; uptimeS: number; at: number; name?: string }

/** A figure of a node that the cluster's list does not have, and when it was read. */
export type Figure = { value: number; at: number }
/** Figures are read again within five minutes, so an older one counts as unknown, ms. */
export const figureKeptMs = 360_000

/** Everything that JARVIS remembers about the cluster between two reads. */
export type Known = {
  reading: Reading | undefined
  rights: Rights
  nodeSeenAt: Map<string, number>
  /** The last row that had a name and sizes: the list leaves these out for guests on a dead node. */
  lastListed: Map<number, GuestRow>
  rates: Rates
  load1: Map<string, Figure>
  /** The part of a node's memory that is cache, bytes. */
  cacheBytes: Map<string, Figure>
  temperatureC: Map<string, Figure>
  /** Why a node's sensors could not be read. */
  temperatureMissing: Map<string, string>
  /** Nodes without a readable sensor. */
  withoutSensor: Set<string>
  backupAt: Map<number, number>
  backups: readonly Backup[]
  /** Same as `Cluster.writerOf`, by storage. */
  writers: ReadonlyMap<string, string>
  /** Same as `Cluster.marks`. The marks of a guest without an entry are still to be read. */
  marks: Map<number, GuestMarks>
  /** Guests whose marks are read again: they were started since, so another guest may have the vmid now. */
  mayBeOthers: Set<number>
  /** Same as `Guest.madeAt`, by vmid. */
  madeAt: Map<number, number>
  backupsMissing: string[]
  /** True if every storage was read, so that a guest without an entry in `backupAt` has no backup. */
  areBackupsWhole: boolean
  /** VMs that the list shows as running although they are paused. */
  paused: Set<number>
  /**
   * VMs that the list shows as running and that may be paused, each with the reason why its state could not be read. The reason is empty while a
   * request for the state runs.
   */
  doubtful: Map<number, string>
  sightings: Map<number, Sighting>
  /** Guests as JARVIS's own requests left them, until the cluster's list agrees. `row` undefined: the guest was destroyed. */
  own: Map<number, { row: GuestRow | undefined; at: number }>
  /** When each node last reported figures, Unix ms. */
  figuresAt: Map<string, number>
  /** Tasks that JARVIS started, until the cluster's list shows them. */
  ownTasks: Map<string, Task>
  self: { node?: string; vmid?: number } | undefined
  /** How far the cluster's clock is ahead of JARVIS's, ms; undefined while no answer had a time. */
  clockOffMs: number | undefined
}

export const nothingKnown = (rates: Rates): Known => ({
  reading: undefined,
  rights: undefined,
  nodeSeenAt: new Map(),
  lastListed: new Map(),
  rates,
  load1: new Map(),
  cacheBytes: new Map(),
  temperatureC: new Map(),
  temperatureMissing: new Map(),
  withoutSensor: new Set(),
  backupAt: new Map(),
  backups: [],
  writers: new Map(),
  marks: new Map(),
  mayBeOthers: new Set(),
  madeAt: new Map(),
  backupsMissing: [],
  areBackupsWhole: false,
  paused: new Set(),
  doubtful: new Map(),
  sightings: new Map(),
  own: new Map(),
  figuresAt: new Map(),
  ownTasks: new Map(),
  self: undefined,
  clockOffMs: undefined,
})

/** Maximum delay of the cluster's list, ms: its own ten seconds, and the time between two reads. */
const listLagMs = 15_000
/** Longest time that the result of JARVIS's own request overrides the list, ms. */
const ownKeptMs = 20_000
/** Time that a task of JARVIS's own is kept after its end if the list never shows it, ms. */
const ownTaskKeptMs = 60_000

/** Stores a new read and forgets guests and tasks that are gone. */
export function learn(known: Known, read: Reading) {
  for (const [vmid, { row, at }] of known.own) {
    const listed = read.guests.find((guest) => guest.vmid === vmid)
    if (listed?.node === row?.node || read.at - at > ownKeptMs) known.own.delete(vmid)
  }
  const reading = { ...read, guests: withOwn(read.guests, known.own) }
  suspect(known, reading)
  known.reading = reading
  for (const { node, cpu } of reading.nodes) if (cpu !== undefined) known.figuresAt.set(node, reading.at)
  for (const { name, isOnline } of nodesOf(reading)) if (isOnline) known.nodeSeenAt.set(name, reading.at)
  for (const row of reading.guests) if (row.name !== undefined) known.lastListed.set(row.vmid, row)
  known.rates.learn(reading.guests, reading.at)
  for (const { vmid } of reading.guests) {
    const madeAt = madeAtIn(vmid, reading.tasks ?? [])
    if (madeAt !== undefined) known.madeAt.set(vmid, Math.max(madeAt, known.madeAt.get(vmid) ?? 0))
  }
  const vmids = new Set(reading.guests.map(({ vmid }) => vmid))
  for (const map of [known.lastListed, known.backupAt, known.sightings, known.marks]) {
    for (const vmid of map.keys()) if (!vmids.has(vmid)) map.delete(vmid)
  }
  for (const [vmid, { at }] of known.sightings) if (reading.at - at > listLagMs) known.sightings.delete(vmid)
  if (reading.tasks === undefined) return
  const listed = new Map(reading.tasks.map((task) => [task.upid, task]))
  for (const [upid, task] of known.ownTasks) {
    const isShown = task.status === 'running' || listed.get(upid)?.status === task.status
    const isOld = task.endedAt !== undefined && reading.at - task.endedAt > ownTaskKeptMs
    if ((isShown && task.status !== 'running') || isOld) known.ownTasks.delete(upid)
  }
}

/** Finds guests whose vmid may belong to another guest since the last read. Deletes their marks, or has them read again. */
function suspect(known: Known, { guests, tasks = [] }: Reading) {
  const before = new Map(known.reading?.guests.map((row) => [row.vmid, row]))
  for (const row of guests) {
    const { vmid, type, name, uptime = 0, status } = row
    const marks = known.marks.get(vmid)
    const last = before.get(vmid)
    if (marks === undefined) continue
    const remade = remadeIn(vmid, tasks)
    const isRemade = remade !== undefined && remade.at > (marks.remade?.at ?? 0)
    const isRenamed = name !== undefined && last?.name !== undefined && name !== last.name
    if (last === undefined || last.type !== type || isRenamed || isRemade) known.marks.delete(vmid)
    else if (uptime < (last.uptime ?? 0) || (status === 'running' && last.status !== 'running'))
      known.mayBeOthers.add(vmid)
  }
}

/** Returns the listed guests, corrected by the results of JARVIS's own requests. */
export function withOwn(listed: readonly GuestRow[], own: Known['own']): GuestRow[] {
  const isListed = new Set(listed.map(({ vmid }) => vmid))
  return [
    ...listed.flatMap((guest) => {
      const mine = own.get(guest.vmid)
      if (mine === undefined) return [guest]
      return mine.row === undefined ? [] : [{ ...guest, node: mine.row.node }]
    }),
    ...[...own].flatMap(([vmid, { row }]) => (row === undefined || isListed.has(vmid) ? [] : [row])),
  ]
}

/** Returns every node that the cluster names. Corosync's membership decides if a node is online; without it the list decides. */
export function nodesOf({ nodes, status }: Pick<Reading, 'nodes' | 'status'>) {
  const members = new Map(
    (status ?? []).filter(({ type }) => type === 'node').map(({ name, online }) => [name, online] as const),
  )
  const rows = new Map(nodes.map((row) => [row.node, row]))
  return [...new Set([...rows.keys(), ...members.keys()])].map((name) => {
    const row = rows.get(name)
    const online =
      members.get(name) ?? (row?.status === 'online' ? true : row?.status === 'offline' ? false : undefined)
    return { name, row, isOnline: online === true, isUnknown: online === undefined }
  })
}
