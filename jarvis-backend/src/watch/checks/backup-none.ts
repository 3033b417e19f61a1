import type { Guest } from 'protocol'
import { withoutTemplates } from 'protocol/facts'
import type { Check, Measure } from '../check.ts'
import { guestName, guestObject, seen } from '../measure.ts'
import { backupInputs } from './known.ts'

const hourMs = 3_600_000

/** A guest whose VMID has backups, none of which is known to be the guest's own. */
export const backupNone: Check = {
  id: 'backup-none',
  title: 'No backup of its own',
  reads: 'GET /nodes/{node}/storage/{storage}/content?content=backup, and which guest has the number',
  limit: () => 'The backups under its number are of an earlier guest or of another machine.',
  pace: 'state',
  from: ['guests'],
  forMs: 0,
  runbooks: ['backup-failed'],
  look: ({ state, limits: { backupHours }, now }) =>
    seen(
      withoutTemplates(state.guests)
        .filter(({ backupDoubt, backupAt }) => backupDoubt !== undefined || typeof backupAt === 'number')
        .map((guest) => ({
          ...measured(guest, backupHours[1] * hourMs, now),
          inputs: backupInputs(guest, state.storages),
        })),
    ),
}

/** @param failedMs age of the guest after which its data is at risk without a backup */
function measured(guest: Guest, failedMs: number, now: number): Measure {
  const { backupAt, backupDoubt = '', identity } = guest
  const of = { object: guestObject(guest) }
  const who = guestName(guest)
  if (typeof backupAt === 'number')
    return { ...of, level: 'clear', words: 'has one', sentence: `${who} has a backup of its own.` }
  const unread = backupAt === null ? ' that could be read' : ''
  return {
    ...of,
    // A storage that could not be read may hold a backup.
    level: unread === '' && identity !== undefined && now - identity.since > failedMs ? 'failed' : 'look',
    words: unread === '' ? 'none of its own' : 'none known',
    sentence: `${who} has no backup of its own${unread}. The newest under its number is ${backupDoubt}.`,
  }
}
