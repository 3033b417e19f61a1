import { describe, onTestFinished } from 'vitest'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { SqliteApplyJournal } from '../src/store/sqlite/file-changes.ts'
import { SqliteJournal } from '../src/store/sqlite/journal/journal.ts'
import { SessionIndex } from '../src/store/sqlite/sessions/session-index.ts'
import { SqliteSessionList } from '../src/store/sqlite/sessions/session-list.ts'
import { SqliteShareStore } from '../src/store/sqlite/sessions/shares.ts'
import { SqliteTranscriptStore } from '../src/store/sqlite/sessions/transcript.ts'
import { SqliteSettings } from '../src/store/sqlite/settings.ts'
import {
  applyJournalContract,
  journalContract,
  settingsContract,
  transactionsContract,
} from './contracts/base-ports.ts'
import { sessionListContract } from './contracts/session-list.ts'

function open() {
  const database = openDatabase(':memory:')
  onTestFinished(() => void database.close())
  const rows = database.sql.prepare<[], { kind: string; body: string }>('SELECT kind, body FROM journal ORDER BY seq')
  return {
    transactions: database,
    settings: new SqliteSettings(database),
    journal: new SqliteJournal(database, () => 1_000),
    held: () => rows.all().map(({ kind, body }) => ({ kind, body: JSON.parse(body) as unknown })),
  }
}

describe('Settings in SQLite', () => settingsContract(() => open().settings))
describe('Journal in SQLite', () => journalContract(open))
describe('Transactions in SQLite', () => transactionsContract(open))
describe('ApplyJournal in SQLite', () =>
  applyJournalContract(() => {
    let at = 0
    const setTime = (to: number) => {
      at = to
    }
    return { journal: new SqliteApplyJournal(open().transactions, () => at), setTime }
  }))

describe('SessionList in SQLite', () =>
  sessionListContract(() => {
    const { transactions: database } = open()
    const index = new SessionIndex(database, {
      costOf: (model) => (model === 'priced' ? 0.5 : undefined),
      later: () => 0,
      report: (error) => {
        throw error
      },
    })
    return {
      list: new SqliteSessionList(database, index),
      transcripts: new SqliteTranscriptStore(database),
      shares: new SqliteShareStore(database),
    }
  }))
