import type { Backup } from 'protocol'
import { clusterTime } from 'protocol/facts'
import { ageOf } from '../../homelab/format.ts'
import { CannotRun, type Check, type Measure } from '../check.ts'
import { guestName, guestObject } from '../measure.ts'

const dayMs = 86_400_000
const mostDays = 30

/** A guest whose newest verified backup is broken or old. Only backup servers verify. */
export const backupVerify: Check = {
  id: 'backup-verify',
  title: 'Backup not verified, or broken',
  reads: 'GET /nodes/{node}/storage/{storage}/content, verification',
  limit: () => `A verification failed, or none for ${mostDays} d.`,
  pace: 'sweep',
  from: ['storages', 'guests'],
  forMs: 0,
  runbooks: ['restore-drill'],
  async look({ cluster, state, now: ownNow, signal }) {
    const now = clusterTime(ownNow, state)
    const servers = state.storages.filter(({ type }) => type === 'pbs')
    if (servers.length === 0) throw new CannotRun('No storage is on a Proxmox Backup Server.')
    const byGuest = new Map<number, Backup[]>()
    const unread = new Map<string, string>()
    for (const { name } of servers) {
      const { items, missing, isUnread } = await cluster.backups({ storage: name }, { signal })
      if (isUnread || missing.length > 0) unread.set('*', missing[0] ?? `Backups on ${name} could not be read.`)
      for (const backup of items) {
        if (backup.whose === 'earlier' || backup.whose === 'other') continue
        if (backup.verification !== undefined) byGuest.set(backup.vmid, [...(byGuest.get(backup.vmid) ?? []), backup])
      }
    }
    const measures = state.guests.flatMap((guest): Measure[] => {
      const backups = byGuest.get(guest.vmid)
      if (backups === undefined) return []
      const of = { object: guestObject(guest), inputs: { vmid: guest.vmid } }
      const who = guestName(guest)
      const broken = backups.filter(({ verification }) => verification === 'failed')
      if (broken.length > 0) {
        const words = `${broken.length} of ${backups.length} broken`
        const newestAt = Math.max(...broken.map(({ createdAt }) => createdAt))
        const sentence = `${who}: ${broken.length} of ${backups.length} backups failed verification, the newest made ${ageOf(newestAt, now)}.`
        return [{ ...of, level: 'failed', words, sentence }]
      }
      const ok = backups.filter(({ verification }) => verification === 'ok')
      const okAt = ok.length === 0 ? undefined : Math.max(...ok.map(({ createdAt }) => createdAt))
      const oldest = Math.min(...backups.map(({ createdAt }) => createdAt))
      const isOld = now - (okAt ?? oldest) > mostDays * dayMs
      const words = okAt === undefined ? 'none verified' : `verified one of ${ageOf(okAt, now)}`
      const said =
        okAt === undefined ? 'no backup was ever verified' : `the newest verified backup is from ${ageOf(okAt, now)}`
      return [{ ...of, level: isOld ? 'look' : 'clear', words, sentence: `${who}: ${said}.` }]
    })
    return { measures, unread }
  },
}
