import { ApiError } from 'homelab-ports/failure'
import { clusterTime } from 'protocol/facts'
import { plainName } from '../../homelab/format.ts'
import { readCoverage } from '../../homelab/operations/coverage.ts'
import { isForbidden } from '../../homelab/pve/rights.ts'
import { CannotRun, type Check, type Measure } from '../check.ts'
import { guestName, guestObject } from '../measure.ts'
import { backupInputs } from './known.ts'

const graceMs = 24 * 3_600_000

/** A guest that no enabled backup job names. Proxmox's own list counts disabled jobs too. */
export const guestUncovered: Check = {
  id: 'guest-uncovered',
  title: 'Guest in no backup job',
  reads: 'GET /cluster/backup-info/not-backed-up and /cluster/backup',
  limit: () => 'In no enabled job a day after it was made.',
  pace: 'sweep',
  from: ['guests'],
  forMs: 0,
  async look({ api, state, now, signal }) {
    try {
      const { uncovered, jobs } = await readCoverage(api, signal)
      const bare = new Map(uncovered.map((guest) => [guest.vmid, guest]))
      const measures = state.guests
        .filter(({ isTemplate }) => !isTemplate)
        .map((guest): Measure => {
          const found = bare.get(guest.vmid)
          const of = { object: guestObject(guest), inputs: backupInputs(guest, state.storages) }
          const who = guestName(guest)
          if (found === undefined) {
            // Without the jobs nobody knows if only a disabled job covers the guest.
            if (jobs === null)
              return { ...of, level: 'unseen', words: 'unknown', sentence: `${who}: its backup jobs are not known.` }
            return { ...of, level: 'clear', words: 'in a job', sentence: `${who} is in a backup job.` }
          }
          const { disabledJobs } = found
          const only = disabledJobs.length === 0 ? '' : ` but the disabled ${disabledJobs.map(plainName).join(', ')}`
          const madeAt = Math.max(guest.madeAt ?? 0, guest.identity?.notBefore ?? 0)
          const isNew = clusterTime(now, state) - madeAt < graceMs
          const sentence = `${who} is in no backup job${only}.`
          return { ...of, level: isNew ? 'between' : 'look', words: `in no job${only}`, sentence }
        })
      return { measures, unread: new Map() }
    } catch (error) {
      if (error instanceof ApiError && isForbidden(error)) throw new CannotRun('The token needs Sys.Audit on /.')
      throw error
    }
  },
}
