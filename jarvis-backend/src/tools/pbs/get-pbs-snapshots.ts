import { z } from 'zod'
import { ageOf, diskOf, oneLine, plainName } from '../../homelab/format.ts'
import { type PbsSnapshot, readSnapshots } from '../../homelab/pbs/read.ts'
import { Vmid } from '../homelab/inputs.ts'
import { missingText, notRead, usualLimit } from '../homelab/listing.ts'
import { PbsSnapshotsOutput } from '../outputs.ts'
import { pbsTool, quoting } from './pbs-tool.ts'

const words = { ok: 'verified', failed: 'VERIFICATION FAILED', none: 'not verified' }

export const getPbsSnapshots = pbsTool({
  ...quoting,
  name: 'get_pbs_snapshots',
  title: 'List the backup server’s snapshots',
  description:
    'Lists backups as the backup server keeps them: each guest’s newest with its verification; with `vmid` all of them. Verified means readable, not bootable.',
  timeoutMs: 60_000,
  input: z.strictObject({
    datastore: z
      .string()
      .regex(/^[\w.-]{1,64}$/)
      .optional()
      .describe('Absent: all.'),
    vmid: Vmid.optional().describe('One guest.'),
  }),
  example: {},
  output: PbsSnapshotsOutput,
  async run({ datastore, vmid }, { signal }, { api, pbs }) {
    const of = { store: datastore, ...(vmid !== undefined && { id: String(vmid) }) }
    const { items, missing, isUnread } = await readSnapshots(pbs, of, { signal })
    const now = api.now()
    const shown = vmid === undefined ? newestOf(items) : items
    const bad = items.filter(({ verification }) => verification === 'failed')
    const left = shown.length - usualLimit
    const lines = shown.slice(0, usualLimit).map((snapshot) => lineOf(snapshot, now))
    const head = isUnread
      ? 'The snapshots are unknown.'
      : `${items.length} snapshots, ${bad.length} failed verification.`
    return {
      text: [...missingText(missing), head, ...lines, ...(left > 0 ? [`${left} more: name a guest.`] : [])].join('\n'),
      summary: [
        ...notRead(missing),
        isUnread ? 'snapshots unknown' : `${items.length} snapshots, ${bad.length} failed verification`,
      ].join('; '),
      data: { snapshots: isUnread ? null : shown.slice(0, 200), total: isUnread ? null : items.length, missing },
      isError: isUnread,
    }
  },
})

/** The newest snapshot of each group. Failed verifications come first, then snapshots that were never verified. */
function newestOf(items: readonly PbsSnapshot[]): PbsSnapshot[] {
  const newest = new Map<string, PbsSnapshot>()
  for (const item of items) {
    const key = [item.store, item.namespace, item.type, item.id].join('/')
    if (!newest.has(key)) newest.set(key, item)
  }
  const order = { failed: 0, none: 1, ok: 2 }
  return [...newest.values()].sort((a, b) => order[a.verification] - order[b.verification] || a.at - b.at)
}

/** Guests of several clusters may have the same id on a backup server. The owner and the notes tell them apart. */
function lineOf(
  { store, namespace, type, id, at, sizeBytes, verification, isProtected, owner, notes }: PbsSnapshot,
  now: number,
) {
  const place = `${plainName(store)}${namespace === undefined ? '' : `/${plainName(namespace)}`}`
  const size = sizeBytes === undefined ? 'size unknown' : diskOf(sizeBytes)
  return `${plainName(type)}/${plainName(id)} ${ageOf(at, now)} in ${place}, ${size}, ${words[verification]}${isProtected ? ', protected' : ''}${owner === undefined ? '' : `, of ${plainName(owner)}`}${notes === undefined ? '' : `, notes: ${oneLine(notes, 60)}`}`
}
