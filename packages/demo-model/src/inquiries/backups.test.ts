import { expect, test } from 'vitest'
import { rebootOf } from './backups.ts'

const line = (ago: string, sentence: string) => `tu_1, ${ago} ago, made: ${sentence} No way back: None.`

test.each([
  ['a reboot of the node', line('2 h', 'The node pve reboots, and all that runs on it stops first.'), '2 h'],
  ['a guest on the node', line('2 h', 'CT 104 jellyfin on pve shuts down cleanly and starts again.'), undefined],
  ['another node', line('2 h', 'The node pve2 reboots, and all that runs on it stops first.'), undefined],
  ['an older reboot', line('9 h', 'The node pve reboots, and all that runs on it stops first.'), undefined],
  ['a newer reboot', line('5 min', 'The node pve reboots, and all that runs on it stops first.'), undefined],
])('the reboot that explains an uptime of 2 h: %s', (_, changes, ago) => {
  expect(rebootOf('pve', '2 h', changes)).toBe(ago)
})

test('signs in the name of a node have no meaning in the pattern', () => {
  expect(rebootOf('p.e', '2 h', line('2 h', 'The node pve reboots.'))).toBeUndefined()
})
