import { type GuestMarks, marksIn, sameGuest } from 'homelab-ports/guest-identity'
import type { Cluster, PveApi } from 'homelab-ports/ports'
import { spanOf } from 'node-kit/words'
import { asFarAsSeen, type Backup, type Guest, JarvisError, type Node } from 'protocol'
import { clusterTime } from 'protocol/facts'
import { z } from 'zod'
import { diskOf, plainName } from '../homelab/format.ts'
import { figure, flag, rowsOf, words } from '../homelab/pve/answers.ts'
import { typeIn } from '../homelab/whose-backup.ts'
import { dangersIn, disksOf, type GuestConfig, hasAgent, memoryOf, netsOf, readConfigText } from './guest-config.ts'

/** The request for a drill. Without `storage` and `node`, the drill chooses those with the most room. */
export type DrillRequest = {
  vmid: number
  storage?: string | undefined
  node?: string | undefined
  /** Limit for the restore's reads and writes, KiB/s. */
  bwlimitKiBps?: number | undefined
}

/** A drill that can begin. `needBytes`: the space that the copy's disks may take, with some reserve. */
export type Plan = {
  guest: Pick<Guest, 'vmid' | 'type' | 'name' | 'node' | 'identity'>
  backup: Backup
  /** The fact that shows that the backup belongs to this guest. */
  isOfBy: string
  /** Places that may hold a newer backup but could not be read. */
  unread: string[]
  config: GuestConfig
  node: string
  storage: string
  needBytes: number
  hasAgent: boolean
  /** Facts that the drill cannot prove, whatever its result. */
  notProven: string[]
}

/** Reserve for the copy's disks, because a copy on thin storage grows while it runs. */
const roomFactor = 1.2
/** Age up to which a backup is fresh, ms: backup jobs run daily, and one may fail. */
const freshForMs = 48 * 3_600_000
/** Bytes that a slow disk restores in a second. */
const slowBps = 50 * 1024 ** 2

const StorageRow = z.object({
  storage: z.string().min(1),
  content: words,
  avail: figure,
  active: flag,
  shared: flag,
})
type StorageRow = z.output<typeof StorageRow>

/**
 * Finds the newest backup, its configuration, and a node and a storage for the copy. Changes nothing.
 * @throws JarvisError `invalid_request` with the reason if the guest cannot be drilled; `conflict` while a backup runs; ApiError
 */
export async function planDrill(
  { api, cluster }: { api: PveApi; cluster: Pick<Cluster, 'state' | 'backups' | 'readAfresh' | 'marks'> },
  { vmid, storage, node }: DrillRequest,
  signal: AbortSignal,
): Promise<Plan> {
  await cluster.readAfresh?.(vmid)
  const { guests, nodes, tasks, hidden } = cluster.state()
  const guest =
    guests.find((candidate) => candidate.vmid === vmid) ??
    no(`vmid: there is no guest ${vmid}${asFarAsSeen('guests', { hidden })}.`)
  if (tasks.some(({ type, status }) => type === 'vzdump' && status === 'running'))
    throw new JarvisError('conflict', 'A backup is running: the drill would slow it down. Try again when it has ended.')
  const { backup, unread } = await newestOf(cluster, guest, signal)
  const places = placesFor(nodes, { backup, guest, wanted: node })
  const reasons: string[] = []
  let config: GuestConfig | undefined
  let isOfBy = ''
  for (const place of places) {
    const rows = rowsOf(StorageRow, await api.get(['nodes', place.name, 'storage'], {}, { signal })).rows
    const source = rows.find((row) => row.storage === backup.storage && row.active)
    if (source === undefined || (!source.shared && backup.node !== undefined && backup.node !== place.name)) {
      reasons.push(`${place.name} cannot read ${backup.storage}`)
      continue
    }
    if (config === undefined) {
      const path = ['nodes', place.name, 'vzdump', 'extractconfig']
      config = readConfigText(String(await api.get(path, { volume: backup.volumeId }, { signal })))
      isOfBy = mustBeOf(guest, backup, { config, marks: cluster.marks?.(vmid) })
    }
    const needBytes = needOf(guest, config)
    const found = roomOn(place, rows, { type: guest.type, needBytes, storage, memoryMib: memoryOf(config) })
    if ('reason' in found) {
      reasons.push(found.reason)
      continue
    }
    const { type, name, identity } = guest
    return {
      guest: { vmid, type, name, node: guest.node, identity },
      backup,
      isOfBy,
      unread,
      config,
      needBytes,
      node: place.name,
      storage: found.storage,
      hasAgent: hasAgent(config),
      notProven: [...lowerLevels(backup, clusterTime(api.now(), cluster.state())), ...notProvenOf(guest.type, config)],
    }
  }
  return no(`vmid: there is no place for a copy of ${vmid}: ${reasons.join('; ') || 'no node is online'}.`)
}

async function newestOf(cluster: Pick<Cluster, 'backups'>, { vmid, type }: Guest, signal: AbortSignal) {
  const { items, missing } = await cluster.backups({ vmid }, { signal })
  const [first, ...more] = items.filter((backup) => backup.vmid === vmid).sort((a, b) => b.createdAt - a.createdAt)
  const unread = missing.length === 0 ? '' : ` Not read: ${missing.join(', ')}.`
  if (first === undefined) return no(`vmid: no backup of ${vmid} is known.${unread}`)
  const newest = [first, ...more].find(({ whose }) => whose !== 'earlier' && whose !== 'other')
  if (newest === undefined)
    return no(
      `vmid: no backup of ${vmid} itself is known. The newest under its number is ${first.whoseWords}.${unread}`,
    )
  if (typeIn(newest.volumeId) !== type)
    return no(`vmid: the newest backup under ${vmid}, ${newest.volumeId}, is not of this guest.`)
  return { backup: newest, unread: missing }
}

/**
 * Returns the fact that shows that the backup belongs to this guest.
 * @param by `config`: the backup's configuration. `marks`: the guest's present identifying marks
 * @throws JarvisError if the backup belongs to another machine, or may do so
 */
function mustBeOf(
  guest: Guest,
  backup: Backup,
  { config, marks }: { config: GuestConfig; marks: GuestMarks | undefined },
): string {
  const { vmid, type, name } = guest
  const { whose, whoseWords, createdAt, volumeId } = backup
  const { remade: _, ...now } = marks ?? { type, macs: [] }
  const then = { ...marksIn(type, config), at: createdAt }
  const verdict = marks === undefined ? 'unknown' : sameGuest(then, now)
  const kept = plainName(config.name ?? config.hostname ?? 'without a name')
  if (verdict === 'same') return then.uuid !== undefined && then.uuid === now.uuid ? 'its UUID' : 'its network cards'
  // Two containers with the same vmid can be told apart only by their network cards and names.
  const isStranger = verdict === 'other' || (then.macs.length > 0 && now.macs.length > 0 && kept !== plainName(name))
  if (isStranger)
    return no(
      `vmid: the newest backup under ${vmid}, ${volumeId}, is of another machine, ${kept}, by its configuration.`,
    )
  if (whose === undefined || whose === 'own') return 'its time and name'
  return no(`vmid: the newest backup under ${vmid}, ${volumeId}, proves nothing: ${whoseWords}.`)
}

/** Online nodes in the order in which they are tried: first the nodes of the backup and of the guest, then the others by free memory. */
function placesFor(
  nodes: readonly Node[],
  { backup, guest, wanted }: { backup: Backup; guest: Guest; wanted: string | undefined },
): Node[] {
  if (wanted !== undefined) {
    const found = nodes.find(({ name }) => name === wanted) ?? no(`node: there is no node ${wanted}.`)
    if (found.status !== 'online') no(`node: ${wanted} is ${found.status}.`)
    return [found]
  }
  const rank = ({ name }: Node) => (name === backup.node ? 0 : name === guest.node ? 1 : 2)
  const free = ({ ramTotalBytes = 0, ramBytes = 0 }: Node) => ramTotalBytes - ramBytes
  return nodes.filter(({ status }) => status === 'online').sort((a, b) => rank(a) - rank(b) || free(b) - free(a))
}

/** The space that the copy needs, bytes. @throws JarvisError if a copy with this configuration must not be made */
function needOf({ type, vmid }: Guest, config: GuestConfig): number {
  const dangers = dangersIn(type, config)
  if (dangers.length > 0) no(`vmid: no copy of ${vmid} can be kept alone: ${dangers.join('; ')}.`)
  // The redactor hid a value of the backup's configuration. JARVIS does not know the value, so it cannot send it to Proxmox.
  const hidden = netsOf(config).find(([, value]) => value.includes('[redacted]'))
  if (hidden !== undefined) no(`vmid: ${hidden[0]} of the backup holds a secret, which JARVIS does not pass on.`)
  const disks = disksOf(type, config)
  const unsized = disks.find(({ bytes }) => bytes === undefined || bytes === 0)
  if (unsized !== undefined) no(`vmid: the backup does not say how large ${unsized.key} is.`)
  return disks.reduce((sum, { bytes = 0 }) => sum + bytes, 0) * roomFactor
}

function roomOn(
  { name, ramBytes, ramTotalBytes }: Node,
  rows: readonly StorageRow[],
  want: { type: Guest['type']; needBytes: number; storage: string | undefined; memoryMib: number | undefined },
): { storage: string } | { reason: string } {
  const kind = want.type === 'vm' ? 'images' : 'rootdir'
  const fitting = rows.filter(({ content = '', active }) => active && content.split(',').includes(kind))
  const named = fitting.filter(({ storage }) => storage === (want.storage ?? storage))
  if (named.length === 0)
    return {
      reason: `${name} has no ${want.storage === undefined ? 'storage' : `storage ${want.storage}`} for ${kind}`,
    }
  const [best] = [...named].sort((a, b) => (b.avail ?? -1) - (a.avail ?? -1))
  if (best?.avail === undefined) return { reason: `how much room ${name} has is not known` }
  if (best.avail < want.needBytes)
    return {
      reason: `${best.storage} on ${name} has ${diskOf(best.avail)} free, and ${diskOf(want.needBytes)} are needed`,
    }
  if (want.memoryMib === undefined || ramBytes === undefined || ramTotalBytes === undefined)
    return { reason: `whether ${name} has the memory is not known` }
  const freeBytes = ramTotalBytes - ramBytes
  if (freeBytes < want.memoryMib * 1024 ** 2)
    return {
      reason: `${name} has ${diskOf(freeBytes)} of memory free, and ${diskOf(want.memoryMib * 1024 ** 2)} are needed`,
    }
  return { storage: best.storage }
}

/** The lower levels of proof that this backup does not reach: level 1, it is fresh; level 2, its checksums were verified. */
const lowerLevels = ({ createdAt, verification }: Backup, now: number): string[] => [
  ...(now - createdAt > freshForMs ? [`that the backup is fresh: it is ${spanOf((now - createdAt) / 1000)} old`] : []),
  ...(verification === 'ok' ? [] : [`that its checksums are right: ${verifiedWords[verification ?? 'absent']}`]),
]
const verifiedWords = {
  failed: 'the backup server found some wrong',
  none: 'the backup server has not verified them yet',
  absent: 'only a backup server verifies them',
}

const notProvenOf = (type: Guest['type'], config: GuestConfig): string[] => [
  'that its applications answer',
  'that its network works: every interface was down',
  ...disksOf(type, config)
    .filter(({ isInBackup }) => !isInBackup)
    .map(({ key }) => `${key}: it is not in the backup`),
]

/** The estimated time, `about 12 min`: the restore at the speed of a slow disk, and the boot. */
export function aboutTime({ needBytes, hasAgent: asks, guest }: Plan): string {
  const bootS = guest.type === 'ct' ? 60 : asks ? 120 : 300
  return `about ${spanOf(Math.max(60, needBytes / roomFactor / slowBps + bootS))}`
}

function no(problem: string): never {
  throw new JarvisError('invalid_request', problem)
}
