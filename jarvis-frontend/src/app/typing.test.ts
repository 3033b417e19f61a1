import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pages as allPages } from '../pages.ts'
import { Typing } from './typing.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Presses keys one after another; a number lets so many milliseconds pass. */
function press(keys: readonly (string | number)[], { hasField = true, goes = true } = {}) {
  let written = ''
  const pages: string[] = []
  let focused = false
  const field = {
    focus: () => {
      focused = true
    },
    write: (words: string) => {
      focused = true
      written += words
    },
  }
  const typing = new Typing(
    allPages.all,
    (page) => pages.push(page),
    () => (hasField ? field : undefined),
  )
  for (const key of keys) {
    if (typeof key === 'number') {
      vi.advanceTimersByTime(key)
      continue
    }
    let isTaken = false
    const preventDefault = () => {
      isTaken = true
    }
    // A focused field gets the keys itself.
    if (!focused) typing.take({ key, preventDefault }, goes)
    if (focused && !isTaken && key.length === 1) written += key
  }
  return { written, pages, isHolding: typing.isHolding }
}

test.each([
  ['a word', ['l', 'o', 'g', 's'], 'logs', []],
  ['a word that begins with g', ['g', 'o'], 'go', []],
  ['a word that begins with a page’s keys', ['g', 'e', 't'], 'get', []],
  ['a word with a capital after its g', ['g', 'Shift', 'R', 'P', 'C'], 'gRPC', []],
  ['a word with a capital after a page’s keys', ['g', 'e', 'Shift', 'X'], 'geX', []],
  ['g alone, after its time', ['g', 1_500], 'g', []],
  ['a space, which scrolls', [' '], '', []],
  ['g and a page’s letter, after their time', ['g', 'l', 350], '', ['/cluster']],
  ['g and a page’s letter, ended by a key', ['g', 'j', 'Enter'], '', ['/journal']],
  ['g and a letter a while later', ['g', 1_499, 'w', 350], '', ['/waiting']],
] as const)('where words can be written: %s', (_, keys, written, pages) => {
  expect(press(keys)).toEqual({ written, pages, isHolding: false })
})

test.each([
  ['g and a page’s letter at once', ['g', 'l'], ['/cluster']],
  ['g and a letter of no page', ['g', 'x', 1_500], []],
  ['g alone', ['g', 1_500], []],
  ['a letter without g', ['l'], []],
] as const)('where there is no field: %s', (_, keys, pages) => {
  expect(press(keys, { hasField: false })).toEqual({ written: '', pages, isHolding: false })
})

test('letters that may not go to pages are words at once', () => {
  expect(press(['g', 'l'], { goes: false })).toEqual({ written: 'gl', pages: [], isHolding: false })
})

test('letters are held until it is known what they are', () => {
  expect(press(['g']).isHolding).toBe(true)
  expect(press(['g', 'l', 349])).toEqual({ written: '', pages: [], isHolding: true })
})
