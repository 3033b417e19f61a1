import type { StoredEntry, StoredRun, StoredSession, TranscriptStore } from '../../agent/transcript-store.ts'
import type { Database } from './database.ts'

type EntryRow = { session_id: string; seq: number; run_id: string; type: string; body: string }
type SessionRow = {
  id: string
  title: string
  source: 'chat' | 'mcp'
  created_at: number
  updated_at: number
  next_seq: number
  is_rehearsal: number
}

// seq, runId and type have columns of their own and are not kept twice.
const toEntry = (row: EntryRow) =>
  ({ ...JSON.parse(row.body), seq: row.seq, runId: row.run_id, type: row.type }) as StoredEntry
const toSession = (row: SessionRow): StoredSession => ({
  id: row.id,
  title: row.title,
  source: row.source,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  nextSeq: row.next_seq,
  isRehearsal: row.is_rehearsal === 1,
})
const runColumns =
  'id, session_id AS sessionId, position, status, source, message_id AS messageId, text, by, created_at AS at, partial'

export function createTranscriptStore({ sql, atomically, together }: Database): TranscriptStore {
  const insertSession = sql.prepare(
    'INSERT INTO sessions (id, title, source, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
  )
  const selectSession = sql.prepare<[string], SessionRow>('SELECT * FROM sessions WHERE id = ?')
  const selectSessions = sql.prepare<[number, string, number], SessionRow>(
    'SELECT * FROM sessions WHERE (updated_at, id) < (?, ?) ORDER BY updated_at DESC, id DESC LIMIT ?',
  )
  const updateTitle = sql.prepare('UPDATE sessions SET title = ? WHERE id = ?')
  const updateRehearsal = sql.prepare('UPDATE sessions SET is_rehearsal = ? WHERE id = ?')
  const removeSession = sql.prepare('DELETE FROM sessions WHERE id = ?')
  const updateSeq = sql.prepare('UPDATE sessions SET next_seq = ?, updated_at = ? WHERE id = ?')

  const insertRun = sql.prepare<unknown[], { position: number }>(
    `INSERT INTO runs (id, session_id, position, status, source, message_id, text, by, created_at)
     VALUES (?, ?, (SELECT COALESCE(MAX(position), -1) + 1 FROM runs WHERE session_id = ?), ?, ?, ?, ?, ?, ?) RETURNING position`,
  )
  const selectUnfinished = sql.prepare<[], StoredRun>(
    `SELECT ${runColumns} FROM runs INDEXED BY runs_unfinished
     WHERE status <> 'ended' ORDER BY session_id, position`,
  )
  const selectUnfinishedOf = sql.prepare<[string], StoredRun>(
    `SELECT ${runColumns} FROM runs INDEXED BY runs_unfinished
     WHERE session_id = ? AND status <> 'ended' ORDER BY position`,
  )
  const updateRun = sql.prepare('UPDATE runs SET status = ? WHERE id = ?')
  const endRun = sql.prepare("UPDATE runs SET status = 'ended', text = '', partial = '' WHERE id = ?")
  const updatePartial = sql.prepare('UPDATE runs SET partial = ? WHERE id = ?')
  const deleteQueued = sql.prepare("DELETE FROM runs WHERE id = ? AND status = 'queued'")

  const insertEntry = sql.prepare(
    'INSERT INTO entries (session_id, seq, run_id, type, starts_run, body) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const selectRun = sql.prepare<[string], EntryRow>(
    `SELECT entries.* FROM runs JOIN entries ON entries.session_id = runs.session_id AND entries.run_id = runs.id
     WHERE runs.id = ? ORDER BY seq`,
  )
  const selectFrom = sql.prepare<[string, number, number], EntryRow>(
    'SELECT * FROM entries WHERE session_id = ? AND seq >= ? AND seq < ? ORDER BY seq',
  )
  const nthRunStart = sql.prepare<[string, number], { seq: number }>(
    'SELECT seq FROM entries WHERE session_id = ? AND starts_run = 1 ORDER BY seq DESC LIMIT 1 OFFSET ?',
  )
  const nthBefore = sql.prepare<[string, number, number], { seq: number }>(
    'SELECT seq FROM entries WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT 1 OFFSET ?',
  )
  const runStartAtOrBefore = sql.prepare<[string, number], { seq: number }>(
    'SELECT seq FROM entries WHERE session_id = ? AND starts_run = 1 AND seq <= ? ORDER BY seq DESC LIMIT 1',
  )

  const selectReply = sql.prepare<[string, string, string], { reply: string }>(
    'SELECT reply FROM replies WHERE kind = ? AND by = ? AND request_id = ?',
  )
  const insertReply = sql.prepare('INSERT INTO replies (kind, by, request_id, reply, at) VALUES (?, ?, ?, ?, ?)')

  const deleteReplies = sql.prepare('DELETE FROM replies WHERE at < ?')

  return {
    atomically,
    together,
    createSession: ({ id, title, source, at }) => void insertSession.run(id, title, source, at, at),
    listSessions({ limit, before }) {
      const [at, id] = before === undefined ? [Number.MAX_SAFE_INTEGER, ''] : splitCursor(before)
      const rows = selectSessions.all(at, id, limit + 1).map(toSession)
      const items = rows.slice(0, limit)
      const last = items.at(-1)
      return rows.length > limit && last !== undefined ? { items, next: `${last.updatedAt}.${last.id}` } : { items }
    },
    session(id) {
      const row = selectSession.get(id)
      return row && toSession(row)
    },
    renameSession: (id, title) => void updateTitle.run(title, id),
    setRehearsal: (id, isRehearsal) => void updateRehearsal.run(isRehearsal ? 1 : 0, id),
    deleteSession: (id) => void removeSession.run(id),
    reserveSeq: (id, nextSeq, at) => void updateSeq.run(nextSeq, at, id),

    addRun({ id, sessionId, status, source, messageId, text, by, at }) {
      const row = insertRun.get(id, sessionId, sessionId, status, source, messageId, text, by, at)
      return row?.position ?? 0
    },
    unfinishedRuns: (sessionId) =>
      sessionId === undefined ? selectUnfinished.all() : selectUnfinishedOf.all(sessionId),
    setRunStatus: (id, status) => void (status === 'ended' ? endRun.run(id) : updateRun.run(status, id)),
    savePartial: (id, text) => void updatePartial.run(text, id),
    removeQueued: (id) => deleteQueued.run(id).changes === 1,

    append(sessionId, { seq, runId, type, ...body }) {
      const startsRun = type === 'user' || ('model' in body && body.model === 'mcp')
      insertEntry.run(sessionId, seq, runId, type, startsRun ? 1 : 0, JSON.stringify(body))
    },
    entriesOfRun: (runId) => selectRun.all(runId).map(toEntry),
    newestRuns(sessionId, runs) {
      const start = nthRunStart.get(sessionId, runs - 1)?.seq ?? 0
      return selectFrom.all(sessionId, start, Number.MAX_SAFE_INTEGER).map(toEntry)
    },
    entriesBefore(sessionId, before, limit) {
      const wanted = nthBefore.get(sessionId, before, limit - 1)?.seq ?? 0
      const start = runStartAtOrBefore.get(sessionId, wanted)?.seq ?? 0
      return {
        items: selectFrom.all(sessionId, start, before).map(toEntry),
        hasEarlier: nthBefore.get(sessionId, start, 0) !== undefined,
      }
    },

    replyTo(kind, by, requestId) {
      const row = selectReply.get(kind, by, requestId)
      return row && JSON.parse(row.reply)
    },
    forgetReplies: (before) => void deleteReplies.run(before),
    rememberReply: (kind, by, requestId, reply, at) =>
      void insertReply.run(kind, by, requestId, JSON.stringify(reply), at),
  }
}

function splitCursor(cursor: string): [number, string] {
  const [at = '', id = ''] = cursor.split(/\.(.*)/s)
  return [Number(at) || 0, id]
}
