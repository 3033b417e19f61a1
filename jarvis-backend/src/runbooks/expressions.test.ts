import { expect, test } from 'vitest'
import { readCondition, wordsOfCondition } from './expressions.ts'
import { isWanted } from './fill.ts'

test.each([
  ['$result.status = running', 'status is running'],
  ['$result.guests(vmid=104).status = running', 'status of guest 104 is running'],
  ['$vms.guests(vmid=104).status != running', 'status of guest 104 is not running'],
  ['$vms.guests(status=running).name != none', 'name of guest with status running is there'],
  ['$config.values.hostpci0 = none', 'hostpci0 of values of config is not there'],
  [
    '$top.0.cpu > 80 and $top.last.cpu <= 9',
    'cpu of item 1 of top is above 80 and cpu of last item of top is at most 9',
  ],
  ['$result.guests.length >= 2', 'number of guests is at least 2'],
  ['$result contains OK', 'the answer contains OK'],
])('%s is said as: %s', (text, words) => {
  expect(wordsOfCondition(readCondition(text))).toBe(words)
})

test('the words of a condition have its values, and say that it is not so', () => {
  const scope = new Map<string, unknown>([
    ['vmid', 104],
    ['vms', { guests: [{ vmid: 104, status: 'running' }] }],
  ])
  const wanted = (text: string) => isWanted(readCondition(text), scope)
  expect(wanted('$vms.guests(vmid=$vmid).status = running')).toEqual({
    holds: true,
    words: 'status of guest 104 is running',
  })
  expect(wanted('$vms.guests(vmid=$vmid).status = stopped')).toEqual({
    holds: false,
    words: 'it is not so that status of guest 104 is stopped',
  })
})
