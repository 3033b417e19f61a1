import { ApiError } from 'homelab-ports/failure'
import { JarvisError } from 'protocol'
import { GuestRow, NodeRow, rowsOf, StatusRow, StorageRow, TaskRow } from '../pve/answers.ts'
import { isForbidden } from '../pve/rights.ts'
import { taskOf } from '../pve/upid.ts'
import type { Reading } from './known.ts'
import type { Api } from './transport.ts'

/** Time limit per request, ms. The node that is asked answers these requests from memory. */
const answerMs = 5_000

/** Reads the cluster in three requests. @throws ApiError if the list of resources cannot be read */
export async function readCluster(api: Api, now: () => number, signal: AbortSignal): Promise<Reading> {
  const ask = { signal, answerMs }
  const missing: string[] = []
  const orMissing = async (what: string, path: readonly string[]) => {
    try {
      return await api.get(path, {}, ask)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      missing.push(
        isForbidden(error)
          ? `${what} cannot be seen by this token (it needs Sys.Audit on /)`
          : `${what} cannot be read now${error instanceof JarvisError ? `: ${error.message.replace(/\.$/, '')}` : ''}`,
      )
      return undefined
    }
  }
  const [resources, status, tasks] = await Promise.all([
    api.get(['cluster', 'resources'], {}, ask),
    orMissing('quorum', ['cluster', 'status']),
    orMissing('tasks', ['cluster', 'tasks']),
  ])
  // A malformed answer must not count as an empty cluster, because then everything known would be deleted.
  if (!Array.isArray(resources)) throw new ApiError('cluster_refused', 'What the cluster lists makes no sense.')
  const all = resources as ({ type?: unknown } | null)[]
  const rowsOfType = (...types: string[]) => all.filter((row) => types.includes(String(row?.type)))
  const nodes = rowsOf(NodeRow, rowsOfType('node'))
  const guests = rowsOf(GuestRow, rowsOfType('qemu', 'lxc'))
  const storages = rowsOf(StorageRow, rowsOfType('storage'))
  const members = rowsOf(StatusRow, status)
  const newest = rowsOf(TaskRow, tasks)
  const unread = [nodes, guests, storages, members, newest].reduce((sum, part) => sum + part.unread, 0)
  if (unread > 0) missing.push(`${unread} of the things that the cluster lists make no sense`)
  return {
    at: now(),
    nodes: nodes.rows,
    guests: unique(guests.rows),
    storages: storages.rows,
    status: status === undefined ? undefined : members.rows,
    tasks: tasks === undefined ? undefined : newest.rows.flatMap(taskOf),
    missing,
  }
}

/** Removes duplicates: while a guest migrates, both nodes may list it. */
function unique(rows: GuestRow[]): GuestRow[] {
  const byVmid = new Map<number, GuestRow>()
  for (const row of rows) {
    const before = byVmid.get(row.vmid)
    if (before === undefined || before.status !== 'running') byVmid.set(row.vmid, row)
  }
  return [...byVmid.values()]
}
