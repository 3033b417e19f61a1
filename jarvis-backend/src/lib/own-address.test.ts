import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { isOwnAddress } from './own-address.ts'
import { isPublicAddress } from './public-address.ts'

test.each(['127.0.0.1', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'])('%s is this machine', (address) => {
  expect(isOwnAddress(address)).toBe(true)
})
test.each(['1.1.1.1', '2606:4700:4700::1111', 'localhost', ''])('%j is not', (address) => {
  expect(isOwnAddress(address)).toBe(false)
})
test('none of this machine’s addresses is public, whatever range it is of', () => {
  const all = Object.values(networkInterfaces()).flatMap((some = []) => some.map(({ address }) => address))
  expect(all.filter(isPublicAddress)).toEqual([])
})
