import { JarvisError } from 'protocol'
import type { PveApi } from '../ports.ts'
import { TaskStatus } from './answers.ts'
import type { Upid } from './upid.ts'

const pollMs = 1_000
const tellEveryMs = 15_000
/** After this long without an answer of the node, the task's outcome is unknown. */
const silenceMs = 30_000
const answerMs = 6_000

/**
 * Follows a task to its end on the node in its UPID. @returns Proxmox's exit status
 * @throws JarvisError `outcome_unknown` where the node stopped answering
 */
export async function followTask(
  api: PveApi,
  upid: string,
  { node, type }: Upid,
  { signal, onProgress }: { signal: AbortSignal; onProgress?: (message: string) => void },
): Promise<string> {
  const begunAt = api.now()
  let heardAt = begunAt
  let toldAt = begunAt
  for (;;) {
    try {
      const { status, exitstatus } = TaskStatus.parse(
        await api.get(['nodes', node, 'tasks', upid, 'status'], {}, { signal, answerMs }),
      )
      heardAt = api.now()
      if (status === 'stopped') return exitstatus ?? 'unexpected status'
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (api.now() - heardAt >= silenceMs) {
        const why = error instanceof Error ? error.message : String(error)
        throw new JarvisError(
          'outcome_unknown',
          `The task ${type} was begun, and what became of it cannot be read: ${why}`,
          {
            cause: error,
          },
        )
      }
    }
    if (api.now() - toldAt >= tellEveryMs) {
      toldAt = api.now()
      onProgress?.(`Task ${type} still running after ${Math.round((toldAt - begunAt) / 1000)} s`)
    }
    await api.wait(pollMs, signal)
  }
}
