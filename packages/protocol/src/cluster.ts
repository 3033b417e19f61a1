import { z } from 'zod'

/**
 * A node. In all cluster types, ratios are 0..1, times Unix ms, sizes bytes. A property that the object does not have is absent. A property whose
 * value is unknown now is null, and the state's `missing` says why.
 */
export const Node = z.object({
  name: z.string(),
  status: z.enum(['online', 'offline', 'unknown']),
  /** The node's purpose in a few words, if known. */
  role: z.string().optional(),
  isProtected: z.boolean(),
  cpuRatio: z.number().optional(),
  cpuCount: z.int().optional(),
  ramBytes: z.number().optional(),
  ramTotalBytes: z.number().optional(),
  /** The part of `ramBytes` that is cache and can be freed, mostly ZFS's. Absent: not known, as before Proxmox VE 9. */
  ramCacheBytes: z.number().optional(),
  uptimeS: z.number().optional(),
  load1: z.number().optional(),
  /** Null: the sensors could not be read, or SSH is not set up (in that case `missing` does not mention it). Absent: the node has no sensor. */
  temperatureC: z.number().nullable().optional(),
  lastSeenAt: z.int().optional(),
})
export type Node = z.infer<typeof Node>

/** Identifies one guest among all guests that had its VMID, because a VMID can be reused. Times are Unix ms. */
export const GuestIdentity = z.object({
  id: z.string(),
  /** Time from which the VMID is proven to belong to this guest. */
  since: z.int(),
  /** Time before which the VMID is proven not to belong to this guest. */
  notBefore: z.int().optional(),
  /** The guest that had the VMID before, and the time at which it was last seen. */
  earlier: z.object({ name: z.string(), until: z.int() }).optional(),
  /** Set if this guest may be the same as `earlier`. */
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
  /** `cpuCount` and the two totals are null until the node was online at least once since JARVIS started. */
  cpuCount: z.int().nullable(),
  ramBytes: z.number().nullable(),
  ramTotalBytes: z.number().nullable(),
  diskBytes: z.number().nullable(),
  diskTotalBytes: z.number().nullable(),
  netInBps: z.number().optional(),
  netOutBps: z.number().optional(),
  /** Bytes per second that the guest reads and writes, all disks together. */
  diskBps: z.number().optional(),
  /** Proxmox's lock: `backup`, `migrate`, …; absent while the guest is not locked. */
  lock: z.string().optional(),
  isHa: z.boolean(),
  /** The HA manager's state (`started`, `migrate`, `fence`, …), if HA manages the guest and the state is known. */
  haState: z.string().optional(),
  tags: z.array(z.string()),
  /** The resource pool that the guest belongs to. */
  pool: z.string().optional(),
  /** True for a template, which never runs. */
  isTemplate: z.boolean().optional(),
  /** Identity of the guest; absent: not known. */
  identity: GuestIdentity.optional(),
  /** Time of the newest backup that is, or may be, a backup of this guest. Null: not all backups could be read. Absent: there is no backup. */
  backupAt: z.int().nullable().optional(),
  /** Why the backup of `backupAt` may be of another guest, or why no backup under this VMID counts. */
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

/** A disk, backup, image or template on a storage. */
export const Volume = z.object({
  /** As Proxmox names it: `local:iso/debian.iso`. */
  id: z.string(),
  /** `images`, `rootdir`, `backup`, `iso`, `vztmpl`, `snippets`; Proxmox may add more. */
  content: z.string(),
  /** The guest that Proxmox counts the volume to. */
  vmid: z.int().optional(),
  sizeBytes: z.number().optional(),
  createdAt: z.int().optional(),
})
export type Volume = z.infer<typeof Volume>

/** Volumes on a storage, largest first, at most 500; null: they could not be read, and `missing` says why. `total` counts all. */
export const StorageReply = z.object({
  items: z.array(Volume).nullable(),
  total: z.int(),
  missing: z.array(z.string()),
})
export type StorageReply = z.infer<typeof StorageReply>

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
  /** Lines of the task's log that give the reason, if the exit status does not and the log was read. */
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
  /** Result of the last verification on a backup server, which reads all data of the backup again. `none`: not verified yet. */
  verification: z.enum(['ok', 'failed', 'none']).optional(),
  /** The notes written when the backup was made, and its owner as a backup server names it. */
  notes: z.string().optional(),
  owner: z.string().optional(),
  /**
   * The guest that the backup was made of. `own`: the guest that has the VMID now; `earlier`: an earlier guest of that VMID; `other`: a guest of
   * another machine. Absent: no guest has the VMID, or the guest is not known.
   */
  whose: z.enum(['own', 'earlier', 'other', 'unknown']).optional(),
  /** `whose` in words, if it is not `own`. */
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
  /** The newest 20 tasks and all running ones, newest first. */
  tasks: z.array(Task),
  /** Null: unknown. */
  isQuorate: z.boolean().nullable(),
  /** The node and guest that JARVIS runs on, if known. */
  self: z.object({ node: z.string().optional(), vmid: z.int().optional() }).optional(),
  /** Parts that could not be read, in words: `agent is offline`. */
  missing: z.array(z.string()),
  /** Lists that are entirely unknown now: empty here, null in a `ShownCluster`. */
  unread: z.array(ClusterPart).optional(),
  /** Lists that may be incomplete, because the Proxmox token may not see every item. */
  hidden: z.array(ClusterPart).optional(),
  /**
   * Lead of the cluster's clock over JARVIS's clock, ms; set if the difference is 30 s or more. Times of backups and tasks are by the cluster's
   * clock.
   */
  clockOffMs: z.int().optional(),
  /**
   * Set while the cluster cannot be read. Other fields are as last seen at `at`. After half a minute all values that can change become unknown or
   * null.
   */
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

/** Returns a phrase that follows “there is no such item”: the list may lack items that the token may not see. Empty if the list is complete. */
export const asFarAsSeen = (part: ClusterPart, { hidden }: { hidden?: ClusterPart[] | undefined }): string =>
  hidden?.includes(part) === true ? ' as far as this token sees' : ''

/** Changes of the cluster's state since the last push. A changed item is sent whole and replaces the item with the same name, VMID or UPID. */
export type ClusterUpdate = {
  at: number
  nodes?: Node[]
  guests?: Guest[]
  storages?: Storage[]
  tasks?: Task[]
  removedGuests?: number[]
  isQuorate?: boolean | null
  missing?: string[]
  /** Lists that are entirely unknown now. Their earlier values no longer apply. */
  unread?: ClusterPart[]
  /** Lists that may be incomplete, because the Proxmox token may not see every item. */
  hidden?: ClusterPart[]
  /** As in `ClusterState`. `null`: the difference is now less than 30 s. */
  clockOffMs?: number | null
  /** `null`: the cluster can be reached again. */
  unreachableSince?: number | null
}

/** Events of `/cluster`. */
export type ClusterEvents = {
  'cluster:snapshot': { cluster: ShownCluster }
  'cluster:update': ClusterUpdate
}
