import { Backup, Guest, Node, Storage, Task } from 'protocol/cluster'
import { z } from 'zod'

/** One line in plain words for each part of the cluster that could not be read. */
const missing = z.array(z.string())
/** Unix ms since when the cluster cannot be read; absent while it can be read. */
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
/** A field is absent if the node does not report it. */
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

/** The output of the six power tools: the end of the task, and the guest's state after it. */
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
/** `files` is set if the call asked for no file; the other members are set if it asked for one. */
export const MemoryFileOutput = z.object({
  files: z.array(z.object({ path: z.string(), bytes: z.int(), changedAt: z.number() })).optional(),
  path: z.string().optional(),
  firstLine: z.int().optional(),
  lines: z.array(z.string()).optional(),
  totalLines: z.int().optional(),
  changedAt: z.number().optional(),
})
export const MemoryWrittenOutput = z.object({ path: z.string(), undoId: z.string() })
export const SkillOutput = z.object({
  skill: z.object({ name: z.string(), hash: z.string() }).optional(),
  gave: z.enum(['body', 'file', 'nothing']).optional(),
  file: z.string().optional(),
  found: z.array(z.string()).optional(),
})

const missingPart = z.string().optional().describe('Why details could not be read.')
export const StorageHealthOutput = z.object({
  disks: z
    .array(
      z.object({
        node: z.string(),
        path: z.string(),
        model: z.string().optional(),
        serial: z.string().optional(),
        sizeBytes: z.number().optional(),
        kind: z.string().optional(),
        use: z.string().optional(),
        isHealthy: z.boolean().nullable().describe('By SMART. null: the disk does not say.'),
        lifeLeftRatio: z.number().optional().describe('0..1'),
      }),
    )
    .nullable()
    .optional()
    .describe('null: unknown.'),
  pools: z
    .array(
      z.object({
        node: z.string(),
        name: z.string(),
        health: z.string(),
        sizeBytes: z.number().optional(),
        usedBytes: z.number().optional(),
        fragmentRatio: z.number().optional(),
        faults: z.array(
          z.object({
            device: z.string(),
            state: z.string().optional(),
            read: z.number(),
            write: z.number(),
            checksum: z.number(),
          }),
        ),
        errors: z.string().optional(),
        scan: z.string().optional(),
        scrubbedAt: z.number().nullable(),
        missing: missingPart,
      }),
    )
    .nullable()
    .optional(),
  thinPools: z
    .array(
      z.object({
        node: z.string(),
        name: z.string(),
        sizeBytes: z.number().optional(),
        usedBytes: z.number().optional(),
        metadataBytes: z.number().optional(),
        metadataUsedBytes: z.number().optional(),
      }),
    )
    .nullable()
    .optional(),
  attention: z.array(z.string()).nullable().optional(),
  missing: missing.optional(),
  smart: z
    .object({ node: z.string(), disk: z.string(), health: z.string(), lines: z.array(z.string()) })
    .optional()
    .describe('Where one disk was asked for; then nothing else.'),
})
export const UncoveredOutput = z.object({
  guests: z.array(
    z.object({
      vmid: z.int(),
      name: z.string().optional(),
      isTemplate: z.boolean(),
      disabledJobs: z.array(z.string()).describe('Jobs that would cover it if they were enabled.'),
    }),
  ),
  jobs: z.object({ enabled: z.int(), disabled: z.int() }).nullable().describe('null: unknown.'),
  missing,
})
export const TaskLogOutput = z.object({
  upid: z.string(),
  node: z.string(),
  task: Task.optional(),
  lines: z.array(z.string()),
  troubles: z.array(z.string()).describe('Earlier lines that speak of errors.'),
  total: z.int().nullable().describe('Lines there are. null: more than were read.'),
})
export const NodeJournalOutput = z.object({ node: z.string(), lines: z.array(z.string()), found: z.int() })
export const ReplicationOutput = z.object({
  jobs: z
    .array(
      z.object({
        id: z.string(),
        vmid: z.int(),
        node: z.string(),
        target: z.string().optional(),
        schedule: z.string().optional(),
        syncedAt: z.number().nullable().describe('Last success. null: none known.'),
        triedAt: z.number().optional(),
        nextAt: z.number().optional(),
        failCount: z.int(),
        error: z.string().optional(),
        isDisabled: z.boolean(),
        isRunning: z.boolean(),
      }),
    )
    .nullable(),
  missing,
})
export const ReplicationRunOutput = z.object({ job: z.string(), node: z.string(), isQueued: z.boolean() })
export const UpdatesOutput = z.object({
  node: z.string(),
  pending: z
    .array(
      z.object({
        name: z.string(),
        from: z.string().optional(),
        to: z.string().optional(),
        origin: z.string().optional(),
      }),
    )
    .nullable(),
  total: z.int().nullable(),
  needsReboot: z.boolean().nullable().describe('For a newer kernel. null: unknown.'),
  runningKernel: z.string().optional(),
  newestKernel: z.string().optional(),
  missing,
})
/** The end of a task on a node. */
export const TaskEndOutput = z.object({
  node: z.string(),
  ok: z.boolean(),
  exitStatus: z.string().describe('Proxmox’s words.'),
  upid: z.string().optional(),
})
export const NodePowerOutput = z.object({
  node: z.string(),
  command: z.enum(['reboot', 'shutdown']),
  isDown: z.boolean().describe('It was seen off, or has rebooted.'),
  isBack: z.boolean(),
  afterMs: z.number(),
})
const HaManager = z.object({ node: z.string(), status: z.string(), seenAt: z.number().optional() })
export const HaOutput = z.object({
  isQuorate: z.boolean().nullable(),
  master: HaManager.optional(),
  nodes: z.array(HaManager),
  services: z.array(
    z.object({ vmid: z.int(), node: z.string().optional(), state: z.string(), wanted: z.string().optional() }),
  ),
})
export const FirewallOutput = z.object({
  node: z.string().optional(),
  vmid: z.int().optional(),
  isEnabled: z.boolean(),
  isClusterEnabled: z.boolean().nullable(),
  isInForce: z.boolean().nullable(),
  policyIn: z.string().optional(),
  policyOut: z.string().optional(),
  rules: z.array(
    z.object({
      position: z.int(),
      isEnabled: z.boolean(),
      direction: z.string(),
      action: z.string(),
      match: z.string(),
      comment: z.string().optional(),
    }),
  ),
  openCards: z.array(z.string()).nullable().optional().describe('Network cards outside the firewall.'),
})
export const PbsStatusOutput = z.object({
  datastores: z.array(
    z.object({
      name: z.string(),
      totalBytes: z.number().optional(),
      usedBytes: z.number().optional(),
      fullAt: z.number().nullable().optional().describe('At the pace of the last month. null: it does not fill.'),
      maintenance: z.string().optional(),
      error: z.string().optional(),
    }),
  ),
  jobs: z
    .array(
      z.object({
        kind: z.enum(['verify', 'gc', 'prune', 'sync']),
        id: z.string(),
        store: z.string(),
        schedule: z.string().optional(),
        isDisabled: z.boolean(),
        lastState: z.string().nullable().describe('The server’s words. null: no run is known.'),
        lastAt: z.number().optional(),
        nextAt: z.number().optional(),
        pendingBytes: z.number().optional(),
        badChunks: z.number().optional(),
      }),
    )
    .nullable(),
  missing,
})
export const PbsSnapshotsOutput = z.object({
  snapshots: z
    .array(
      z.object({
        store: z.string(),
        namespace: z.string().optional(),
        type: z.string(),
        id: z.string(),
        at: z.number(),
        sizeBytes: z.number().optional(),
        verification: z.enum(['ok', 'failed', 'none']).describe('none: not yet.'),
        isProtected: z.boolean(),
        owner: z.string().optional(),
        notes: z.string().optional(),
      }),
    )
    .nullable(),
  total: z.int().nullable(),
  missing,
})
