import type { ClusterState } from 'protocol'
import { expect, test } from 'vitest'
import { findNouns, nounOf } from './nouns.ts'

const state = {
  guests: [
    { vmid: 123, name: 'frigate' },
    { vmid: 141, name: 'pbs' },
  ],
  nodes: [{ name: 'pve' }, { name: 'agent' }],
} as ClusterState
const guest = (vmid: number) => ({ kind: 'guest', vmid })
const pve = { kind: 'node', name: 'pve' }

test.each([
  ['an id and its name', '123 frigate is hot', [guest(123), ' is hot']],
  ['an id and its name in brackets', '123 (frigate) is hot', [guest(123), ' is hot']],
  ['a type and an id', 'VM 123 is hot', ['VM ', guest(123), ' is hot']],
  ['a name at the end of a sentence', 'Restart 123 frigate.', ['Restart ', guest(123), '.']],
  ['a node after a preposition', 'It runs on pve.', ['It runs on ', pve, '.']],
  ['a node after two words before names', 'load on node pve', ['load on node ', pve]],
  ['an id and its name after a preposition', 'not known of 141 pbs', ['not known of ', guest(141)]],
  ['an id with a wrong name', '123 pbs', ['123 pbs']],
  ['a bare number', 'after 123 seconds', ['after 123 seconds']],
  ['a bare node name', 'agent lost power', ['agent lost power']],
  ['two of them', '141 pbs and 123 frigate', [guest(141), ' and ', guest(123)]],
])('%s', (_name, text, expected) => {
  expect(findNouns(text, state)).toEqual(expected)
})

test('a code span names a thing as a whole or not at all', () => {
  expect(nounOf('frigate', state)).toEqual(guest(123))
  expect(nounOf('pve', state)).toEqual(pve)
  expect(nounOf('frigate --help', state)).toBeUndefined()
})
