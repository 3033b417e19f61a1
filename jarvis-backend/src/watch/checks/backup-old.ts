import { spanOf } from 'node-kit/words'
import type { Guest } from 'protocol'
import { clusterTime, withoutTemplates } from 'protocol/facts'
import type { Check, Measure } from '../check.ts'
import { guestName, guestObject, seen } from '../measure.ts'
import { backupInputs, overOrUnseen } from './known.ts'

const hourMs = 3_600_000

export const backupOld: Check = {
  id: 'backup-old',
  title: 'Backup too old',
  reads: 'GET /nodes/{node}/storage/{storage}/content?content=backup',
  limit: ({ backupHours: [look, failed] }) => `Limit ${spanOf(look * 3_600)}, failed at ${spanOf(failed * 3_600)}.`,
  pace: 'state',
  from: ['guests'],
  forMs: 0,
  runbooks: ['backup-failed'],
  look: ({ state, limits: { backupHours }, now }) =>
    seen(
      // Another check reports guests that never had a backup.
      withoutTemplates(state.guests)
        .filter(({ backupAt }) => backupAt !== undefined)
        .map((guest) => ({
          ...measured(guest, backupHours, clusterTime(now, state)),
          inputs: backupInputs(guest, state.storages),
        })),
    ),
}

function measured(guest: Guest, [look, failed]: readonly [number, number], now: number): Measure {
  const { backupAt, backupDoubt, lock } = guest
  const hours = typeof backupAt === 'number' ? (now - backupAt) / hourMs : undefined
  const words = hours === undefined ? 'unknown' : spanOf(hours * 3_600)
  const level = overOrUnseen(hours, { look, failed, clear: look })
  // A fresh backup that may belong to another guest proves nothing. An old one is too old in either case.
  const isDoubtful = backupDoubt !== undefined && (level === 'clear' || level === 'between')
  return {
    object: guestObject(guest),
    level: isDoubtful ? 'unseen' : level,
    words,
    value: hours,
    sentence: `The newest backup of ${guestName(guest)} is ${words} old${backupDoubt === undefined ? '' : `, and ${backupDoubt}`}.`,
    ...(lock === 'backup' && { explainedBy: 'A backup of it runs.' }),
  }
}
