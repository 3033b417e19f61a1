import type { ClusterPart, ClusterState, Guest, Node, Storage } from './cluster.ts'
import type { Limits } from './limits.ts'
import type { ModelFacts } from './models.ts'
import type { UndoFacts } from './undo.ts'

// Figures that both server and dashboard derive from the cluster's state. Only types are imported, because a schema would bring zod onto
// the first page.

/** The id of the first owner, the same in every installation. Database rows without a person belong to the first owner. */
export const firstOwnerId = 'operator'

/** True if a change cannot be taken back and something is lost by it, so that people are warned. */
export const isFinal = (undo: Pick<UndoFacts, 'kind' | 'losesNothing'> | undefined): boolean =>
  undo?.kind === 'none' && undo.losesNothing !== true

/** Time without use after which a device counts as forgotten, ms. */
const longUnseenMs = 90 * 86_400_000
/** Tests if a device was not seen for 90 days. @param lastSeenAt Unix ms */
export const isLongUnseen = (lastSeenAt: number, now: number): boolean => now - lastSeenAt >= longUnseenMs

/** Default limits. 26 hours allow a nightly backup to be two hours late. */
export const usualLimits: Limits = {
  storageRatio: [0.85, 0.95],
  ramRatio: [0.9, 0.97],
  temperatureC: [80, 90],
  backupHours: [26, 168],
  cpuRatio: 0.9,
  cpuMinutes: 10,
}

type Maybe = number | null | undefined
type Figures = readonly (readonly [used: Maybe, whole: Maybe])[]

/** Returns `part` / `whole`, 0..1; undefined if either is unknown or `whole` is 0. */
export const shareOf = (part: Maybe, whole: Maybe): number | undefined =>
  typeof part === 'number' && (whole ?? 0) > 0 ? part / (whole as number) : undefined

/** Returns the sum of used values divided by the sum of totals, 0..1. Pairs with an unknown value are left out; undefined if no pair is left. */
function shareOfAll(figures: Figures): number | undefined {
  const known = figures.filter(([used, whole]) => shareOf(used, whole) !== undefined)
  const sum = (at: 0 | 1) => known.reduce((total, figure) => total + (figure[at] ?? 0), 0)
  return shareOf(sum(0), sum(1))
}

const onlineOf = (nodes: readonly Node[]) => nodes.filter(({ status }) => status === 'online')

/** CPU use of the online nodes, 0..1, weighted by their cores. Nodes with unknown use are left out. */
export const cpuOf = (nodes: readonly Node[]): number | undefined =>
  shareOfAll(
    onlineOf(nodes).map(({ cpuRatio, cpuCount = 1 }) => [
      cpuRatio === undefined ? undefined : cpuRatio * cpuCount,
      cpuCount,
    ]),
  )

/** Returns the memory of a node that is in use without caches, bytes. Without a known cache size, all memory in use. */
export const heldRam = ({
  ramBytes,
  ramCacheBytes = 0,
}: Pick<Node, 'ramBytes' | 'ramCacheBytes'>): number | undefined =>
  ramBytes === undefined ? undefined : ramBytes - ramCacheBytes

/** Memory use of the online nodes without their caches, 0..1. Nodes with unknown use are left out. */
export const ramOf = (nodes: readonly Node[]): number | undefined =>
  shareOfAll(onlineOf(nodes).map((node) => [heldRam(node), node.ramTotalBytes]))

/** Use of all storages together, 0..1. Storages with unknown use are left out. */
export const fillOf = (storages: readonly Storage[]): number | undefined =>
  shareOfAll(storages.map(({ usedBytes, totalBytes }) => [usedBytes, totalBytes]))

/** Network traffic of all guests, received plus sent, bytes per second. */
export const netOf = (guests: readonly Guest[]): number =>
  guests.reduce((sum, { netInBps = 0, netOutBps = 0 }) => sum + netInBps + netOutBps, 0)

/** Returns the name of a storage's series of samples. */
export const storageSeries = ({ name, node }: { name: string; node?: string | undefined }): string =>
  `storage/${node === undefined ? '' : `${node}/`}${name}`

export const withoutTemplates = (guests: readonly Guest[]): Guest[] => guests.filter(({ isTemplate }) => !isTemplate)

export const isUnread = ({ unread }: Pick<ClusterState, 'unread'>, part: ClusterPart): boolean =>
  unread?.includes(part) === true

/** Tests if nothing current is known of the cluster: it was never read, or the last read is too old. */
export const isBlind = (state: Pick<ClusterState, 'nodes' | 'unread'>): boolean =>
  isUnread(state, 'nodes') || (state.nodes.length > 0 && state.nodes.every(({ status }) => status === 'unknown'))

/** The assessment of a value. Undefined: in order, or unknown. `warn`: needs a look. */
export type Tone = 'warn' | 'bad' | undefined

function toneOf(value: Maybe, [warn, bad]: readonly [number, number]): Tone {
  if (typeof value !== 'number' || value < warn) return undefined
  return value < bad ? 'warn' : 'bad'
}

export const temperatureTone = ({ temperatureC }: Node, limits: Limits): Tone =>
  toneOf(temperatureC, limits.temperatureC)
export const nodeRamTone = (node: Node, limits: Limits): Tone =>
  toneOf(shareOf(heldRam(node), node.ramTotalBytes), limits.ramRatio)
/** Tests if a storage reports allocated space instead of used space, so that it is full by design: thick LVM, and disks of an iSCSI target. */
export const isFullByDesign = ({ type }: Pick<Storage, 'type'>): boolean =>
  type === 'lvm' || type === 'iscsi' || type === 'iscsidirect'
/** Tests if an operator excluded the fill level of a storage, or of a file system in a guest, from the checks. */
export function isLeftOut(
  { name, type, totalBytes }: { name: string; type?: string | undefined; totalBytes?: Maybe },
  { leaveOut }: Limits,
): boolean {
  if (leaveOut === undefined) return false
  const { names, types, belowBytes = 0 } = leaveOut
  const isNamed = names.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one))
  const isOfType = types.some((one) => one.toLowerCase() === type?.toLowerCase())
  return isNamed || isOfType || (typeof totalBytes === 'number' && totalBytes < belowBytes)
}
/** Tests if the fill level of a storage is not checked, because of its type or of an operator's setting. */
export const isUnlooked = (storage: Storage, limits: Limits): boolean =>
  isFullByDesign(storage) || isLeftOut(storage, limits)
export const storageTone = (storage: Storage, limits: Limits): Tone =>
  isUnlooked(storage, limits) ? undefined : toneOf(shareOf(storage.usedBytes, storage.totalBytes), limits.storageRatio)
/**
 * Returns the present time by the cluster's clock, Unix ms, because the cluster dates its backups and tasks by that clock. @param now by JARVIS's
 * clock, Unix ms
 */
export const clusterTime = (now: number, { clockOffMs = 0 }: Pick<ClusterState, 'clockOffMs'>): number =>
  now + clockOffMs

/** Returns the assessment of a backup's age. @param backupAt time of the newest backup, Unix ms; undefined if unknown or absent */
export const backupAgeTone = (backupAt: Maybe, now: number, limits: Limits): Tone =>
  toneOf(typeof backupAt === 'number' ? (now - backupAt) / 3_600_000 : undefined, limits.backupHours)

/** Describes a model in words, and names the facts that are not known. */
export function modelWords({ tools, pictures, thinking, windowTokens, price }: ModelFacts): string {
  const claims = [
    [tools, 'tools', 'no tools: it can only talk'],
    [pictures, 'pictures', 'no pictures'],
    [thinking, 'thinking', 'no thinking'],
  ] as const
  const dollars = (value: number) => `$${value < 0.01 ? Number(value.toPrecision(2)) : value.toFixed(2)}`
  const known = [
    ...claims.flatMap(([is, yes, no]) => (is === undefined ? [] : [is ? yes : no])),
    ...(windowTokens === undefined ? [] : [`reads ${windowTokens.toLocaleString('en-US')} tokens`]),
    ...(price === undefined
      ? []
      : price.input === 0 && price.output === 0
        ? ['free']
        : [`${dollars(price.input)} in and ${dollars(price.output)} out for a million`]),
  ]
  const unknown = [
    ...claims.flatMap(([is, name]) => (is === undefined ? [name] : [])),
    ...(windowTokens === undefined ? ['window'] : []),
    ...(price === undefined ? ['price'] : []),
  ]
  return [...known, ...(unknown.length === 0 ? [] : [`not known: ${unknown.join(', ')}`])].join('; ')
}
