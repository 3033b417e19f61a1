import { firstOf } from 'node-kit/words'
import type { Backup, Guest, Limits } from 'protocol'
import { backupAgeTone, clusterTime } from 'protocol/facts'
import { z } from 'zod'
import { ageOf, diskOf, oneLine, plainName } from '../../homelab/format.ts'
import { BackupsOutput } from '../outputs.ts'
import { homelabTool, reading, rights } from './homelab-tool.ts'
import { nodeFilter, readTimeoutMs, Vmid } from './inputs.ts'
import { missingText, notRead, usualLimit } from './listing.ts'

export const getBackups = homelabTool({
  name: 'get_backups',
  title: 'List backups',
  description:
    'Lists backups: for each guest the newest one, its age, storage, size and how many there are; with `vmid` every backup of that guest.',
  ...reading,
  needs: [rights.backupFiles, rights.backups],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({
    node: nodeFilter,
    storage: z.string().min(1).max(100).optional().describe('Only this storage. Absent: all.'),
    vmid: Vmid.optional().describe('Only this guest. Absent: all.'),
  }),
  example: {},
  output: BackupsOutput,
  async run({ node, storage, vmid }, context, { cluster, limits }) {
    const query = { node, storage, vmid }
    const { items, missing, isUnread = false } = await cluster.backups(query, context)
    const state = cluster.state()
    const { guests } = state
    const at = clusterTime(state.at, state)
    const asked = guests
      .filter((guest) => (vmid === undefined || guest.vmid === vmid) && (node === undefined || guest.node === node))
      .sort((a, b) => a.vmid - b.vmid)
    const lines = vmid === undefined ? newestLines(items, asked, at) : items.map((backup) => backupLine(backup, at))
    // One storage does not tell which guests have backups elsewhere, so a query for one storage reports no guests without a backup.
    const isOf = ({ vmid: of }: Guest, item: Backup) =>
      item.vmid === of && item.whose !== 'earlier' && item.whose !== 'other'
    const bare = storage === undefined ? asked.filter((guest) => !items.some((item) => isOf(guest, item))) : []
    const left = lines.length - usualLimit
    return {
      text: [
        ...missingText(missing),
        isUnread ? 'No backup could be read.' : `${items.length} backups.`,
        ...lines.slice(0, usualLimit),
        ...(left > 0 ? [`${left} more: narrow the list with node, storage or vmid.`] : []),
        ...bareText(bare, at, missing.length > 0),
      ].join('\n'),
      summary: [...notRead(missing), summaryOf(items, asked, { now: at, limits: limits() })].join('; '),
      data: isUnread
        ? { backups: null, total: null, missing }
        : { backups: items.slice(0, 200), total: items.length, missing },
      // If one of several storages could not be read, the text says so. If none could be read, nothing is known, and the answer is an error.
      isError: isUnread,
    }
  },
})

const backupLine = (backup: Backup, now: number) =>
  `${ageOf(backup.createdAt, now)} on ${plainName(backup.storage)}, ${diskOf(backup.sizeBytes)}, ${oneLine(backup.format, 20)}, ${oneLine(backup.volumeId, 120)}${verifiedWords(backup)}${whoseWords(backup)}`

/** The words on a backup's verification; empty for a backup that is not on a backup server, because only such servers verify. */
const verifiedWords = ({ verification }: Backup) =>
  verification === undefined ? '' : `, ${verifications[verification]}`
const verifications = { ok: 'verified', failed: 'VERIFICATION FAILED', none: 'not verified yet' }

/** The backups under a VMID may belong to an earlier guest or to another cluster's guest. */
const whoseWords = ({ whoseWords: words }: Backup) =>
  words === undefined ? '' : `; NOT PROVEN ITS OWN: ${oneLine(words, 200)}`

/** One line for each guest. The guest whose newest backup is the oldest comes first. */
function newestLines(items: readonly Backup[], guests: readonly Guest[], now: number): string[] {
  const names = new Map(guests.map(({ vmid, name }) => [vmid, plainName(name)]))
  const byGuest = new Map<number, Backup[]>()
  for (const item of items) byGuest.set(item.vmid, [...(byGuest.get(item.vmid) ?? []), item])
  return [...byGuest]
    .flatMap(([vmid, [newest, ...older]]) => (newest === undefined ? [] : [{ vmid, newest, count: older.length + 1 }]))
    .sort((a, b) => a.newest.createdAt - b.newest.createdAt)
    .map(({ vmid, newest, count }) => {
      const name = names.get(vmid) ?? '(no such guest now)'
      return `${vmid} ${name}: ${ageOf(newest.createdAt, now)} on ${plainName(newest.storage)}, ${diskOf(newest.sizeBytes)}, ${count} kept${verifiedWords(newest)}${whoseWords(newest)}`
    })
}

/** @param isPartial true if some backups could not be read */
function bareText(bare: readonly Guest[], now: number, isPartial: boolean): string[] {
  if (bare.length === 0) return []
  const known = ({ vmid, name, backupAt }: Guest) =>
    `${vmid} ${plainName(name)} (${typeof backupAt === 'number' ? `newest known ${ageOf(backupAt, now)}` : isPartial ? 'unknown' : 'none known'})`
  return [`No backup that can be read now: ${firstOf(bare.map(known), 30)}.`]
}

function summaryOf(
  items: readonly Backup[],
  guests: readonly Guest[],
  { now, limits }: { now: number; limits: Limits },
): string {
  const newest = Math.max(0, ...items.map(({ createdAt }) => createdAt))
  const first = newest === 0 ? 'No readable backup' : `${items.length} backups, newest ${ageOf(newest, now)}`
  const stale = guests.filter(({ backupAt }) => backupAgeTone(backupAt, now, limits) !== undefined).length
  return stale === 0 ? first : `${first}; ${stale} ${stale === 1 ? 'guest' : 'guests'} without a fresh one`
}
