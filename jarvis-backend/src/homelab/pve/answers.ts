import { ApiError } from 'homelab-ports/failure'
import { z } from 'zod'

/** Proxmox sends numbers as numbers or strings, and flags as 0, 1 or not at all. Unreadable values count as absent. */
const isNothing = (value: unknown) => value === null || value === ''
export const figure = z
  .preprocess((value) => (isNothing(value) ? undefined : value), z.coerce.number().optional())
  .catch(undefined)
export const whole = figure.transform((value) => (value === undefined ? undefined : Math.round(value)))
export const words = z
  .preprocess((value) => (isNothing(value) ? undefined : String(value)), z.string().optional())
  .catch(undefined)
export const flag = z
  .unknown()
  .optional()
  .transform((value) => value === 1 || value === '1' || value === true)
/** A flag that is undefined if Proxmox does not send it. */
export const said = z
  .unknown()
  .optional()
  .transform((value) => (isNothing(value) || value === undefined ? undefined : flag.parse(value)))
/** The vmid is required, because it identifies the guest. */
const vmid = z.coerce.number().pipe(z.int().min(1).max(999_999_999))

export const NodeRow = z.object({
  type: z.literal('node'),
  node: z.string().min(1),
  status: words,
  cpu: figure,
  maxcpu: whole,
  mem: figure,
  maxmem: figure,
  uptime: figure,
})
export const GuestRow = z.object({
  type: z.enum(['qemu', 'lxc']),
  vmid,
  node: z.string().min(1),
  name: words,
  status: words,
  uptime: figure,
  cpu: figure,
  maxcpu: whole,
  mem: figure,
  maxmem: figure,
  disk: figure,
  maxdisk: figure,
  netin: figure,
  netout: figure,
  diskread: figure,
  diskwrite: figure,
  lock: words,
  hastate: words,
  tags: words,
  pool: words,
  template: flag,
})
export const StorageRow = z.object({
  type: z.literal('storage'),
  storage: z.string().min(1),
  node: z.string().min(1),
  status: words,
  shared: flag,
  plugintype: words,
  content: words,
  disk: figure,
  maxdisk: figure,
})
export type NodeRow = z.output<typeof NodeRow>
export type GuestRow = z.output<typeof GuestRow>
export type StorageRow = z.output<typeof StorageRow>

export const StatusRow = z.object({
  type: z.enum(['cluster', 'node']),
  name: z.string(),
  quorate: said,
  online: said,
  /** The node's IP address, as the cluster resolves its name. */
  ip: words,
})
export type StatusRow = z.output<typeof StatusRow>

export const TaskRow = z.object({
  upid: z.string().min(1),
  status: words,
  endtime: whole,
})
export type TaskRow = z.output<typeof TaskRow>

export const TaskStatus = z.object({ status: words, exitstatus: words })

export const GuestNow = z.object({
  name: words,
  status: words,
  qmpstatus: words,
  uptime: figure,
  lock: words,
  tags: words,
  template: flag,
  cpus: whole,
  maxmem: figure,
  maxdisk: figure,
})

export const BackupRow = z.object({
  volid: z.string().min(1),
  vmid: whole,
  ctime: whole,
  size: figure,
  format: words,
  notes: words,
  owner: words,
  verification: z.object({ state: words }).optional().catch(undefined),
})

/** A storage's definition in the cluster's configuration. `username`: the user on the backup server. */
export const ServerRow = z.object({ storage: z.string().min(1), username: words })

export const NodeNow = z.object({
  pveversion: words,
  kversion: words,
  'current-kernel': z.object({ release: words }).optional().catch(undefined),
  cpu: figure,
  cpuinfo: z.object({ model: words, cpus: whole }).optional().catch(undefined),
  loadavg: z.array(figure).optional().catch(undefined),
  memory: z.object({ used: figure, total: figure, available: figure }).optional().catch(undefined),
  rootfs: z.object({ used: figure, total: figure }).optional().catch(undefined),
  uptime: figure,
})
export type NodeNow = z.output<typeof NodeNow>

/** One minute in a node's records. `arcsize`: the size of ZFS's cache, bytes. */
export const NodeMinute = z.object({ arcsize: figure })

/** A guest's configuration; only its network cards are read. */
export const GuestConfig = z.record(z.string(), z.unknown())

export const ServiceState = z.object({ 'active-state': words, state: words })

/** The token's rights: path → right → true if the right propagates to paths below. */
export const Permissions = z.record(z.string(), z.record(z.string(), z.unknown()))

/** Parses one object. @param who the sender, for the message @throws ApiError if the object has another form */
export function readAs<T extends z.ZodType>(schema: T, data: unknown, who: string): z.output<T> {
  const parsed = schema.safeParse(data)
  if (parsed.success) return parsed.data
  throw new ApiError('cluster_refused', `What ${who} answered makes no sense.`)
}

/** The readable rows, and the number of unreadable ones. */
export function rowsOf<T extends z.ZodType>(schema: T, data: unknown): { rows: z.output<T>[]; unread: number } {
  const rows: z.output<T>[] = []
  if (!Array.isArray(data)) return { rows, unread: data === undefined || data === null ? 0 : 1 }
  let unread = 0
  for (const row of data) {
    const parsed = schema.safeParse(row)
    if (parsed.success) rows.push(parsed.data)
    else unread += 1
  }
  return { rows, unread }
}
