import type { Change, RestoreProof } from 'protocol'
import { expect, test } from 'vitest'
import { endIn, marksOf, proofWords, storagesIn } from './facts.ts'

const day = 86_400_000
const now = 400 * day
const proof: RestoreProof = {
  id: 'drl_1',
  vmid: 105,
  type: 'vm',
  name: 'immich',
  archive: 'pbs-main:backup/vm/105/1',
  level: 5,
  verdict: 'proven',
  at: now - 12 * day,
  archiveAt: now - 13 * day,
  restoreMs: 372_000,
  bootMs: 74_000,
  system: 'Debian 12',
  notProven: ['immich itself was not asked'],
}

test.each([
  [undefined, { mark: 'unknown', head: 'Not known yet' }],
  [null, { mark: 'none', head: 'Never' }],
  [
    proof,
    {
      mark: 'ok',
      head: 'Proven 12 d ago',
      detail:
        'Restored to a copy without network in 6 min, booted in 74 s, Debian 12 answered. Not proven: immich itself was not asked.',
    },
  ],
  [
    { ...proof, at: now - 91 * day },
    { mark: 'warn', head: 'Proven 91 d ago' },
  ],
  [
    { ...proof, verdict: 'failed' as const, problem: 'no disk' },
    { mark: 'bad', head: 'Failed 12 d ago', detail: 'no disk' },
  ],
])('a proof %j is said', (of, words) => {
  expect(proofWords(of, now)).toMatchObject(words)
})

test('disks name their storages once, drives and folders none', () => {
  const values = {
    scsi0: 'nvme-fast:vm-105-disk-0,size=32G',
    scsi1: 'nvme-fast:vm-105-disk-1',
    ide2: 'none,media=cdrom',
    sata0: 'local:iso/x.iso,media=cdrom',
    mp0: '/srv/photos,mp=/photos',
    name: 'a:b',
  }
  expect(storagesIn({ digest: '', values, pending: {} })).toEqual(['nvme-fast'])
  expect(storagesIn(null)).toEqual([])
})

test('changes in view are numbered from the oldest, and the one that ended a guest is found', () => {
  const change = (id: string, at: number, more: Partial<Change> = {}) =>
    ({ id, at, state: 'made', toolName: 'set_guest_config', ...more }) as Change
  const list = [
    change('c', 30, { toolName: 'destroy_guest' }),
    change('x', 25, { state: 'failed', toolName: 'destroy_guest' }),
    change('b', 20),
    change('a', 5),
  ]
  expect(marksOf(list, 10)).toEqual([
    { number: 1, at: 20, id: 'b' },
    { number: 2, at: 30, id: 'c' },
  ])
  expect(endIn(list)?.id).toBe('c')
  expect(endIn(list.slice(1))).toBeUndefined()
})
