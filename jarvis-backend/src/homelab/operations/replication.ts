import type { Partial, PveApi, PveReader } from 'homelab-ports/ports'
import { present } from 'node-kit/present'
import type { Node } from 'protocol'
import { z } from 'zod'
import { figure, flag, rowsOf, words } from '../pve/answers.ts'
import { hiddenLine, readRights } from '../pve/rights.ts'
import { readEach } from './read-each.ts'

const JobRow = z.object({
  id: z.string().regex(/^[1-9]\d{2,8}-\d{1,9}$/),
  guest: figure,
  target: words,
  schedule: words,
  last_sync: figure,
  last_try: figure,
  next_sync: figure,
  fail_count: figure,
  error: words,
  duration: figure,
  disable: flag,
  pid: figure,
})

/** Times are Unix ms. */
export type ReplicationJob = {
  /** `100-0` */
  id: string
  vmid: number
  node: string
  target?: string
  schedule?: string
  /** End of the last successful run, Unix ms; null: it never succeeded, or that is unknown. */
  syncedAt: number | null
  triedAt?: number
  nextAt?: number
  failCount: number
  error?: string
  isDisabled: boolean
  isRunning: boolean
}

/** Reads the replication jobs that the token sees, of the guests on these nodes. @throws only the signal's reason */
export async function readReplication(
  api: PveReader,
  nodes: readonly Pick<Node, 'name' | 'status'>[],
  signal: AbortSignal,
): Promise<Partial<ReplicationJob>> {
  const reading = readEach(nodes, { what: 'replication', needs: 'VM.Audit on /vms', signal }, async (node) => {
    const { rows } = rowsOf(JobRow, await api.get(['nodes', node, 'replication'], {}, { signal }))
    return rows.map((row) => ({
      id: row.id,
      vmid: row.guest ?? Number(row.id.split('-')[0]),
      node,
      syncedAt: ms(row.last_sync) ?? null,
      ...present({ target: row.target, schedule: row.schedule, error: row.error?.trim() }),
      ...present({ triedAt: ms(row.last_try), nextAt: ms(row.next_sync) }),
      failCount: row.fail_count ?? 0,
      isDisabled: row.disable,
      isRunning: row.pid !== undefined,
    }))
  })
  const [read, rights] = await Promise.all([reading, readRights(api, signal)])
  return { ...read, missing: [...read.missing, ...hiddenLine(rights, 'guests')] }
}

/** Proxmox writes 0 if there is no such time. */
const ms = (seconds: number | undefined) => (seconds === undefined || seconds === 0 ? undefined : seconds * 1000)

/** Puts a replication job at the head of the node's queue, which the node works on once a minute. @throws ApiError; the signal's reason */
export async function scheduleReplication(
  api: PveApi,
  { node, id }: { node: string; id: string },
  signal: AbortSignal,
): Promise<void> {
  await api.change({ method: 'POST', path: ['nodes', node, 'replication', id, 'schedule_now'], form: {} }, { signal })
}
