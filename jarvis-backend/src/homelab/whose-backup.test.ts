import type { Backup, Guest } from 'protocol'
import { expect, test } from 'vitest'
import { whoseBackups } from './whose-backup.ts'

const base = { node: 'pve', isProtected: false, tags: [], isHa: false, uptimeS: 1, cpuRatio: 0, cpuCount: 1 }
const figures = { ramBytes: 0, ramTotalBytes: 0, diskBytes: 0, diskTotalBytes: 0, status: 'running' as const }
const guest = (vmid: number, name: string, identity: Guest['identity']): Guest => ({
  ...base,
  ...figures,
  vmid,
  name,
  type: 'ct',
  ...(identity && { identity }),
})
const backup = (vmid: number, createdAt: number, more: Partial<Backup> = {}): Backup => ({
  volumeId: `pbs:backup/ct/${vmid}/${createdAt}`,
  vmid,
  storage: 'pbs',
  createdAt,
  sizeBytes: 1,
  format: 'pbs-ct',
  ...more,
})
const guests = [
  guest(105, 'photos', { id: 'b', since: 50, notBefore: 40, earlier: { name: 'web', until: 30 } }),
  guest(106, 'mail', { id: 'c', since: 50 }),
  guest(107, 'unread', undefined),
]
const named = backup(106, 90, { notes: 'mail' })

/** Tells whose the first backup is, beside the others. */
function whose(one: Backup, others: Backup[] = [named], storage: { name: string; node?: string } = { name: 'pbs' }) {
  const of = whoseBackups([one, ...others], {
    guests,
    storages: [storage],
    namesOf: (vmid) => guests.filter((known) => known.vmid === vmid).map(({ name }) => name),
    writerOf: () => 'us@pbs!a',
  })
  return of(one)
}

test('a backup from before the guest was made is an earlier guest’s, by name and date', () => {
  expect(whose(backup(105, 20))).toEqual({
    whose: 'earlier',
    whoseWords: 'of an earlier guest with the number 105 (web, last seen 1970-01-01)',
  })
  expect(whose(backup(105, 60))).toEqual({ whose: 'own' })
  expect(whose(backup(105, 45, { notes: 'photos' }))).toMatchObject({ whose: 'unknown' })
})

test.each<[what: string, one: Backup, found: string, words: string]>([
  ['another owner', backup(106, 90, { owner: 'them@pbs!b' }), 'other', 'its owner there is them@pbs!b'],
  ['our owner', backup(106, 90, { owner: 'us@pbs!a' }), 'own', ''],
  ['notes that name another machine', backup(106, 90, { notes: 'router' }), 'other', 'its notes name router'],
  ['notes of JARVIS that name it', backup(106, 90, { notes: 'mail, by JARVIS' }), 'own', ''],
  ['notes in free words', backup(106, 90, { notes: 'before the update' }), 'own', ''],
  ['another type', backup(106, 90, { volumeId: 'pbs:backup/vm/106/x' }), 'other', 'it is of a VM'],
  ['before it was first seen, with its name', backup(106, 10, { notes: 'mail' }), 'own', ''],
  ['before it was first seen, without a name', backup(106, 10), 'unknown', 'it may be of an earlier guest'],
  ['a guest that could not be read', backup(107, 90), 'unknown', 'could not be read'],
])('%s', (_, one, found, words) => {
  const told = whose(one)
  expect([told?.whose, told?.whoseWords ?? '']).toEqual([found, words === '' ? '' : expect.stringContaining(words)])
})

test('where others write to a storage, a backup without name and owner may be theirs', () => {
  const stranger = backup(106, 95, { notes: 'router' })
  expect(whose(backup(106, 90), [named, stranger])).toMatchObject({
    whose: 'unknown',
    whoseWords: expect.stringContaining('another cluster’s guest'),
  })
})

test('a word is a name only where notes are names, and under one number; a storage of one node is nobody else’s', () => {
  const nightly = (vmid: number) => backup(vmid, 90, { notes: 'nightly' })
  expect(whose(nightly(106), [])).toEqual({ whose: 'own' })
  expect(whose(nightly(106), [named, nightly(105)])).toEqual({ whose: 'own' })
  expect(whose(backup(106, 90, { notes: 'router' }), [named], { name: 'pbs', node: 'pve' })).toEqual({ whose: 'own' })
  expect(whose(backup(999, 90))).toBeUndefined()
})
