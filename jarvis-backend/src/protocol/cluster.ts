import { z } from 'zod'

/** Ratios are 0..1, times Unix ms, sizes bytes. What the cluster did not say is absent. */
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
  temperatureC: z.number().optional(),
  lastSeenAt: z.int().optional(),
})
export type Node = z.infer<typeof Node>

export const Guest = z.object({
  vmid: z.int(),
  name: z.string(),
  type: z.enum(['vm', 'ct']),
  node: z.string(),
  status: z.enum(['running', 'stopped', 'paused', 'unknown']),
  isProtected: z.boolean(),
  uptimeS: z.number(),
  cpuRatio: z.number(),
  cpuCount: z.int(),
  ramBytes: z.number(),
  ramTotalBytes: z.number(),
  diskBytes: z.number(),
  diskTotalBytes: z.number(),
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
  /** When the newest backup was made. */
  backupAt: z.int().optional(),
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
  isActive: z.boolean(),
  usedBytes: z.number(),
  totalBytes: z.number(),
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

export const ClusterState = z.object({
  name: z.string(),
  isDemo: z.boolean(),
  at: z.int(),
  nodes: z.array(Node),
  guests: z.array(Guest),
  storages: z.array(Storage),
  /** The newest 20, newest first. */
  tasks: z.array(Task),
  isQuorate: z.boolean(),
  /** Where JARVIS itself runs, as far as that is known. */
  self: z.object({ node: z.string().optional(), vmid: z.int().optional() }).optional(),
  /** What could not be read, in plain words: `agent is offline`. */
  missing: z.array(z.string()),
  /** Only while the cluster cannot be reached: all else is as it was seen last, at `at`. */
  unreachableSince: z.int().optional(),
})
export type ClusterState = z.infer<typeof ClusterState>

/** Only what changed since the last push; things are replaced whole, by name, vmid or upid. */
export type ClusterUpdate = {
  at: number
  nodes?: Node[]
  guests?: Guest[]
  storages?: Storage[]
  tasks?: Task[]
  removedGuests?: number[]
  isQuorate?: boolean
  missing?: string[]
  /** `null`: it can be reached again. */
  unreachableSince?: number | null
}

/** `/cluster`, server to client. */
export type ClusterEvents = {
  'cluster:snapshot': { cluster: ClusterState }
  'cluster:update': ClusterUpdate
}
