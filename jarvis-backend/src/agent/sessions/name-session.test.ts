import { expect, test } from 'vitest'
import { titleIn } from './name-session.ts'

test.each([
  ['Heat on pve', 'Heat on pve'],
  ['"Heat on pve."', 'Heat on pve'],
  ['\n# Title: **Heat on pve**\nIt is hot.', 'Heat on pve'],
  ['Heat\u202e on\u0007 pve\u200b', 'Heat on pve'],
  ['x'.repeat(500), `${'x'.repeat(59)}…`],
  [' \n ', ''],
])('%j names a session %j', (said, title) => {
  expect(titleIn(said)).toBe(title)
})
