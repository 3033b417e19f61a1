import { systemClock } from 'node-kit/clock'
import type { Entry } from 'protocol'
import { expect, test } from 'vitest'
import { LiveSession } from '../src/agent/sessions/live-session.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { SqliteTranscriptStore } from '../src/store/sqlite/sessions/transcript.ts'

test('numbers stay above what is written where another’s work has its commit undone', async () => {
  const database = openDatabase(':memory:')
  const store = new SqliteTranscriptStore(database)
  store.createSession({ id: 'ses_1', title: 'One', source: 'mcp', at: 1 })
  const row = {
    id: 'run_1',
    sessionId: 'ses_1',
    origin: { kind: 'mcp', client: 'x' },
    status: 'running',
    at: 1,
  } as const
  store.addRun(row)
  const session = store.session('ses_1')
  if (session === undefined) throw new Error('There is no session.')
  const { afterCommit } = database
  const quiet = { publish: () => {}, report: () => {}, toWire: (entry: Entry) => entry }
  const live = new LiveSession(session, { store, clock: systemClock, afterCommit, ...quiet })

  const written = database.together(() => live.append({ row, entries: [] }, { type: 'error', error: 'x', code: 'y' }))
  const failed = database.together(() => {
    throw new Error('no room')
  })
  await expect(failed).rejects.toThrow('no room')
  const { seq } = await written
  // The sequence that the next start would use if this one were killed now.
  expect(store.session('ses_1')?.nextSeq).toBeGreaterThan(seq)

  // A full disk ends a transaction by itself: nothing of it is left to stand alone.
  const full = new LiveSession(session, {
    clock: systemClock,
    afterCommit,
    ...quiet,
    store: Object.assign(new SqliteTranscriptStore(database), {
      reserveSeq() {
        if (database.sql.inTransaction) database.sql.exec('ROLLBACK')
        throw new Error('full')
      },
    }),
  })
  const before = store.entriesOfRun('run_1').length
  const append = () => full.append({ row, entries: [] }, { type: 'error', error: 'z', code: 'y' })
  expect(() => database.atomically(append)).toThrow('full')
  expect(store.entriesOfRun('run_1')).toHaveLength(before)
  expect(() => full.emit('run_1', 'chat:notice', { message: 'goes on' })).not.toThrow()
  database.close()
})
