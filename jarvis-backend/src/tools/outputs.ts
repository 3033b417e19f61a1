import { z } from 'zod'
import { Backup, Guest, Node, Storage, Task } from '../protocol/cluster.ts'

/** What could not be read, in plain words. */
const missing = z.array(z.string())
/** Only while the cluster cannot be read: since when, Unix ms. */
const unreachableSince = z.int().optional()
const counted = {
  total: z.int().nullable().describe('How many there are; the list may hold fewer. null: unknown.'),
  missing,
  unreachableSince,
}

export const ClusterStatusOutput = z.object({
  nodes: z.array(Node).nullable(),
  isQuorate: z.boolean().nullable().describe('null: unknown.'),
  running: z.int().nullable().describe('Guests that are known to run. null: unknown.'),
  guests: z.int().nullable().describe('Guests there are, without templates.'),
  unknownGuests: z.int().nullable().describe('Guests whose state is unknown.'),
  attention: z.array(z.string()).nullable().describe('Of what could be read. null: unknown.'),
  missing,
  unreachableSince,
})
/** What the node does not say is absent. */
export const NodeDetailOutput = z.object({
  name: z.string(),
  version: z.string().optional(),
  kernel: z.string().optional(),
  cpuModel: z.string().optional(),
  cpuCount: z.number().optional(),
  cpuRatio: z.number().optional().describe('0..1'),
  load: z.array(z.number()).optional().describe('Over 1, 5 and 15 minutes.'),
  ramBytes: z.number().optional(),
  ramTotalBytes: z.number().optional(),
  rootBytes: z.number().optional(),
  rootTotalBytes: z.number().optional(),
  uptimeS: z.number().optional(),
})
export const GuestsOutput = z.object({ guests: z.array(Guest).nullable(), ...counted })
export const StoragesOutput = z.object({ storages: z.array(Storage).nullable(), ...counted })
export const ResourcesOutput = z.object({
  nodes: z.array(Node).nullable(),
  guests: z.array(Guest).nullable(),
  totalGuests: z.int().nullable(),
  storages: z.array(Storage).nullable(),
  missing,
  unreachableSince,
})
export const TemperatureOutput = z.object({
  node: z.string(),
  celsius: z.number(),
  sensor: z.string(),
  all: z.array(z.object({ sensor: z.string(), celsius: z.number() })),
})
export const TasksOutput = z.object({ tasks: z.array(Task).nullable(), missing })
export const BackupsOutput = z.object({ backups: z.array(Backup).nullable(), ...counted })

/** What the six power tools answer: the task's end, and what was seen of the guest after it. */
export const PowerOutput = z.object({
  vmid: z.int(),
  type: z.enum(['vm', 'ct']),
  action: z.enum(['start', 'stop', 'restart']),
  force: z.boolean(),
  name: z.string().optional(),
  node: z.string().optional(),
  upid: z.string().optional(),
  exitStatus: z.string().describe('Proxmox’s words.'),
  ok: z.boolean(),
  observed: Guest.shape.status,
  durationMs: z.number(),
})
export const ServiceOutput = z.object({ node: z.string(), service: z.string(), ok: z.boolean(), message: z.string() })
export const WakeOutput = z.object({
  node: z.string(),
  cameOnline: z.boolean(),
  wasOnline: z.boolean(),
  afterMs: z.number(),
})

export const MemoryHitsOutput = z.object({
  hits: z.array(
    z.object({
      kind: z.string(),
      name: z.string(),
      title: z.string(),
      firstLine: z.int(),
      lastLine: z.int(),
      heading: z.string(),
      text: z.string(),
      changedAt: z.number(),
      isFromTools: z.boolean(),
      score: z.number(),
    }),
  ),
  byKeywordsAlone: z.boolean(),
  waiting: z.int().optional(),
})
/** `files` where none was asked for, the rest where one was. */
export const MemoryFileOutput = z.object({
  files: z.array(z.object({ path: z.string(), bytes: z.int(), changedAt: z.number() })).optional(),
  path: z.string().optional(),
  firstLine: z.int().optional(),
  lines: z.array(z.string()).optional(),
  totalLines: z.int().optional(),
  changedAt: z.number().optional(),
})
export const MemoryWrittenOutput = z.object({ path: z.string(), undoId: z.string() })
