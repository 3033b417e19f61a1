import { expect, test } from 'vitest'
import { rowsOf } from './diff-rows.ts'

test('lines that go are numbered as before, the others as after, and parts are set apart', () => {
  const lines = ['@@ -2,3 +2,3 @@', ' b', '-c', '+x', ' d', '@@ -9,1 +9,2 @@', '+-- z', ' i']
  expect(rowsOf(lines)).toEqual([
    { sign: ' ', number: 2, text: 'b' },
    { sign: '-', number: 3, text: 'c' },
    { sign: '+', number: 3, text: 'x' },
    { sign: ' ', number: 4, text: 'd' },
    { sign: '@', text: '⋯' },
    { sign: '+', number: 9, text: '-- z' },
    { sign: ' ', number: 10, text: 'i' },
  ])
})
