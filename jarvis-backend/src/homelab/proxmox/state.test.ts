import { expect, test } from 'vitest'
import { GuestRow, NodeRow, StatusRow } from '../pve/answers.ts'
import { learn, nothingKnown } from './known.ts'
import { createRates } from './rates.ts'
import { stateOf } from './state.ts'

const fresh = { protectedTargets: new Set<string>(), startedAt: 0, lost: undefined }

test('sizes of a guest whose node was never seen online are unknown, and those seen once are kept', () => {
  const known = nothingKnown(createRates())
  const look = (at: number, said: object) => {
    const rows = [{ type: 'qemu', vmid: 300, node: 'pve4', ...said }].map((row) => GuestRow.parse(row))
    learn(known, { at, nodes: [], guests: rows, storages: [], status: undefined, tasks: undefined, missing: [] })
    const [guest] = stateOf(known, fresh).guests
    return guest && [guest.cpuCount, guest.ramTotalBytes, guest.diskTotalBytes]
  }
  expect(look(1, { status: 'unknown' })).toEqual([null, null, null])
  expect(look(2, { status: 'running', name: 'far', maxcpu: 4, maxmem: 8, maxdisk: 16 })).toEqual([4, 8, 16])
  expect(look(3, { status: 'unknown' })).toEqual([4, 8, 16])
})

test.each([
  ['a cluster says that it is quorate', [{ type: 'cluster', name: 'c', quorate: 1 }], true],
  ['a cluster says that it is not', [{ type: 'cluster', name: 'c', quorate: 0 }], false],
  ['a cluster does not say', [{ type: 'cluster', name: 'c' }], null],
  ['a host stands alone', [{ type: 'node', name: 'pve', online: 1 }], true],
  ['several nodes without a cluster', ['a', 'b'].map((name) => ({ type: 'node', name, online: 1 })), null],
  ['nothing is listed', [], null],
])('quorum: %s', (_what, rows, expected) => {
  const known = nothingKnown(createRates())
  const status = rows.map((row) => StatusRow.parse(row))
  learn(known, { at: 1, nodes: [], guests: [], storages: [], status, tasks: [], missing: [] })
  const { isQuorate, missing } = stateOf(known, fresh)
  expect(isQuorate).toBe(expected)
  expect(missing.some((line) => line.startsWith('quorum'))).toBe(expected === null)
})

test.each([
  ['running', 'running'],
  ['stopped', 'stopped'],
  ['paused', 'paused'],
  ['io-error', 'unknown'],
  [undefined, 'unknown'],
])('the list’s word %s reads %s, and figures that it leaves out are unknown', (word, expected) => {
  const known = nothingKnown(createRates())
  const row = { type: 'lxc', vmid: 200, node: 'pve1', status: word }
  const nodes = [NodeRow.parse({ type: 'node', node: 'pve1', status: 'online' })]
  const guests = [GuestRow.parse(row)]
  learn(known, { at: 1, nodes, guests, storages: [], status: undefined, tasks: [], missing: [] })
  const [guest] = stateOf(known, fresh).guests
  expect(guest?.status).toBe(expected)
  if (expected === 'running') expect(guest).toMatchObject({ uptimeS: null, cpuRatio: null, ramBytes: null })
})

test('memory above all that a guest has is its process on the host, so its own use is unknown', () => {
  const known = nothingKnown(createRates())
  const nodes = [NodeRow.parse({ type: 'node', node: 'pve1', status: 'online' })]
  const row = { type: 'qemu', vmid: 100, node: 'pve1', status: 'running', maxmem: 201_326_592 }
  const seen = [252_141_568, 201_326_592].map((mem) => {
    const guests = [GuestRow.parse({ ...row, mem })]
    learn(known, { at: 1, nodes, guests, storages: [], status: undefined, tasks: [], missing: [] })
    return stateOf(known, fresh).guests[0]?.ramBytes
  })
  expect(seen).toEqual([null, 201_326_592])
})

test('a node that uses no CPU at all was not measured yet', () => {
  const known = nothingKnown(createRates())
  const look = (cpu: number) => {
    const nodes = [NodeRow.parse({ type: 'node', node: 'pve1', status: 'online', cpu, maxcpu: 4, mem: 1, maxmem: 2 })]
    learn(known, { at: 1, nodes, guests: [], storages: [], status: undefined, tasks: [], missing: [] })
    const { nodes: shown, missing } = stateOf(known, fresh)
    return [shown[0]?.cpuRatio, missing.filter((line) => line.includes('figures'))]
  }
  expect([look(0), look(0.004)]).toEqual([
    [undefined, []],
    [0.004, []],
  ])
})
