import type { Clock } from '../../lib/clock.ts'
import { eachOf } from './each.ts'
import { seeGuest } from './guest.ts'
import type { Known, Reading } from './known.ts'
import type { Api } from './transport.ts'

/** Pause before an idle VM is asked again, ms. */
const againMs = 60_000
/** Longest time that a read of the cluster waits for the answers, ms. A VM whose answer has not come counts as unknown until then. */
const patienceMs = 1_500
const mostAtOnce = 4
/** CPU use, 0..1. A VM below it counts as idle: a running VM uses more. */
const stillRatio = 0.0005
const pausing = new Set(['qmpause', 'qmsuspend', 'qmresume'])

/** Updates the list of paused VMs after a read of the cluster. Resolves when all VMs have answered, or after `patienceMs`. Never rejects. */
export type LearnPaused = (reading: Reading, signal: AbortSignal) => Promise<void>

/**
 * Finds paused VMs. The cluster's list shows them as running; only their nodes know. A VM's node is asked if the VM is idle, was paused before, or
 * was paused or resumed by a task.
 */
export function createPausedWatch(parts: {
  api: Api
  clock: Clock
  known: Pick<Known, 'paused' | 'doubtful'>
  /** Called when an answer came after the read had ended. */
  changed(): void
}): LearnPaused {
  const { api, clock, known, changed } = parts
  const askedAt = new Map<number, number>()

  return async function learnPaused({ guests, tasks }: Reading, signal: AbortSignal): Promise<void> {
    const running = guests.filter(({ type, status, template }) => type === 'qemu' && status === 'running' && !template)
    const isThere = new Set(running.map(({ vmid }) => vmid))
    for (const map of [known.paused, known.doubtful, askedAt]) {
      for (const vmid of map.keys()) if (!isThere.has(vmid)) map.delete(vmid)
    }
    const touchedAt = new Map<number, number>()
    for (const { type, vmid, startedAt, endedAt = startedAt } of tasks ?? []) {
      if (pausing.has(type) && vmid !== undefined)
        touchedAt.set(vmid, Math.max(endedAt, touchedAt.get(vmid) ?? Number.NEGATIVE_INFINITY))
    }
    const isSuspect = (vmid: number, cpu = 0) =>
      cpu < stillRatio || known.paused.has(vmid) || known.doubtful.has(vmid) || touchedAt.has(vmid)
    const asked = running.filter(({ vmid, cpu }) => {
      const last = askedAt.get(vmid)
      if (!isSuspect(vmid, cpu)) {
        // Forget when the VM was asked, so that it is asked at once when it becomes idle again.
        askedAt.delete(vmid)
        return false
      }
      if (last === undefined || known.paused.has(vmid) || known.doubtful.has(vmid)) return true
      return clock.now() - last >= againMs || (touchedAt.get(vmid) ?? Number.NEGATIVE_INFINITY) > last
    })
    if (asked.length === 0) return
    for (const { vmid } of asked) if (!askedAt.has(vmid)) known.doubtful.set(vmid, '')

    let isOver = false
    const answers = eachOf(asked, mostAtOnce, async ({ vmid, node }) => {
      const at = clock.now()
      try {
        const seen = await seeGuest(api, { vmid, node, type: 'vm' }, { now: () => clock.now(), signal })
        askedAt.set(vmid, at)
        known.doubtful.delete(vmid)
        if (seen.status === 'paused') known.paused.add(vmid)
        else known.paused.delete(vmid)
      } catch (error) {
        if (signal.aborted) return
        known.paused.delete(vmid)
        known.doubtful.set(vmid, (error instanceof Error ? error.message : String(error)).replace(/\.$/, ''))
      }
      if (isOver) changed()
    })
    await new Promise<void>((resolve) => {
      const cancel = clock.after(patienceMs, resolve)
      void answers.finally(() => {
        cancel()
        resolve()
      })
    })
    isOver = true
  }
}
