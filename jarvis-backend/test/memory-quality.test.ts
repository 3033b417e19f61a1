import { expect, test } from 'vitest'
import { createAsker, readSet, readVectors, scoreOf, type Way } from '../bench/memory/quality-set.ts'

test('the set is large enough to say something, and every question has its passage', () => {
  const { passages, questions } = readSet()
  const ids = new Set(passages.map(({ id }) => id))
  expect(ids.size).toBe(passages.length)
  expect(passages.length).toBeGreaterThanOrEqual(150)
  expect(questions.length).toBeGreaterThanOrEqual(120)
  expect(questions.filter(({ answer }) => !ids.has(answer))).toEqual([])
})

test('words and meaning together find more than either alone, on the questions tuned on and on those held out', async () => {
  const asker = await createAsker(readVectors())
  for (const half of [0, 1]) {
    const questions = asker.questions.filter((_, at) => at % 2 === half)
    const score = (way: Way) => scoreOf(questions.map((question) => asker.ask(way, question)))
    const [keywords, vectors, hybrid] = [score('keywords'), score('vectors'), score('hybrid')]
    for (const alone of [keywords, vectors]) {
      expect(hybrid.recallAt5).toBeGreaterThan(alone.recallAt5)
      expect(hybrid.mrr).toBeGreaterThan(alone.mrr)
    }
  }
  asker.close()
})
