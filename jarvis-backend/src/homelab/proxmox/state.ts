import { newest } from 'homelab-ports/newest-tasks'
import { byNatural } from 'node-kit/natural'
import type { ClusterPart, ClusterState, Guest, Node, Storage, Task } from 'protocol'
import type { GuestRow, StorageRow } from '../pve/answers.ts'
import { emptyLine, hiddenLine, reachOf, sightOf } from '../pve/rights.ts'
import { quorumOf } from '../quorum.ts'
import { noFigures } from '../unknown.ts'
import { type Figure, figureKeptMs, type Known, nodesOf, type Reading } from './known.ts'

const shownTasks = 20
/**
 * Smallest difference of the clocks that is reported, ms; a smaller one does not affect ages. Differences are rounded to 10 s, so that the state
 * does not change with each read.
 */
const clockCountsMs = 30_000
const roundedOff = (ms: number) => Math.round(ms / 10_000) * 10_000
const orNull = (value: number | undefined, as: (known: number) => number) => (value === undefined ? null : as(value))
const digits = (value: number, count: number) => Number(value.toFixed(count))

/** `startedAt`: when JARVIS began to read the cluster, Unix ms. `lost`: why the cluster cannot be read now, in words; undefined if it can. */
type About = { protectedTargets: ReadonlySet<string>; startedAt: number; lost: string | undefined }

/** Builds the state for clients from everything known. */
export function stateOf(known: Known, { protectedTargets, startedAt, lost }: About): ClusterState {
  const { reading, self } = known
  if (reading === undefined) {
    const missing = [lost ?? 'the cluster has not been read yet']
    const none = { nodes: [], guests: [], storages: [], tasks: [] }
    const unread: ClusterPart[] = ['nodes', 'guests', 'storages', 'tasks']
    return { name: 'cluster', isDemo: false, at: startedAt, ...none, isQuorate: null, missing, unread }
  }
  const cluster = reading.status?.find(({ type }) => type === 'cluster')
  const nodes = nodesOf(reading).map((node) => nodeOf(node, known, protectedTargets))
  const online = new Set(nodes.flatMap(({ name, status }) => (status === 'online' ? [name] : [])))
  const measured = new Set(reading.nodes.flatMap(({ node, status }) => (status === 'online' ? [node] : [])))
  const unread: ClusterPart[] = [
    ...(isHidden(reading.guests, known.rights, guestRight) ? (['guests'] as const) : []),
    ...(isHidden(reading.storages, known.rights, storageRight) ? (['storages'] as const) : []),
    ...(reading.tasks === undefined ? (['tasks'] as const) : []),
  ]
  const hidden = (['guests', 'storages', 'tasks'] as const).filter((part) => sightOf(known.rights, part) !== 'all')
  return {
    name: cluster?.name ?? nodes[0]?.name ?? 'cluster',
    isDemo: false,
    at: reading.at,
    nodes: nodes.sort((a, b) => byNatural(a.name, b.name)),
    guests: reading.guests
      .map((row) => guestOf(row, known, { protectedTargets, answers: online.has(row.node) }))
      .sort((a, b) => a.vmid - b.vmid),
    storages: storagesOf(reading.storages, new Set([...online].filter((name) => measured.has(name)))),
    tasks: newest(tasksOf(known), shownTasks),
    isQuorate: quorumOf(reading.status),
    self,
    missing: [...(lost === undefined ? [] : [lost]), ...missingOf(known, reading, nodes)],
    ...(unread.length > 0 && { unread }),
    ...(hidden.length > 0 && { hidden }),
    ...(known.clockOffMs !== undefined &&
      Math.abs(known.clockOffMs) >= clockCountsMs && { clockOffMs: roundedOff(known.clockOffMs) }),
  }
}

function nodeOf(
  { name, row, isOnline, isUnknown }: ReturnType<typeof nodesOf>[number],
  { nodeSeenAt, load1, cacheBytes, temperatureC, withoutSensor, reading }: Known,
  protectedTargets: ReadonlySet<string>,
): Node {
  const seenAt = nodeSeenAt.get(name)
  const who = { name, isProtected: protectedTargets.has(`node/${name}`) }
  const lastSeen = seenAt === undefined ? {} : { lastSeenAt: seenAt }
  if (!isOnline) return { ...who, status: isUnknown ? 'unknown' : 'offline', ...lastSeen }
  const recent = (figure: Figure | undefined) =>
    figure !== undefined && (reading?.at ?? 0) - figure.at <= figureKeptMs ? figure.value : undefined
  const cache = recent(cacheBytes.get(name))
  const load = recent(load1.get(name))
  const heat = recent(temperatureC.get(name))
  return {
    ...who,
    status: 'online',
    // A node that answers uses some CPU. Proxmox reports 0 before it has measured.
    ...(row?.cpu !== undefined && row.cpu > 0 && { cpuRatio: digits(row.cpu, 3) }),
    ...(row?.maxcpu !== undefined && { cpuCount: row.maxcpu }),
    ...(row?.mem !== undefined && { ramBytes: row.mem }),
    ...(row?.maxmem !== undefined && { ramTotalBytes: row.maxmem }),
    ...(cache !== undefined && row?.mem !== undefined && { ramCacheBytes: Math.min(cache, row.mem) }),
    ...(row?.uptime !== undefined && { uptimeS: row.uptime }),
    ...(load !== undefined && { load1: digits(load, 2) }),
    ...(heat !== undefined ? { temperatureC: digits(heat, 1) } : !withoutSensor.has(name) && { temperatureC: null }),
  }
}

/** Builds a guest for clients. @param answers true if the guest's node is online. Proxmox lists guests of a lost node as running for five minutes */
function guestOf(
  row: GuestRow,
  known: Known,
  { protectedTargets, answers }: { protectedTargets: ReadonlySet<string>; answers: boolean },
): Guest {
  const { vmid, node } = row
  const type = row.type === 'qemu' ? 'vm' : 'ct'
  const seen = known.sightings.get(vmid)
  const listed = statusIn(row.status)
  const status = !answers ? 'unknown' : (seen?.status ?? (listed === 'running' ? runningOrPaused(vmid, known) : listed))
  const isUp = status === 'running' || status === 'paused'
  const since = seen === undefined ? 0 : Math.max(0, (known.reading?.at ?? seen.at) - seen.at) / 1000
  const rate = status === 'running' ? known.rates.of(vmid) : undefined
  const backupAt = known.backupAt.get(vmid) ?? (known.areBackupsWhole ? undefined : null)
  const madeAt = known.madeAt.get(vmid)
  const last = known.lastListed.get(vmid) ?? row
  const isHa = row.hastate !== undefined && !['unmanaged', 'ignored'].includes(row.hastate)
  return {
    vmid,
    name: seen?.name ?? last.name ?? `${type}-${vmid}`,
    type,
    node,
    status,
    isProtected: protectedTargets.has(`${type}/${vmid}`),
    uptimeS: isUp ? orNull(seen === undefined ? row.uptime : seen.uptimeS + since, Math.floor) : 0,
    cpuRatio: status === 'running' ? orNull(row.cpu, (cpu) => digits(cpu, 3)) : 0,
    cpuCount: last.maxcpu ?? null,
    ramBytes: isUp ? ramOf(row, last.maxmem) : 0,
    ramTotalBytes: last.maxmem ?? null,
    // Proxmox does not measure a VM's disk use: the list has 0.
    diskBytes: type === 'vm' ? null : (row.disk ?? null),
    diskTotalBytes: last.maxdisk ?? null,
    ...(status === 'unknown' && noFigures),
    ...(rate?.inBps !== undefined && { netInBps: rate.inBps }),
    ...(rate?.outBps !== undefined && { netOutBps: rate.outBps }),
    ...(rate?.diskBps !== undefined && { diskBps: rate.diskBps }),
    lock: row.lock,
    isHa,
    haState: row.hastate,
    tags: (last.tags ?? '').split(/[;, ]+/).filter((tag) => tag !== ''),
    pool: last.pool,
    ...(last.template && { isTemplate: true }),
    backupAt,
    madeAt,
  }
}

/** Returns a guest's used memory, bytes. A figure above the guest's whole memory is that of its process on the host; the result is then null. */
const ramOf = ({ mem }: GuestRow, most: number | undefined): number | null =>
  mem === undefined || (most !== undefined && mem > most) ? null : mem

const runningOrPaused = (vmid: number, { paused, doubtful }: Known): Guest['status'] =>
  paused.has(vmid) ? 'paused' : doubtful.has(vmid) ? 'unknown' : 'running'

/** Translates a status. The list may have QEMU's states. Most of them mean that a VM is neither running nor off; they become `unknown`. */
export function statusIn(word: string | undefined): Guest['status'] {
  if (word === 'stopped' || word === 'running') return word
  return word === 'paused' || word === 'suspended' ? 'paused' : 'unknown'
}

/**
 * Merges the rows of a shared storage, which Proxmox lists once per node.
 * @param measured nodes whose statistics service runs. On other nodes every storage is listed as `unknown`, active or not
 */
function storagesOf(rows: readonly StorageRow[], measured: ReadonlySet<string>): Storage[] {
  const byId = new Map<string, Storage>()
  for (const row of rows) {
    const id = row.shared ? row.storage : `${row.node}/${row.storage}`
    const isActive = row.status === 'available' ? true : measured.has(row.node) ? false : null
    const before = byId.get(id)
    // For shared storage the best status of any node counts.
    if (before !== undefined && rank(before.isActive) >= rank(isActive)) continue
    byId.set(id, {
      name: row.storage,
      ...(!row.shared && { node: row.node }),
      type: row.plugintype ?? 'unknown',
      content: (row.content ?? '').split(',').filter((kind) => kind !== ''),
      isActive,
      usedBytes: row.disk ?? null,
      totalBytes: row.maxdisk ?? null,
    })
  }
  // Sort the storages, because Proxmox's order depends on which node answered first.
  return [...byId.values()].sort((a, b) => byNatural(a.name, b.name) || byNatural(a.node ?? '', b.node ?? ''))
}

const rank = (isActive: boolean | null) => (isActive === true ? 2 : isActive === false ? 1 : 0)

/** Returns the cluster's tasks and those that JARVIS started. If a task is in both lists, the version that has ended is used. */
function tasksOf({ reading, ownTasks }: Pick<Known, 'reading' | 'ownTasks'>): Task[] {
  const byUpid = new Map((reading?.tasks ?? []).map((task) => [task.upid, task]))
  for (const [upid, task] of ownTasks) {
    const listed = byUpid.get(upid)
    if (listed === undefined || listed.status === 'running') byUpid.set(upid, task)
  }
  return [...byUpid.values()]
}

type Right = [right: string, base: string]
const guestRight: Right = ['VM.Audit', '/vms']
const storageRight: Right = ['Datastore.Audit', '/storage']
/** True if a list may be empty because the token cannot see its items. */
const isHidden = (list: readonly unknown[], rights: Known['rights'], [right, base]: Right) =>
  list.length === 0 && reachOf(rights, right, base) !== 'all'

function missingOf(
  { rights, backupsMissing, temperatureMissing, doubtful, figuresAt, clockOffMs }: Known,
  reading: Reading,
  nodes: readonly Node[],
): string[] {
  const away = nodes.filter(({ status }) => status !== 'online').map(({ name, status }) => `${name} is ${status}`)
  const online = nodes.filter(({ status }) => status === 'online')
  const stalled = new Set(reading.nodes.flatMap(({ node, status }) => (status === 'unknown' ? [node] : [])))
  const bare = online.filter(({ name, ramBytes }) => ramBytes === undefined && !stalled.has(name))
  return [
    ...away,
    ...reading.missing,
    ...(reading.status !== undefined && quorumOf(reading.status) === null
      ? ['quorum: the cluster named no members']
      : []),
    ...(reading.guests.length === 0
      ? emptyLine(rights, 'guests', { right: 'VM.Audit', base: '/vms' })
      : hiddenLine(rights, 'guests')),
    ...(reading.storages.length === 0
      ? emptyLine(rights, 'storages', { right: 'Datastore.Audit', base: '/storage' })
      : hiddenLine(rights, 'storages')),
    ...(reading.tasks === undefined ? [] : hiddenLine(rights, 'tasks')),
    ...online.flatMap(({ name }) => (stalled.has(name) ? [stalledLine(name, figuresAt.get(name))] : [])),
    ...(bare.length > 0 && bare.length === online.length
      ? emptyLine(rights, 'figures of the nodes', { right: 'Sys.Audit', base: '/nodes' })
      : bare.map(({ name }) => `${name} gives no figures`)),
    ...(clockOffMs === undefined
      ? ['the cluster’s clock: no answer gave its time, so ages of backups and tasks go by JARVIS’s own clock']
      : []),
    ...doubtLine(doubtful),
    ...backupsMissing,
    ...heatLine(temperatureMissing, nodes),
  ]
}

/** @param at the time when the node last reported figures, Unix ms; undefined: never since JARVIS started */
function stalledLine(name: string, at: number | undefined): string {
  const since =
    at === undefined ? 'come no more' : `stopped at ${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return `figures of ${name}, its guests and storages ${since}: its statistics service pvestatd does not answer. Look with systemctl status pvestatd on ${name}`
}

/** Returns a line about VMs that may be paused, with the reason of the first one. */
function doubtLine(doubtful: Known['doubtful']): string[] {
  const [first] = [...doubtful].filter(([, why]) => why !== '')
  if (first === undefined) return []
  const vmids = [...doubtful.keys()].sort((a, b) => a - b)
  return [`whether ${vmids.join(', ')} runs or is paused cannot be read: ${first[1]}`]
}

/** Returns a line about online nodes whose sensors could not be read, with the reason of the first one. */
function heatLine(missing: Known['temperatureMissing'], nodes: readonly Node[]): string[] {
  const blind = nodes.filter(({ name, status }) => status === 'online' && missing.has(name)).map(({ name }) => name)
  const [first] = blind
  if (first === undefined) return []
  return [`temperature of ${blind.join(', ')} cannot be read: ${missing.get(first)}`]
}
