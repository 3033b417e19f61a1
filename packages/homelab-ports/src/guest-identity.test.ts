import { expect, test } from 'vitest'
import { type GuestMarks, marksIn, remadeIn, sameGuest, whoseAt, whoseIs } from './guest-identity.ts'

const hour = 3_600_000
const seenAt = 100 * hour
const vm: GuestMarks = { type: 'vm', ctime: hour, uuid: 'u1', macs: ['AA'] }
const ct: GuestMarks = { type: 'ct', macs: ['AA'] }
const remade = (what: 'created' | 'destroyed' | 'restored', at = seenAt + hour) => ({ remade: { what, at } })

test.each<[what: string, before: GuestMarks, now: GuestMarks, verdict: string]>([
  ['nothing differs', vm, vm, 'same'],
  ['a VM made anew', vm, { ...vm, ctime: 99 * hour, uuid: 'u2', macs: ['BB'] }, 'other'],
  ['a VM made anew by a tool that keeps UUID and cards', vm, { ...vm, ctime: 99 * hour }, 'other'],
  ['a clone that keeps the time of its original', vm, { ...vm, uuid: 'u2', macs: ['BB'] }, 'other'],
  ['a VM restored from its own backup', vm, { ...vm, ...remade('restored') }, 'same'],
  ['a UUID that a person wrote', vm, { ...vm, uuid: 'u2' }, 'same'],
  ['a UUID that changed with a restore', vm, { ...vm, uuid: 'u2', ...remade('restored') }, 'unknown'],
  ['a container in place of a VM', vm, ct, 'other'],
  ['a container whose card changed', ct, { ...ct, macs: ['BB'] }, 'unknown'],
  ['a container made anew with the card of the old one', ct, { ...ct, ...remade('created') }, 'other'],
  [
    'a container cloned anew, which only its destruction tells',
    ct,
    { ...ct, macs: ['BB'], ...remade('destroyed') },
    'other',
  ],
  ['a container destroyed, with its card there again', ct, { ...ct, ...remade('destroyed') }, 'unknown'],
  ['a container restored from its own backup', ct, { ...ct, ...remade('restored') }, 'same'],
  ['a container restored from another’s backup', ct, { ...ct, macs: ['BB'], ...remade('restored') }, 'other'],
  ['a task of before, which a node that is back lists', ct, { ...ct, ...remade('created', seenAt - hour) }, 'same'],
  [
    'a container without a card whose configuration is as it was',
    { ...ct, macs: [], digest: 'd' },
    { ...ct, macs: [], digest: 'd' },
    'same',
  ],
  ['containers without a card', { ...ct, macs: [] }, { ...ct, macs: [] }, 'unknown'],
])('%s', (_, before, now, verdict) => {
  expect(sameGuest({ ...before, at: seenAt }, now)).toBe(verdict)
})

test('the marks of a configuration', () => {
  const uuid = '0b7c35c8-6ed9-4e0e-9d3e-0a9f0d1d5c11'
  expect(
    marksIn('vm', {
      meta: 'creation-qemu=9.2.0,ctime=1700000000',
      smbios1: `manufacturer=x,uuid=${uuid.toUpperCase()}`,
      net1: 'e1000=bc:24:11:00:00:02,bridge=vmbr0',
      net0: 'virtio=BC:24:11:00:00:01,bridge=vmbr0',
    }),
  ).toEqual({ type: 'vm', ctime: 1_700_000_000_000, uuid, macs: ['BC:24:11:00:00:01', 'BC:24:11:00:00:02'] })
  expect(marksIn('ct', { net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:03,type=veth' })).toEqual({
    type: 'ct',
    macs: ['BC:24:11:00:00:03'],
  })
})

test('the newest task that remade a number counts; one that failed does not', () => {
  const task = (type: string, startedAt: number, status: 'ok' | 'failed' | 'running' = 'ok') => ({
    vmid: 105,
    type,
    startedAt,
    status,
  })
  const tasks = [task('vzcreate', 1), task('vzdestroy', 3, 'failed'), task('vzrestore', 2), task('vzrollback', 4)]
  expect(remadeIn(105, tasks)).toEqual({ what: 'restored', at: 2 })
  expect(remadeIn(106, tasks)).toBeUndefined()
  // A destruction counts once it has ended, and what was made in its second came after it.
  expect(remadeIn(105, [...tasks, task('vzdestroy', 5, 'running')])).toEqual({ what: 'restored', at: 2 })
  expect(remadeIn(105, [task('vzcreate', 5), task('vzdestroy', 5)])).toEqual({ what: 'created', at: 5 })
})

test('what was so of a number is the guest’s own, an earlier one’s, or nobody knows whose', () => {
  const guest = { id: 'b', since: 50, notBefore: 40, earlier: { name: 'web', until: 30 } }
  expect([60, 50, 45, 35, 20].map((at) => whoseAt(guest, at))).toEqual(['own', 'own', 'unknown', 'earlier', 'earlier'])
  expect(whoseAt(undefined, 60)).toBe('unknown')
  expect(whoseIs(guest, { identity: { id: 'a' }, at: 60 })).toBe('earlier')
  expect(whoseIs({ ...guest, isDoubtful: true }, { identity: { id: 'a' }, at: 60 })).toBe('unknown')
  expect(whoseIs(guest, { identity: { id: 'b' }, at: 0 })).toBe('own')
})
