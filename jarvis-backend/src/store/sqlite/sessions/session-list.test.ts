import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../database.ts'
import { SessionIndex } from './session-index.ts'
import { SqliteSessionList } from './session-list.ts'
import { SqliteTranscriptStore } from './transcript.ts'

const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 }

function openAll() {
  const database = openDatabase(':memory:')
  onTestFinished(() => database.close())
  const store = new SqliteTranscriptStore(database)
  const reported: unknown[] = []
  let seq = 0
  return {
    database,
    store,
    reported,
    /** As a process has it that has just started. */
    start() {
      const later: (() => void)[] = []
      const index = new SessionIndex(database, {
        costOf: (model) => (model === 'known' ? 0.5 : undefined),
        later: (_ms, run) => later.push(run),
        report: (error) => reported.push(error),
      })
      return { list: new SqliteSessionList(database, index), later }
    },
    /** A message and its answer, with what lies between them. */
    say(sessionId: string, text: string, model = 'known') {
      const run = { runId: 'run_1', at: 1 }
      store.append(sessionId, {
        type: 'user',
        seq: seq++,
        ...run,
        messageId: 'm',
        text: `asked ${text}`,
        by: 'operator',
      })
      seq += 40
      const content = [{ type: 'text' as const, text: `answered ${text}` }]
      store.append(sessionId, { type: 'assistant', seq: seq++, ...run, model, content, usage, stopReason: 'end_turn' })
      store.append(sessionId, { type: 'done', seq: seq++, ...run, usage, stopReason: 'end_turn' })
    },
  }
}

const query = { limit: 10, archived: 'no' } as const

test('a long session is found by its first and its newest words, however its messages came in', () => {
  const { store, say, start } = openAll()
  store.createSession({ id: 'ses_1', title: 'Long', source: 'chat', at: 1 })
  const { list } = start()
  // More than fill some blocks, taken in one by one, several at once and by another process.
  for (let at = 0; at < 70; at++) {
    say('ses_1', `word${at}x`)
    list.changed('ses_1')
    if (at % 3 === 0) list.page(query)
  }
  for (let at = 70; at < 300; at++) say('ses_1', `word${at}x`)
  const after = start().list
  for (let tries = 0; after.page(query).isIndexing && tries < 100; tries++);
  for (const at of [0, 31, 32, 33, 63, 64, 69, 70, 150, 299]) {
    const [found] = after.page({ ...query, words: `word${at}x` }).items
    expect(found?.found?.text, `word${at}x`).toBe(`answered word${at}x`)
  }
  expect(after.page({ ...query, words: 'word300x' }).items).toEqual([])
  expect(after.totals('ses_1')).toEqual({
    usage: { ...usage, inputTokens: 3_000, outputTokens: 1_500 },
    costUsd: 150,
  })

  store.deleteSession('ses_1')
  store.createSession({ id: 'ses_2', title: 'Other', source: 'chat', at: 2 })
  say('ses_2', 'nothing', 'unknown')
  const last = start().list
  expect(last.page({ ...query, words: 'word31x' }).items).toEqual([])
  expect(last.page({ ...query, words: 'nothing' }).items[0]?.totals).toEqual({ usage })
})

test('what cannot be taken in keeps nobody from reading the list', () => {
  const { database, store, say, start, reported } = openAll()
  store.createSession({ id: 'ses_1', title: 'One', source: 'chat', at: 1 })
  say('ses_1', 'something')
  database.sql.pragma('query_only = ON')
  const { list } = start()
  expect(list.page(query)).toMatchObject({ items: [{ id: 'ses_1' }], isIndexing: true })
  expect(reported).toHaveLength(1)
  database.sql.pragma('query_only = OFF')
  expect(list.page({ ...query, words: 'something' })).toMatchObject({ items: [{ id: 'ses_1' }], isIndexing: false })
})
