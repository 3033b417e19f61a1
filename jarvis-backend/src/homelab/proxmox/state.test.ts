import { expect, test } from 'vitest'
import { GuestRow } from './answers.ts'
import { learn, nothingKnown } from './known.ts'
import { createRates } from './rates.ts'
import { stateOf } from './state.ts'

test('sizes of a guest whose node was never seen online are unknown, and those seen once are kept', () => {
  const known = nothingKnown(createRates())
  const look = (at: number, said: object) => {
    const rows = [{ type: 'qemu', vmid: 300, node: 'pve4', ...said }].map((row) => GuestRow.parse(row))
    learn(known, { at, nodes: [], guests: rows, storages: [], status: undefined, tasks: undefined, missing: [] })
    const [guest] = stateOf(known, new Set(), 0, undefined).guests
    return guest && [guest.cpuCount, guest.ramTotalBytes, guest.diskTotalBytes]
  }
  expect(look(1, { status: 'unknown' })).toEqual([null, null, null])
  expect(look(2, { status: 'running', name: 'far', maxcpu: 4, maxmem: 8, maxdisk: 16 })).toEqual([4, 8, 16])
  expect(look(3, { status: 'unknown' })).toEqual([4, 8, 16])
})
