import { expect, test } from 'vitest'
import { networkDiskOf } from './network-disk.ts'

test.each([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xff534d42 | 0, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
  // ext4, overlay, ZFS, and a disk that a program serves, which may be local.
  [0xef53, undefined],
  [0x794c7630, undefined],
  [0x2fc12fc1, undefined],
  [0x65735546, undefined],
])('file system %i', (type, disk) => {
  expect(networkDiskOf('/data', () => type)).toBe(disk)
})

test('a path that is not there has none', () => {
  expect(networkDiskOf('/nowhere/at/all')).toBeUndefined()
})
