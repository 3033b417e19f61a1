import { z } from 'zod'

/**
 * A node. In all cluster types ratios are 0..1, times Unix ms, sizes bytes. A value that does not exist is absent. A value that exists
 * but is unknown now is null, and the state's `missing` says why.
 */
export const Node = z.object({
  name: z.string(),
  status: z.enum(['online', 'offline', 'unknown']),
  /** The node's purpose in a few words, where known. */
  role: z.string().optional(),
  isProtected: z.boolean(),
  cpuRatio: z.number().optional(),
  cpuCount: z.int().optional(),
  ramBytes: z.number().optional(),
  ramTotalBytes: z.number().optional(),
  /** How much of `ramBytes` is a cache that the node gives back, ZFS's above all. Absent: not known, as before Proxmox VE 9. */
  ramCacheBytes: z.number().optional(),
  uptimeS: z.number().optional(),
  load1: z.number().optional(),
  /** Null: the sensors could not be read, or SSH is not set up (`missing` then says nothing). Absent: the node has none. */
  temperatureC: z.number().nullable().optional(),
  lastSeenAt: z.int().optional(),
})
export type Node = z.infer<typeof Node>

/** Identifies a guest among all that had its number, which is not unique over time. Times are Unix ms. */
export const GuestIdentity = z.object({
  id: z.string(),
  /** The number is proven to be this guest's from then on. */
  since: z.int(),
  /** It is proven that this guest did not have the number before. */
  notBefore: z.int().optional(),
  /** The guest that had the number before, and until when it was seen. */
  earlier: z.object({ name: z.string(), until: z.int() }).optional(),
  /** It may be the earlier one itself. */
  isDoubtful: z.literal(true).optional(),
})
export type GuestIdentity = z.infer<typeof GuestIdentity>

export const Guest = z.object({
  vmid: z.int(),
  name: z.string(),
  type: z.enum(['vm', 'ct']),
  node: z.string(),
  /** `unknown`: the guest's node does not answer. */
  status: z.enum(['running', 'stopped', 'paused', 'unknown']),
  isProtected: z.boolean(),
  uptimeS: z.number().nullable(),
  cpuRatio: z.number().nullable(),
  /** `cpuCount` and the two totals are null until the node was seen online since the start. */
  cpuCount: z.int().nullable(),
  ramBytes: z.number().nullable(),
  ramTotalBytes: z.number().nullable(),
  diskBytes: z.number().nullable(),
  diskTotalBytes: z.number().nullable(),
  netInBps: z.number().optional(),
  netOutBps: z.number().optional(),
  /** Read and written on its disks together. */
  diskBps: z.number().optional(),
  /** Proxmox's lock: `backup`, `migrate`, …; absent while the guest is not locked. */
  lock: z.string().optional(),
  isHa: z.boolean(),
  /** The HA manager's state (`started`, `migrate`, `fence`, …), where HA manages the guest and the state is known. */
  haState: z.string().optional(),
  tags: z.array(z.string()),
  /** The resource pool that it belongs to. */
  pool: z.string().optional(),
  /** True for a template, which never runs. */
  isTemplate: z.boolean().optional(),
  /** Absent: not known. */
  identity: GuestIdentity.optional(),
  /** Time of the newest backup that is, or may be, of this guest. Null: not all backups could be read. Absent: there is none. */
  backupAt: z.int().nullable().optional(),
  /** Why that backup may be of another guest, or why none of those under its number counts. */
  backupDoubt: z.string().optional(),
  /** When the guest was last created, restored or rolled back, according to the tasks seen so far. */
  madeAt: z.int().optional(),
})
export type Guest = z.infer<typeof Guest>

export const Storage = z.object({
  name: z.string(),
  /** Absent for shared storage, which is listed once. */
  node: z.string().optional(),
  type: z.string(),
  content: z.array(z.string()),
  /** Null: the storage's node does not answer. */
  isActive: z.boolean().nullable(),
  usedBytes: z.number().nullable(),
  totalBytes: z.number().nullable(),
})
export type Storage = z.infer<typeof Storage>

export const Task = z.object({
  upid: z.string(),
  node: z.string(),
  /** Proxmox's task type: `qmreboot`, `vzdump`, … */
  type: z.string(),
  vmid: z.int().optional(),
  user: z.string(),
  startedAt: z.int(),
  endedAt: z.int().optional(),
  status: z.enum(['running', 'ok', 'warnings', 'failed']),
  /** Proxmox's exit status, verbatim; absent while running. */
  exitStatus: z.string().optional(),
  /** The lines of its log that say why, where the exit status does not and the log was read. */
  reason: z.string().optional(),
})
export type Task = z.infer<typeof Task>

export const Backup = z.object({
  volumeId: z.string(),
  vmid: z.int(),
  storage: z.string(),
  node: z.string().optional(),
  createdAt: z.int(),
  sizeBytes: z.number(),
  format: z.string(),
  /** Result of the last verification of a backup on a backup server, which reads all its data again. `none`: not verified yet. */
  verification: z.enum(['ok', 'failed', 'none']).optional(),
  /** Notes of the backup's maker, and its owner as a backup server names them. */
  notes: z.string().optional(),
  owner: z.string().optional(),
  /**
   * The guest that the backup was made of: the one that has the number now, an earlier one, or one of another machine. Absent: no guest has the
   * number, or the guest is not known.
   */
  whose: z.enum(['own', 'earlier', 'other', 'unknown']).optional(),
  /** The same in words, where it is not its own. */
  whoseWords: z.string().optional(),
})
export type Backup = z.infer<typeof Backup>

/** Lists of the cluster's state. */
export const ClusterPart = z.enum(['nodes', 'guests', 'storages', 'tasks'])
export type ClusterPart = z.infer<typeof ClusterPart>

export const ClusterState = z.object({
  name: z.string(),
  isDemo: z.boolean(),
  at: z.int(),
  nodes: z.array(Node),
  guests: z.array(Guest),
  storages: z.array(Storage),
  /** The newest 20 and all that run, newest first. */
  tasks: z.array(Task),
  /** Null: unknown. */
  isQuorate: z.boolean().nullable(),
  /** Where JARVIS itself runs, where known. */
  self: z.object({ node: z.string().optional(), vmid: z.int().optional() }).optional(),
  /** Parts that could not be read, in words: `agent is offline`. */
  missing: z.array(z.string()),
  /** Lists that are entirely unknown now: empty here, null in a `ShownCluster`. */
  unread: z.array(ClusterPart).optional(),
  /** Lists that may lack items which the Proxmox token may not see. */
  hidden: z.array(ClusterPart).optional(),
  /** How far the cluster's clock is ahead of JARVIS's, ms, where that is 30 s or more. Its times (backups, tasks) are by its own clock. */
  clockOffMs: z.int().optional(),
  /** Set while the cluster cannot be read. Other fields are as last seen at `at`; after half a minute all that can change becomes unknown or null. */
  unreachableSince: z.int().optional(),
})
export type ClusterState = z.infer<typeof ClusterState>

/** The state as clients receive it: a list that could not be read is null. */
export const ShownCluster = ClusterState.extend({
  nodes: z.array(Node).nullable(),
  guests: z.array(Guest).nullable(),
  storages: z.array(Storage).nullable(),
  tasks: z.array(Task).nullable(),
})
export type ShownCluster = z.infer<typeof ShownCluster>

/** Converts a state for clients. */
export const asShown = (state: ClusterState): ShownCluster => ({
  ...state,
  ...Object.fromEntries((state.unread ?? []).map((part) => [part, null])),
})

/** Goes on from "there is no such item" while the list may lack items which the token may not see; empty otherwise. */
export const asFarAsSeen = (part: ClusterPart, { hidden }: { hidden?: ClusterPart[] | undefined }): string =>
  hidden?.includes(part) === true ? ' as far as this token sees' : ''

/** Changes since the last push. Items are replaced whole, by name, vmid or upid. */
export type ClusterUpdate = {
  at: number
  nodes?: Node[]
  guests?: Guest[]
  storages?: Storage[]
  tasks?: Task[]
  removedGuests?: number[]
  isQuorate?: boolean | null
  missing?: string[]
  /** Lists that are entirely unknown now; earlier values no longer apply. */
  unread?: ClusterPart[]
  /** Lists that may lack items which the Proxmox token may not see. */
  hidden?: ClusterPart[]
  /** `null`: less than 30 s. */
  clockOffMs?: number | null
  /** `null`: the cluster can be reached again. */
  unreachableSince?: number | null
}

/** Events of `/cluster`. */
export type ClusterEvents = {
  'cluster:snapshot': { cluster: ShownCluster }
  'cluster:update': ClusterUpdate
}
