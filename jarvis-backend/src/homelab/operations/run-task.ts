import { ApiError } from 'homelab-ports/failure'
import type { CallOptions, PveApi, PveMethod, PvePath, PveValues } from 'homelab-ports/ports'
import { notSent } from 'homelab-ports/power-words'
import { JarvisError } from 'protocol'
import { followTask } from '../pve/follow.ts'
import { parseUpid, statusOf, taskOf } from '../pve/upid.ts'

/** `what` names the task and continues the sentence "Proxmox took …": `the start of 100`. */
export type TaskRequest = { method?: PveMethod; path: PvePath; form?: PveValues; what: string }

/**
 * The outcome of a request that starts a task. `exitStatus`: `OK`, or Proxmox's own words. `refused`: Proxmox refused before it made a task, so
 * nothing was done.
 */
export type TaskOutcome =
  | { upid: string; exitStatus: string; ok: boolean; refused?: undefined }
  | { upid?: undefined; exitStatus: string; ok: false; refused: ApiError }

/**
 * Sends a request that starts a Proxmox task, reports the task's UPID to `onTask`, and waits until the task ends. A refusal or a failed task is a
 * returned outcome, not an exception.
 * @throws JarvisError `cluster_unreachable` (nothing was sent), `outcome_unknown`; the signal's reason
 */
export async function runTask(
  api: PveApi,
  { method = 'POST', path, form = {}, what }: TaskRequest,
  { signal, onProgress, onTask }: CallOptions,
): Promise<TaskOutcome> {
  let upid: unknown
  try {
    upid = await api.change({ method, path, form }, { signal })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'cluster_refused') throw error
    if (error.words !== notSent) await api.noteResult?.({ method, path, form }, signal)
    return { exitStatus: error.words, ok: false, refused: error }
  }
  const parsed = parseUpid(upid)
  if (typeof upid !== 'string' || parsed === undefined) {
    const message = `Proxmox took ${what} and named no task: whether it was carried out is not known.`
    throw new JarvisError('outcome_unknown', message)
  }
  onTask?.(upid)
  onProgress?.(`Task ${parsed.type} running`)
  const [begun] = taskOf({ upid })
  if (begun !== undefined) api.noteTask?.(begun)
  const exitStatus = await followTask(api, { ...parsed, upid }, { signal, onProgress })
  const status = statusOf(exitStatus)
  if (begun !== undefined) api.noteTask?.({ ...begun, status, exitStatus, endedAt: api.now() })
  await api.noteResult?.({ method, path, form }, signal)
  return { upid, exitStatus, ok: status !== 'failed' }
}
