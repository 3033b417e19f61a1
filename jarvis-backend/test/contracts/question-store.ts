import { expect, test } from 'vitest'
import type { QuestionStore, StoredQuestion } from '../../src/calls/questions/question.ts'

const asked = (questionId: string, createdAt: number, more: object = {}): Omit<StoredQuestion, 'isTold'> => ({
  question: {
    questionId,
    toolUseId: `tu_${questionId}`,
    createdAt,
    expiresAt: createdAt + 100,
    items: [{ text: 'Where to?', options: [{ label: 'here' }], typed: 'text' }],
    requestedBy: { kind: 'chat', name: 'm' },
    ...more,
  },
  sessionId: 'ses_1',
  runId: 'run_1',
})
const answered: NonNullable<StoredQuestion['resolution']> = {
  end: 'answered',
  by: 'mira',
  answers: [{ chosen: [0] }],
  at: 50,
}

export function questionStoreContract(create: () => QuestionStore) {
  test('a question is stored once and found by its id, and by its call where a model asked', () => {
    const store = create()
    store.add(asked('a', 10))
    store.add(asked('b', 11, { server: 'everything' }))
    expect(() => store.add(asked('a', 12))).toThrow()
    expect(store.get('a')).toEqual({ ...asked('a', 10), isTold: false })
    expect(store.ofCall('tu_a')?.question.questionId).toBe('a')
    expect([store.ofCall('tu_b'), store.get('c')]).toEqual([undefined, undefined])
  })

  test('the first end counts, and it is told once', () => {
    const store = create()
    store.add(asked('a', 10))
    expect(store.resolve('a', answered, false)).toBe(true)
    expect(store.resolve('a', { end: 'withdrawn', by: 'jarvis', at: 60 }, true)).toBe(false)
    expect(store.get('a')).toEqual({ ...asked('a', 10), resolution: answered, isTold: false })
    store.tell('a')
    expect(store.get('a')?.isTold).toBe(true)
    expect(store.resolve('none', answered, true)).toBe(false)
  })

  test('open ones are listed oldest first, then those that ended since, newest first', () => {
    const store = create()
    for (const [place, id] of ['a', 'b', 'c', 'd'].entries()) store.add(asked(id, 10 + place))
    store.add({ ...asked('e', 5), sessionId: 'ses_2' })
    store.resolve('a', answered, true)
    store.resolve('b', { ...answered, at: 70 }, true)
    expect(store.open('ses_1').map(({ question }) => question.questionId)).toEqual(['c', 'd'])
    expect(store.open().map(({ question }) => question.questionId)).toEqual(['e', 'c', 'd'])
    expect(store.list(0).map(({ questionId }) => questionId)).toEqual(['e', 'c', 'd', 'b', 'a'])
    expect(store.list(60).map(({ questionId }) => questionId)).toEqual(['e', 'c', 'd', 'b'])
    expect(store.list(0).at(-1)).toMatchObject({ end: 'answered', by: 'mira', endedAt: 50, sessionId: 'ses_1' })
  })
}
