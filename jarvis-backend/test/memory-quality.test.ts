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

test.each(['short', 'full'] as const)(
  'of %s passages, words and meaning together find more than either alone, on the questions held out too',
  async (form) => {
    const asker = await createAsker(readVectors(), readSet(form))
    const placed = (way: Way) => asker.questions.map((question) => asker.ask(way, question))
    const [keywords, vectors, hybrid] = [placed('keywords'), placed('vectors'), placed('hybrid')]
    for (const isCounted of [() => true, (_: unknown, at: number) => at % 2 === 1]) {
      const score = scoreOf(hybrid.filter(isCounted))
      for (const alone of [keywords, vectors].map((each) => scoreOf(each.filter(isCounted)))) {
        expect(score.recallAt5).toBeGreaterThan(alone.recallAt5)
        expect(score.mrr).toBeGreaterThan(alone.mrr)
      }
    }
    asker.close()
  },
)
