import type { PveApi } from 'homelab-ports/ports'
import { JarvisError } from 'protocol'
import { TaskStatus } from './answers.ts'
import type { Upid } from './upid.ts'

const pollMs = 1_000
const tellEveryMs = 15_000
/** If the node does not answer for this long, the task's outcome counts as unknown, ms. */
const silenceMs = 30_000
const answerMs = 6_000

/**
 * Follows a task until it ends, on the node that its UPID names. @returns Proxmox's exit status
 * @throws JarvisError `outcome_unknown` if the node stopped answering
 */
export async function followTask(
  api: PveApi,
  { upid, node, type }: Pick<Upid, 'node' | 'type'> & { upid: string },
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
