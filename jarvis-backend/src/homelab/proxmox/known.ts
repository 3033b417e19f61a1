import { type GuestMarks, remadeIn } from 'homelab-ports/guest-identity'
import { madeAtIn } from 'homelab-ports/same-guest'
import type { Backup, Guest, Task } from 'protocol'
import type { GuestRow, NodeRow, StatusRow, StorageRow } from '../pve/answers.ts'
import type { Rights } from '../pve/rights.ts'
import type { Rates } from './rates.ts'

/** One read of the cluster. */
export type Reading = {
  at: number
  nodes: NodeRow[]
  guests: GuestRow[]
  storages: StorageRow[]
  /** Undefined where it could not be read. */
  status: StatusRow[] | undefined
  /** Undefined where they could not be read. */
  tasks: Task[] | undefined
  /** The parts that could not be read, in words. */
  missing: string[]
}

/** A guest as read at its node. The cluster's list is about ten seconds behind. */
export type Sighting = { status: Guest['status']; uptimeS: number; at: number; name?: string }

/** A node's figure that is read beside the cluster's list. */
export type Figure = { value: number; at: number }
/** A figure is read again within five minutes; older ones count as unknown. */
export const figureKeptMs = 360_000

/** Everything that is remembered between reads. */
export type Known = {
  reading: Reading | undefined
  rights: Rights
  nodeSeenAt: Map<string, number>
  /** The last row with name and sizes, which the list drops for guests on a dead node. */
  lastListed: Map<number, GuestRow>
  rates: Rates
  load1: Map<string, Figure>
  /** Memory of a node that is a cache, bytes. */
  cacheBytes: Map<string, Figure>
  temperatureC: Map<string, Figure>
  /** Why a node's sensors could not be read. */
  temperatureMissing: Map<string, string>
  /** Nodes without a readable sensor. */
  withoutSensor: Set<string>
  backupAt: Map<number, number>
  backups: readonly Backup[]
  /** As `Cluster.writerOf`, by storage. */
  writers: ReadonlyMap<string, string>
  /** As `Cluster.marks`. A guest that is missing is to be read. */
  marks: Map<number, GuestMarks>
  /** Guests whose marks are read again, because they may be others: they were started anew. */
  mayBeOthers: Set<number>
  /** As `Guest.madeAt`. */
  madeAt: Map<number, number>
  backupsMissing: string[]
  /** True if every storage was read, so that a guest missing in `backupAt` has no backup. */
  areBackupsWhole: boolean
  /** VMs that the list shows as running although they are paused. */
  paused: Set<number>
  /** VMs shown as running that may be paused, and why that could not be read; empty while the answer is outstanding. */
  doubtful: Map<number, string>
  sightings: Map<number, Sighting>
  /** Guests as JARVIS's own changes left them, until the cluster's list agrees. Without a row: it is gone. */
  own: Map<number, { row: GuestRow | undefined; at: number }>
  /** When each node last gave figures, Unix ms. */
  figuresAt: Map<string, number>
  /** Tasks begun by JARVIS, until the cluster's list shows them. */
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

/** How far the list may be behind, ms: its own ten seconds, and the time between two reads. */
const listLagMs = 15_000
/** Longest time that an own result counts against the list, ms. */
const ownKeptMs = 20_000
/** How long an own task that never appeared in the list is kept after its end, ms. */
const ownTaskKeptMs = 60_000

/** Stores a new read and forgets things that are gone. */
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

/** Notes which guests may be others than at the last read: what marked them is forgotten, or read again. */
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

/** The listed guests with what JARVIS's own changes made of them. */
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

/** Every node that the cluster names. Corosync tells whether it is online, else the list. */
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
