import { expect, test } from 'vitest'
import type { FeedbackStore } from '../../src/agent/sessions/feedback.ts'
import type { TranscriptStore } from '../../src/agent/sessions/transcript-store.ts'

/** @param open a store over a database that has the sessions `ses_1` and `ses_2`, and their transcripts */
export function feedbackStoreContract(
  open: () => {
    store: FeedbackStore
    transcripts: Pick<TranscriptStore, 'append' | 'createSession' | 'copySession' | 'addRun'>
  },
) {
  const text = { id: 'fb_1', at: 20, about: 'jarvis' as const, person: 'operator', text: 'It is slow.' }
  const rated = (seq: number, of: number, rating: 'up' | 'down' | null, note?: string) => ({
    seq,
    runId: 'run_1',
    at: 10 + seq,
    type: 'rating' as const,
    of,
    rating,
    by: seq > 4 ? 'per_ann' : 'operator',
    ...(note !== undefined && { note }),
  })
  const opened = () => {
    const { store, transcripts } = open()
    const origin = { kind: 'chat' as const, messageId: 'msg_1', text: 'Hello', by: 'operator' }
    transcripts.addRun({ id: 'run_1', sessionId: 'ses_1', origin, status: 'running', at: 10 })
    return { store, rate: (...of: Parameters<typeof rated>) => transcripts.append('ses_1', rated(...of)), transcripts }
  }

  test('texts and the newest rating of each answer stand in one list, newest first', () => {
    const { store, rate } = opened()
    rate(2, 1, 'down', 'Too long.')
    rate(3, 1, 'up')
    rate(4, 0, 'up')
    rate(5, 0, null)
    rate(6, 4, 'down', 'Wrong.')
    store.add(text)
    store.add({ ...text, id: 'fb_2', at: 5, person: 'per_ann', sessionId: 'ses_2', seq: 3 })
    const wrong = { about: 'answer', person: 'per_ann', rating: 'down', text: 'Wrong.', sessionId: 'ses_1', seq: 4 }
    const good = { id: 'rating_ses_1_3', at: 13, about: 'answer', person: 'operator', rating: 'up' }
    expect(store.page({ limit: 9 })).toEqual([
      text,
      { id: 'rating_ses_1_6', at: 16, ...wrong },
      { ...good, sessionId: 'ses_1', seq: 1 },
      { ...text, id: 'fb_2', at: 5, person: 'per_ann', sessionId: 'ses_2', seq: 3 },
    ])
    const idsOf = (query: Parameters<typeof store.page>[0]) => store.page(query).map(({ id }) => id)
    expect(idsOf({ limit: 9, person: 'per_ann' })).toEqual(['rating_ses_1_6', 'fb_2'])
    expect(idsOf({ limit: 9, about: 'jarvis' })).toEqual(['fb_1', 'fb_2'])
    const first = store.page({ limit: 2 })
    expect(idsOf({ limit: 2, before: first.at(-1) })).toEqual(['rating_ses_1_3', 'fb_2'])
  })

  test('of two that were given in one millisecond, a page ends between them', () => {
    const { store } = opened()
    for (const id of ['fb_1', 'fb_2', 'fb_3']) store.add({ ...text, id })
    const [last, ...rest] = store.page({ limit: 1 })
    expect([last?.id, ...rest]).toEqual(['fb_3'])
    expect(store.page({ limit: 5, before: last }).map(({ id }) => id)).toEqual(['fb_2', 'fb_1'])
  })

  test('a copied conversation repeats no rating', () => {
    const { store, rate, transcripts } = opened()
    rate(2, 1, 'down')
    const copy = { id: 'ses_3', from: 'ses_1', title: 'Copy', below: 9, entry: 2, nextSeq: 9, at: 30 }
    transcripts.copySession({ ...copy, source: 'chat' })
    expect(store.page({ limit: 9 }).map(({ id }) => id)).toEqual(['rating_ses_1_2'])
  })

  test('a text is counted for its person, and goes', () => {
    const { store } = opened()
    store.add(text)
    expect([store.countOf('operator'), store.countOf('per_ann'), store.personOf('fb_1')]).toEqual([1, 0, 'operator'])
    store.remove('fb_1')
    expect([store.countOf('operator'), store.personOf('fb_1')]).toEqual([0, undefined])
  })
}
