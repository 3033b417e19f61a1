import { expect, test } from 'vitest'
import { leavesReserve } from './disk-room.ts'

const [bsize, gb] = [4_096, 1024 ** 3 / 4_096]
const mb = gb / 1024

test.each([
  ['a large disk with 513 MB', true, { blocks: 100 * gb, bavail: 513 * mb, files: 1e6, ffree: 9e5 }],
  ['a large disk with 511 MB', false, { blocks: 100 * gb, bavail: 511 * mb, files: 1e6, ffree: 9e5 }],
  ['a small disk with 6 %', true, { blocks: 2 * gb, bavail: 0.12 * gb, files: 1e6, ffree: 9e5 }],
  ['a small disk with 4 %', false, { blocks: 2 * gb, bavail: 0.08 * gb, files: 1e6, ffree: 9e5 }],
  [
    'a disk that has files for 9,999 more alone',
    false,
    { blocks: 100 * gb, bavail: 50 * gb, files: 1e6, ffree: 9_999 },
  ],
  ['a disk that counts no files', true, { blocks: 100 * gb, bavail: 50 * gb, files: 0, ffree: 0 }],
])('%s: room is %s', (_what, has, numbers) => {
  expect(leavesReserve({ bsize, ...numbers })).toBe(has)
})

test.each([
  [false, { blocks: 64 * mb, bavail: 64 * mb }],
  [false, { blocks: 100 * gb, bavail: 767 * mb }],
  [true, { blocks: 100 * gb, bavail: 769 * mb }],
  [true, { blocks: gb, bavail: 320 * mb }],
])('256 MB beside the reserve: %s of %o', (has, numbers) => {
  expect(leavesReserve({ bsize, files: 0, ffree: 0, ...numbers }, 256 * 1024 ** 2)).toBe(has)
})
