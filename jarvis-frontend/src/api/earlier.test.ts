import { ApiError } from 'protocol/client'
import { expect, test } from 'vitest'
import { Earlier, joined, type Page } from './earlier.ts'

type Row = { id: number; words?: string }
const rows = (...ids: number[]): Row[] => ids.map((id) => ({ id }))
const idOf = ({ id }: Row) => id
const newest: Page<Row> = { items: rows(9, 8), next: '8' }

/** A list whose pages come when the test says so. */
function list() {
  const asked: string[] = []
  const answers: { resolve: (page: Page<Row>) => void; reject: (error: Error) => void }[] = []
  const earlier = new Earlier<Row, Page<Row>>((before) => {
    asked.push(before)
    return new Promise((resolve, reject) => answers.push({ resolve, reject }))
  })
  const shown = (first = newest) => joined([first, ...earlier.state.get().pages], idOf)
  return { earlier, asked, answers, shown }
}

test('the first page stands alone, and nothing earlier is read unasked', () => {
  const { asked, shown } = list()
  expect(shown()).toEqual(rows(9, 8))
  expect(asked).toEqual([])
})

test('earlier pages follow, each from the end of the one before, up to the last', async () => {
  const { earlier, asked, answers, shown } = list()
  const second = earlier.more(newest)
  answers[0]?.resolve({ items: rows(7, 6), next: '6' })
  await second
  const third = earlier.more(newest)
  answers[1]?.resolve({ items: rows(5) })
  await third
  expect(shown()).toEqual(rows(9, 8, 7, 6, 5))
  await earlier.more(newest)
  expect(asked).toEqual(['8', '6'])
})

test('a list of one page has no earlier one', async () => {
  const { earlier, asked } = list()
  await earlier.more({ items: rows(2, 1) })
  expect(asked).toEqual([])
})

test('a page is asked for once, however often the end comes into view', async () => {
  const { earlier, asked, answers } = list()
  const both = [earlier.more(newest), earlier.more(newest)]
  answers[0]?.resolve({ items: rows(7) })
  await Promise.all(both)
  expect(asked).toEqual(['8'])
})

test('an error keeps what was read, and a new try asks for the same page', async () => {
  const { earlier, asked, answers, shown } = list()
  const failing = earlier.more(newest)
  answers[0]?.reject(new ApiError('unreachable', 'No answer.'))
  await failing
  expect(earlier.state.get().problem?.code).toBe('unreachable')
  expect(shown()).toEqual(rows(9, 8))
  const trying = earlier.more(newest)
  answers[1]?.resolve({ items: rows(7) })
  await trying
  expect(asked).toEqual(['8', '8'])
  expect(earlier.state.get().problem).toBeUndefined()
  expect(shown()).toEqual(rows(9, 8, 7))
})

test('an error that is not the server’s is said to be unreadable', async () => {
  const { earlier, answers } = list()
  const failing = earlier.more(newest)
  answers[0]?.reject(new SyntaxError('Unexpected token'))
  await failing
  expect(earlier.state.get().problem?.code).toBe('unreadable')
})

test('a changed item stands once, as the newest page has it, and new items come first', async () => {
  const { earlier, answers, shown } = list()
  const second = earlier.more(newest)
  answers[0]?.resolve({ items: rows(7, 6), next: '6' })
  await second
  const changed = { items: [{ id: 10 }, { id: 6, words: 'changed' }, ...rows(9, 8)], next: '8' }
  expect(shown(changed)).toEqual([{ id: 10 }, { id: 6, words: 'changed' }, ...rows(9, 8, 7)])
})

test('an item that left the list is dropped from the earlier pages, and the next page is still the next', async () => {
  const { earlier, asked, answers, shown } = list()
  const second = earlier.more(newest)
  answers[0]?.resolve({ items: rows(7, 6), next: '6' })
  await second
  earlier.drop(({ id }) => id === 6)
  expect(shown()).toEqual(rows(9, 8, 7))
  void earlier.more(newest)
  expect(asked).toEqual(['8', '6'])
})
