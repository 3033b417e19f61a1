import { expect, test } from 'vitest'
import { createAsker, readChatter, readSet, readVectors, scoreOf, type Way } from '../bench/memory/quality-set.ts'

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

test('the notes that answer are recalled for a question, with fewer others than before, and none for chatter', async () => {
  const vectors = readVectors()
  const recalledOf = async (form: 'short' | 'full') => {
    const asker = await createAsker(vectors, readSet(form))
    const found = await Promise.all(asker.questions.map(({ text }) => asker.recalled(text)))
    const chatter = await Promise.all(readChatter().map((text) => asker.recalled(text)))
    asker.close()
    return {
      answered: asker.questions.filter(({ answer }, at) => found[at]?.includes(answer)).length,
      passages: found.flat().length,
      disturbed: readChatter().filter((_, at) => (chatter[at]?.length ?? 0) > 0),
    }
  }
  const [short, full] = [await recalledOf('short'), await recalledOf('full')]
  expect(short.answered).toBeGreaterThanOrEqual(105)
  expect(short.passages).toBeLessThan(275)
  expect(full.answered).toBeGreaterThanOrEqual(111)
  expect(full.passages).toBeLessThan(300)
  const unlucky = new Set([...short.disturbed, ...full.disturbed])
  expect([...unlucky].filter((text) => /hello|\bhi\b|\bhey\b|thank|good (?:morning|evening)/.test(text))).toEqual([])
  expect(unlucky.size).toBeLessThanOrEqual(4)
})
