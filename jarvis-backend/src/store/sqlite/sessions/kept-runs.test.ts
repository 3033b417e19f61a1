import { expect, test } from 'vitest'
import { keptRunMs } from '../../../agent/sessions/kept-runs.ts'
import { openDatabase } from '../database.ts'
import { SqliteKeptRunStore } from './kept-runs.ts'
import { SqliteTranscriptStore } from './transcript.ts'

test('a call past its time is forgotten with the next one of its session, unless it still goes on', () => {
  const database = openDatabase(':memory:')
  const store = new SqliteTranscriptStore(database)
  let now = 0
  const kept = new SqliteKeptRunStore(database, () => now - keptRunMs)
  for (const id of ['ses_a', 'ses_b']) store.createSession({ id, title: '', source: 'mcp', at: 0 })
  const keep = (id: string, sessionId: string, at: number, status: 'running' | 'ended') => {
    store.addRun({ id, sessionId, origin: { kind: 'mcp', client: 't' }, status: 'running', at })
    if (status === 'ended') store.setRunStatus(id, 'ended')
    now = at
    kept.keep({ id, sessionId, tokenName: 't', at })
  }
  keep('old', 'ses_a', 0, 'ended')
  keep('going', 'ses_a', 0, 'running')
  keep('of another', 'ses_b', 0, 'ended')
  keep('in time', 'ses_a', keptRunMs, 'ended')
  expect(kept.list('ses_a', 9).map(({ id }) => id)).toEqual(['in time', 'old', 'going'])
  keep('next', 'ses_a', keptRunMs + 1, 'ended')
  expect(kept.list('ses_a', 9).map(({ id }) => id)).toEqual(['next', 'in time', 'going'])
  expect(kept.get('of another')).toBeDefined()
})
