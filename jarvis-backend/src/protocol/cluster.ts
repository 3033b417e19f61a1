import { z } from 'zod'

/**
 * Ratios are 0..1, times Unix ms, sizes bytes. What does not exist is absent; what exists and is not known now is null,
 * with the reason in the state's `missing`.
 */
export const Node = z.object({
  name: z.string(),
  status: z.enum(['online', 'offline', 'unknown']),
  /** What the node is for, in a few words, where known. */
  role: z.string().optional(),
  isProtected: z.boolean(),
  cpuRatio: z.number().optional(),
  cpuCount: z.int().optional(),
  ramBytes: z.number().optional(),
  ramTotalBytes: z.number().optional(),
  uptimeS: z.number().optional(),
  load1: z.number().optional(),
  /** Null: the sensors could not be read, or SSH is not set up (then nothing stands in `missing`). Absent: there are none. */
  temperatureC: z.number().nullable().optional(),
  lastSeenAt: z.int().optional(),
})
export type Node = z.infer<typeof Node>

export const Guest = z.object({
  vmid: z.int(),
  name: z.string(),
  type: z.enum(['vm', 'ct']),
  node: z.string(),
  /** `unknown`: its node does not answer. */
  status: z.enum(['running', 'stopped', 'paused', 'unknown']),
  isProtected: z.boolean(),
  uptimeS: z.number().nullable(),
  cpuRatio: z.number().nullable(),
  /** This and the two totals. Null: its node has not been seen online since the start. */
  cpuCount: z.int().nullable(),
  ramBytes: z.number().nullable(),
  ramTotalBytes: z.number().nullable(),
  diskBytes: z.number().nullable(),
  diskTotalBytes: z.number().nullable(),
  netInBps: z.number().optional(),
  netOutBps: z.number().optional(),
  /** `backup`, `migrate`, … while something holds the guest. */
  lock: z.string().optional(),
  isHa: z.boolean(),
  /** The HA manager's word for it (`started`, `migrate`, `fence`, …), where HA manages it and the cluster says so. */
  haState: z.string().optional(),
  tags: z.array(z.string()),
  /** A mould for guests: it never runs. */
  isTemplate: z.boolean().optional(),
  /** When the newest backup was made. Null: not all backups could be read. Absent: there is none. */
  backupAt: z.int().nullable().optional(),
  /** When it was last made, restored or rolled back, as far as the tasks seen so far say. */
  madeAt: z.int().optional(),
})
export type Guest = z.infer<typeof Guest>

export const Storage = z.object({
  name: z.string(),
  /** Absent for shared storage, which is counted once. */
  node: z.string().optional(),
  type: z.string(),
  content: z.array(z.string()),
  /** Null: its node does not answer. */
  isActive: z.boolean().nullable(),
  usedBytes: z.number().nullable(),
  totalBytes: z.number().nullable(),
})
export type Storage = z.infer<typeof Storage>

export const Task = z.object({
  upid: z.string(),
  node: z.string(),
  /** Proxmox's word: `qmreboot`, `vzdump`, … */
  type: z.string(),
  vmid: z.int().optional(),
  user: z.string(),
  startedAt: z.int(),
  endedAt: z.int().optional(),
  status: z.enum(['running', 'ok', 'warnings', 'failed']),
  /** Proxmox's exit status, word for word; absent while running. */
  exitStatus: z.string().optional(),
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
})
export type Backup = z.infer<typeof Backup>

/** Parts of the cluster that are read as a list. */
export const ClusterPart = z.enum(['nodes', 'guests', 'storages', 'tasks'])
export type ClusterPart = z.infer<typeof ClusterPart>

export const ClusterState = z.object({
  name: z.string(),
  isDemo: z.boolean(),
  at: z.int(),
  nodes: z.array(Node),
  guests: z.array(Guest),
  storages: z.array(Storage),
  /** The newest 20, newest first. */
  tasks: z.array(Task),
  /** Null: not known. */
  isQuorate: z.boolean().nullable(),
  /** Where JARVIS itself runs, as far as that is known. */
  self: z.object({ node: z.string().optional(), vmid: z.int().optional() }).optional(),
  /** What could not be read, in plain words: `agent is offline`. */
  missing: z.array(z.string()),
  /** Lists of which nothing is known now: empty here, null in a `ShownCluster`. */
  unread: z.array(ClusterPart).optional(),
  /**
   * Only while the cluster cannot be read. All else is as it was seen last, at `at`; once that is half a minute ago, what
   * can change is unknown or null.
   */
  unreachableSince: z.int().optional(),
})
export type ClusterState = z.infer<typeof ClusterState>

/** The cluster as clients are given it: a list that could not be read is null. */
export type ShownCluster = Omit<ClusterState, ClusterPart> & { [P in ClusterPart]: ClusterState[P] | null }

export const asShown = (state: ClusterState): ShownCluster => ({
  ...state,
  ...Object.fromEntries((state.unread ?? []).map((part) => [part, null])),
})

/** Only what changed since the last push; things are replaced whole, by name, vmid or upid. */
export type ClusterUpdate = {
  at: number
  nodes?: Node[]
  guests?: Guest[]
  storages?: Storage[]
  tasks?: Task[]
  removedGuests?: number[]
  isQuorate?: boolean | null
  missing?: string[]
  /** Lists of which nothing is known now; what was told of them before no longer counts. */
  unread?: ClusterPart[]
  /** `null`: it can be reached again. */
  unreachableSince?: number | null
}

/** `/cluster`, server to client. */
export type ClusterEvents = {
  'cluster:snapshot': { cluster: ShownCluster }
  'cluster:update': ClusterUpdate
}
