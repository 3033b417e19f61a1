import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from './database.ts'
import { migrations } from './migrations.ts'
import { createTranscriptStore } from './transcript.ts'

test('a database of the first schema keeps its runs and their entries', () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'jarvis.db')
  const old = new Sqlite(path)
  old.exec(`${migrations[0]}
    INSERT INTO sessions (id, title, source, created_at, updated_at) VALUES ('ses_1', 'First', 'chat', 1, 2);
    INSERT INTO runs (id, session_id, position, status, source, message_id, text, by, created_at, partial)
      VALUES ('run_1', 'ses_1', 0, 'running', 'chat', 'msg_1', 'How is pve?', 'operator', 3, 'It is');
    INSERT INTO entries VALUES ('ses_1', 0, 'run_1', 'user', 1, '{"at":3,"text":"How is pve?"}');
    PRAGMA user_version = 1`)
  old.close()

  const database = openDatabase(path)
  const store = createTranscriptStore(database)
  expect(store.unfinishedRuns('ses_1')).toMatchObject([{ id: 'run_1', position: 0, at: 3, partial: 'It is' }])
  expect(store.entriesOfRun('run_1')).toEqual([{ type: 'user', seq: 0, runId: 'run_1', at: 3, text: 'How is pve?' }])
  database.close()
})
