import { expect, test } from 'vitest'
import { placeOfTerms, searchTerms } from './search-terms.ts'
import { excerpt } from './sessions/excerpt.ts'

test.each<[why: string, words: string, terms: [string, boolean][]]>([
  [
    'words begin so',
    'nginx upstream',
    [
      ['nginx', true],
      ['upstream', true],
    ],
  ],
  [
    'short words stand whole',
    'vm is',
    [
      ['vm', false],
      ['is', false],
    ],
  ],
  [
    'quotes as they stand, closed or not',
    '"no space" "left on',
    [
      ['no space', false],
      ['left on', false],
    ],
  ],
  ['signs alone are nothing', '* ( -- "?"', []],
  [
    'not more than eight',
    'a1 b2 c3 d4 e5 f6 g7 h8 i9',
    ['a1', 'b2', 'c3', 'd4', 'e5', 'f6', 'g7', 'h8'].map((text) => [text, false]),
  ],
])('%s', (_why, words, terms) => {
  expect(searchTerms(words)).toEqual(terms.map(([text, isPrefix]) => ({ text, isPrefix })))
})

const among = (words: string, ...texts: string[]) => {
  const place = placeOfTerms(
    texts.map((text) => ({ text })),
    searchTerms(words),
  )
  return place && [place.found.text, place.at]
}

test.each<[why: string, place: unknown, expected: unknown]>([
  [
    'the newest with all words wins',
    among('disk full', 'disk full', 'the disk is full', 'disk'),
    ['the disk is full', 4],
  ],
  ['else the newest with most of them', among('disk full', 'full', 'disk'), ['disk', 0]],
  ['accents and case make no difference', among('zurich', 'in Zürich'), ['in Zürich', 3]],
  ['a word is not found inside another', among('art', 'restart'), undefined],
  ['what stands between words makes no difference', among('10.0.4', 'at 10 0-4'), ['at 10 0-4', 3]],
  ['what looks like a pattern is none', among('a.b', 'axb'), undefined],
])('%s', (_why, place, expected) => {
  expect(place).toEqual(expected)
})

test('an excerpt is one line around the place, from a word on', () => {
  const text = `${'before '.repeat(40)}\n\n  the\tplace ${'after '.repeat(60)}`
  const line = excerpt(text, text.indexOf('the\t'))
  expect(line).toMatch(/^…before before .*the place after .*…$/)
  expect(line.length).toBeLessThanOrEqual(162)
  expect(excerpt('short text', 6)).toBe('short text')
})
