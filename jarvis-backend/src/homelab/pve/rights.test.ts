import { expect, test } from 'vitest'
import { reachOf, rightsIn } from './rights.ts'

const power = (propagates: 0 | 1) => ({ 'VM.PowerMgmt': propagates })
test.each<[string, object, string, string]>([
  ['on everything', { '/': power(1), '/vms': power(1) }, '/vms', 'all'],
  ['on all guests', { '/vms': power(1) }, '/vms', 'all'],
  ['on everything but one guest, whose own rights are others', { '/': power(1), '/vms/101': {} }, '/vms', 'some'],
  ['on one guest', { '/vms/100': power(0) }, '/vms', 'some'],
  ['on a pool', { '/pool/lab': power(1) }, '/vms', 'some'],
  ['on the root alone', { '/': power(0) }, '/vms', 'none'],
  ['on the folder of the guests alone', { '/vms': power(0) }, '/vms', 'none'],
  ['on the root alone, where that is what counts', { '/': power(0) }, '/', 'all'],
  ['nowhere', { '/': {} }, '/vms', 'none'],
])('a right that holds %s reaches %o below %s: %s', (_where, answer, base, reach) => {
  expect(reachOf(rightsIn(answer), 'VM.PowerMgmt', base)).toBe(reach)
})
