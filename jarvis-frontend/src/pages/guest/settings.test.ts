import { expect, test } from 'vitest'
import { inputOf } from './settings.ts'

const config = { digest: 'a', values: { cores: '4', memory: '2048', tags: 'db' }, pending: { memory: '4096' } }

test.each([
  ['nothing that differs is asked for', { cores: '4', memory: '4096' }, { vmid: 101 }],
  ['what waits for its next stop counts as set', { memory: '2048' }, { vmid: 101, set: { memory: '2048' } }],
  ['an emptied setting is removed', { tags: '', cores: '6' }, { vmid: 101, set: { cores: '6' }, remove: ['tags'] }],
  ['an empty one that is not set stays so', { description: '', '': 'x' }, { vmid: 101 }],
])('%s', (_, edits, input) => expect(inputOf(101, config, edits)).toEqual(input))
