import type { PvePath } from 'homelab-ports/ports'
import { expect, test } from 'vitest'
import { GuestRow } from '../pve/answers.ts'
import { learn, nothingKnown, type Reading } from './known.ts'
import { guestsLeft, isAboutGuests } from './own.ts'
import { createRates } from './rates.ts'

const at = (place: string) => place.split('/')
const vm = (vmid: number, node = 'n1', isGone = false) => ({ vmid, node, type: 'vm', isGone })

test.each<[string, string, Record<string, string>, object[]]>([
  ['PUT', 'nodes/n1/qemu/101/config', { name: 'a' }, [vm(101)]],
  ['POST', 'nodes/n1/qemu/101/migrate', { target: 'n2' }, [vm(101, 'n2')]],
  ['POST', 'nodes/n1/qemu/101/clone', { newid: '390' }, [vm(101), vm(390)]],
  ['POST', 'nodes/n1/qemu/101/clone', { newid: '390', target: 'n2' }, [vm(101), vm(390, 'n2')]],
  ['POST', 'nodes/n1/qemu', { vmid: '390' }, [vm(390)]],
  ['POST', 'nodes/n1/lxc', { vmid: '390' }, [{ ...vm(390), type: 'ct' }]],
  ['DELETE', 'nodes/n1/qemu/101', {}, [vm(101, 'n1', true)]],
  ['DELETE', 'nodes/n1/qemu/101/snapshot/a', {}, [vm(101)]],
  ['POST', 'nodes/n1/vzdump', { vmid: '101' }, []],
  ['POST', 'nodes/n1/services/pveproxy/restart', {}, []],
])('%s %s with %j leaves its guests there', (method, path, form, expected) => {
  expect(guestsLeft({ method: method as 'POST', path: at(path), form })).toEqual(expected)
})

test('a request about a node alone reads no guests', () => {
  const about = (path: PvePath) => isAboutGuests({ method: 'POST', path, form: {} })
  expect(about(at('nodes/n1/vzdump'))).toBe(true)
  expect(about(at('nodes/n1/services/pveproxy/restart'))).toBe(false)
})

const row = (vmid: number, node: string) => GuestRow.parse({ type: 'qemu', vmid, node, status: 'running', name: 'a' })
const readAt = (time: number, ...guests: ReturnType<typeof row>[]): Reading => ({
  at: time,
  nodes: [],
  guests,
  storages: [],
  status: [],
  tasks: [],
  missing: [],
})

test('an own result counts until the list agrees, and no longer than 20 s', () => {
  const known = nothingKnown(createRates())
  const seen = (time: number, ...guests: ReturnType<typeof row>[]) => {
    learn(known, readAt(time, ...guests))
    return known.reading?.guests.map(({ vmid, node }) => `${vmid} ${node}`)
  }
  known.own.set(101, { row: row(101, 'n2'), at: 0 })
  known.own.set(390, { row: row(390, 'n1'), at: 0 })
  known.own.set(102, { row: undefined, at: 0 })
  expect(seen(5_000, row(101, 'n1'), row(102, 'n1'))).toEqual(['101 n2', '390 n1'])
  // The list agrees of 101, and what it says of it afterwards counts.
  expect(seen(10_000, row(101, 'n2'), row(102, 'n1'))).toEqual(['101 n2', '390 n1'])
  expect(seen(15_000, row(101, 'n3'), row(102, 'n1'))).toEqual(['101 n3', '390 n1'])
  expect(seen(21_000, row(101, 'n3'), row(102, 'n1'))).toEqual(['101 n3', '102 n1'])
})
