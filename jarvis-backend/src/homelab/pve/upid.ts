import type { Task } from 'protocol'

export type Upid = { node: string; startedAt: number; type: string; id: string; user: string }

/** Matches a UPID. A UPID has no slash, so it can be a segment of a path. */
export const upidShape =
  /^UPID:([A-Za-z0-9-]+):[0-9A-Fa-f]{8}:[0-9A-Fa-f]{8,9}:([0-9A-Fa-f]{8}):([^:\s/]+):([^:\s/]*):([^:\s/]+):$/

/** @returns undefined if the text is not a UPID */
export function parseUpid(text: unknown): Upid | undefined {
  const [, node, started, type, id, user] = upidShape.exec(typeof text === 'string' ? text : '') ?? []
  if (node === undefined || started === undefined || type === undefined || id === undefined || user === undefined) {
    return undefined
  }
  return { node, startedAt: Number.parseInt(started, 16) * 1000, type, id, user }
}

/** `OK` and `WARNINGS: n` are success; everything else is failure. */
export function statusOf(exitStatus: string): Exclude<Task['status'], 'running'> {
  if (exitStatus === 'OK') return 'ok'
  return /^WARNINGS: \d+$/.test(exitStatus) ? 'warnings' : 'failed'
}

/** Parses a row of a task list. Running tasks have no status, or `RUNNING` in a node's own list. */
export function taskOf(row: { upid: string; status?: string | undefined; endtime?: number | undefined }): Task[] {
  const parsed = parseUpid(row.upid)
  if (parsed === undefined) return []
  const { node, startedAt, type, id, user } = parsed
  const task = {
    upid: row.upid,
    node,
    type,
    ...(/^[1-9]\d{2,8}$/.test(id) && { vmid: Number(id) }),
    user,
    startedAt,
  }
  if (row.status === undefined || row.status === 'RUNNING' || row.status === 'running') {
    // A task list may show a task's end time before its status.
    return [{ ...task, status: 'running' }]
  }
  const ended = row.endtime === undefined || row.endtime === 0 ? {} : { endedAt: row.endtime * 1000 }
  return [{ ...task, ...ended, status: statusOf(row.status), exitStatus: row.status }]
}
