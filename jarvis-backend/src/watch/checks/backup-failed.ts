import { ageOf, oneLine } from '../../homelab/format.ts'
import type { Check, Measure } from '../check.ts'
import { guestName, guestObject, when } from '../measure.ts'

const newest = 200

/** A guest whose newest backup task failed. */
export const backupFailed: Check = {
  id: 'backup-failed',
  title: 'Backup failed',
  reads: 'GET /nodes/{node}/tasks, type vzdump',
  limit: () => 'The newest backup task of a guest failed.',
  pace: 'sweep',
  forMs: 0,
  runbooks: ['backup-failed'],
  async look({ cluster, state, now, signal }) {
    const unread = new Map<string, string>()
    const last = new Map<number, { at: number; isFailed: boolean; words: string }>()
    for (const { name, status } of state.nodes) {
      if (status !== 'online') {
        unread.set(name, `${name} is ${status}`)
        continue
      }
      const { items, missing, isUnread } = await cluster.tasks({ node: name, limit: newest }, { signal })
      if (isUnread || missing.length > 0) unread.set(name, missing[0] ?? 'Its tasks could not be read.')
      for (const { type, vmid, status: ended, endedAt, startedAt, exitStatus } of items) {
        if (type !== 'vzdump' || vmid === undefined || ended === 'running') continue
        const at = endedAt ?? startedAt
        if (at > (last.get(vmid)?.at ?? 0))
          last.set(vmid, { at, isFailed: ended === 'failed', words: exitStatus ?? ended })
      }
    }
    const measures = state.guests
      .filter(({ isTemplate }) => !isTemplate)
      .flatMap((guest): Measure[] => {
        const task = last.get(guest.vmid)
        // Tasks are kept for a while only; an older failure is the concern of the age of its backup.
        if (task === undefined) return []
        const who = guestName(guest)
        const storage = task.isFailed ? /storage '([\w.-]+)'/.exec(task.words)?.[1] : undefined
        const ended = task.isFailed ? 'failed' : 'worked'
        return [
          {
            object: guestObject(guest),
            level: when(task.isFailed, 'failed'),
            words: task.isFailed ? oneLine(task.words, 120) : 'OK',
            sentence: `The backup of ${who} ${ended} ${ageOf(task.at, now)}.`,
            inputs: { vmid: guest.vmid, ...(storage !== undefined && { storage }) },
          },
        ]
      })
    return { measures, unread }
  },
}
