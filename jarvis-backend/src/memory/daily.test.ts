import { expect, test } from 'vitest'
import { dailyAddition, othersHeading, ownHeading, partsOf } from './daily.ts'

test('each author’s lines stand below a heading of their own, and those of JARVIS and of others are not the operator’s', () => {
  let text = '# A day\n'
  for (const [line, by] of [
    ['- done', 'jarvis'],
    ['a page said so', 'others'],
    ['and more', 'others'],
    ['mine', 'notes'],
    ['mine too', 'notes'],
  ] as const)
    text += dailyAddition(text, line, by)
  expect(text.split('\n').filter((line) => line.startsWith('## '))).toEqual([ownHeading, othersHeading, '## Notes'])
  const said = (isFromTools: boolean) =>
    partsOf(text)
      .filter((part) => part.isFromTools === isFromTools)
      .map((part) => part.text)
      .join('\n')
  expect(said(true)).toContain('a page said so')
  expect(said(true)).toContain('and more')
  expect(said(false)).not.toContain('page')
  expect(said(false)).toContain('mine too')
})
