import { expect, test } from 'vitest'
import { objectPath } from './paths.ts'

test.each([
  [{ id: 'vm/101', vmid: 101, node: 'pve' }, '/guest/101'],
  [{ id: 'node/pve' }, '/node/pve'],
  [{ id: 'storage/tank' }, '/storage/tank'],
  [{ id: 'storage/pve/local lvm', node: 'pve' }, '/storage/local%20lvm?node=pve'],
  [{ id: 'disk/pve/nvme0n1', node: 'pve' }, '/node/pve'],
  [{ id: 'site' }, undefined],
])('the page of %j is %s', (object, path) => {
  expect(objectPath(object)).toBe(path)
})
