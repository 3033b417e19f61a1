import { expect, test } from 'vitest'
import { lineDiff } from './line-diff.ts'

test.each([
  ['a\nb', 'a\nb', ['  a', '  b']],
  ['a\nb\nc', 'a\nx\nc', ['  a', '- b', '+ x', '  c']],
  ['a', 'a\nb', ['  a', '+ b']],
  ['b\na', 'a', ['- b', '  a']],
])('%j and %j differ by line', (theirs, mine, expected) => {
  const sign = { same: '  ', theirs: '- ', mine: '+ ' }
  expect(lineDiff(theirs, mine).map(({ kind, text }) => sign[kind] + text)).toEqual(expected)
})
