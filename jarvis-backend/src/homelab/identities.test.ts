import type { GuestMarks } from 'homelab-ports/guest-identity'
import type { ClusterState, Guest } from 'protocol'
import { expect, test } from 'vitest'
import { type Generation, Identities } from './identities.ts'

const hour = 3_600_000
const guestOf = (name: string): Guest => ({
  vmid: 105,
  name,
  type: 'ct',
  node: 'pve',
  status: 'running',
  isProtected: false,
  tags: [],
  isHa: false,
  uptimeS: 1,
  cpuRatio: 0,
  cpuCount: 1,
  ramBytes: 0,
  ramTotalBytes: 0,
  diskBytes: 0,
  diskTotalBytes: 0,
})

/** Identities over what was kept, and marks and states that a test sets. */
function following(kept = new Map<string, Generation>()) {
  let marks: GuestMarks | undefined
  const newest = () => {
    const all = [...kept.values()]
    return all.filter(({ vmid }, at) => !all.slice(at + 1).some((other) => other.vmid === vmid))
  }
  const save = (all: readonly Generation[]) => {
    for (const one of all) kept.set(one.identity.id, structuredClone(one))
  }
  const reports: unknown[] = []
  const identities = new Identities({
    store: { keepOf() {}, newest, save },
    marks: () => marks,
    report: (error) => void reports.push(error),
  })
  return {
    identities,
    kept,
    see(at: number, name: string | undefined, found: GuestMarks | undefined) {
      marks = found
      const state = { at, guests: name === undefined ? [] : [guestOf(name)], nodes: [], storages: [], tasks: [] }
      identities.look(state as unknown as ClusterState)
      return identities.of(105)
    },
  }
}
const ct = (mac: string, more: Partial<GuestMarks> = {}): GuestMarks => ({ type: 'ct', macs: [mac], ...more })

test('a guest is the same over renames, restarts of JARVIS and times when it is not in the list', () => {
  const house = following()
  const first = house.see(10 * hour, 'web', ct('AA'))
  expect(first).toMatchObject({ since: 10 * hour })
  expect(first).not.toHaveProperty('notBefore')
  expect(house.see(11 * hour, 'shop', ct('AA'))).toEqual(first)
  house.see(12 * hour, undefined, undefined)
  expect(house.see(13 * hour, 'shop', ct('AA'))).toEqual(first)
  const next = following(house.kept)
  expect(next.see(20 * hour, 'shop', ct('AA'))).toEqual(first)
  expect(next.identities.namesOf(105)).toEqual(['web', 'shop'])
})

test('another guest has the time of its creation, and says who was there before', () => {
  const house = following()
  const first = house.see(10 * hour, 'web', ct('AA'))
  house.see(11 * hour, undefined, undefined)
  const remade = { what: 'created' as const, at: 11.5 * hour }
  const second = house.see(12 * hour, 'mail', ct('BB', { remade }))
  expect(second).toMatchObject({
    since: 11.5 * hour,
    notBefore: 11.5 * hour,
    earlier: { name: 'web', until: 10 * hour },
  })
  expect(second?.id).not.toBe(first?.id)
  // Its marks cannot be read, so its identity is unknown.
  expect(house.see(13 * hour, 'mail', undefined)).toBeUndefined()
  expect(house.see(14 * hour, 'mail', ct('BB', { remade }))?.id).toBe(second?.id)
})

test('where nothing tells, it may be the earlier one; a stopped guest was last known when it was read', () => {
  const house = following()
  house.see(10 * hour, 'web', ct('AA'))
  const doubtful = house.see(12 * hour, 'web', ct('BB'))
  expect(doubtful).toMatchObject({ since: 12 * hour, isDoubtful: true, earlier: { name: 'web', until: 10 * hour } })
})

test('a VM that is seen for the first time is known from its creation on, a restored copy from its restore on', () => {
  const vm: GuestMarks = { type: 'vm', ctime: 2 * hour, uuid: 'u', macs: [] }
  expect(following().see(10 * hour, 'web', vm)).toMatchObject({ since: 2 * hour, notBefore: 2 * hour })
  const restored = { ...vm, remade: { what: 'restored' as const, at: 5 * hour } }
  expect(following().see(10 * hour, 'web', restored)).toMatchObject({ since: 5 * hour, notBefore: 2 * hour })
})
