import type { Partial, PveReader } from 'homelab-ports/ports'
import type { Task } from 'protocol'
import { eachOf } from '../proxmox/each.ts'
import { reasonOf } from './left-of.ts'

const mostLogs = 10
const logsAtOnce = 4
const mostKept = 500

/**
 * Makes a function that adds the reason to tasks whose exit status is only `job errors`. The reason comes from the task's log, which is read once
 * after the task's end. One call reads at most the logs of the newest ten such tasks. A task whose log could not be read gets no reason.
 */
export function createTaskReasons(api: PveReader) {
  const known = new Map<string, string>()
  return async (found: Partial<Task>, signal: AbortSignal): Promise<Partial<Task>> => {
    const isOpen = ({ status, exitStatus, upid }: Task) =>
      status === 'failed' && exitStatus === 'job errors' && !known.has(upid)
    await eachOf(found.items.filter(isOpen).slice(0, mostLogs), logsAtOnce, async ({ upid, exitStatus = '' }) => {
      const reason = await reasonOf(api, { upid, exitStatus }, signal)
      if (reason !== exitStatus) known.set(upid, reason)
    })
    for (const upid of known.keys()) {
      if (known.size <= mostKept) break
      known.delete(upid)
    }
    return {
      ...found,
      items: found.items.map((task) => {
        const reason = known.get(task.upid)
        return reason === undefined ? task : { ...task, reason }
      }),
    }
  }
}
