import { type EntryOf, firstOwnerId, mainAgentId } from 'protocol'
import type { ChildRun, StoredEntry, StoredRun, TranscriptStore } from '../../../agent/sessions/transcript-store.ts'
import type { Member } from '../../../agent/sessions/versions.ts'
import type { Database } from '../database.ts'
import { copySession } from './copy-session.ts'
import type { HeldInputs } from './held-inputs.ts'
import { type SessionRow, sessionColumns, toSession } from './session-row.ts'

type EntryRow = { session_id: string; seq: number; run_id: string; type: string; body: string }

// seq, runId and type have columns of their own and are left out of the body.
const toEntry = (row: EntryRow) => {
  const entry = { ...JSON.parse(row.body), seq: row.seq, runId: row.run_id, type: row.type } as StoredEntry
  return entry.type === 'assistant' && entry.madeBy === undefined ? withMaker(entry) : entry
}
/** Converts entries of earlier releases, which named a word in place of a model. */
function withMaker(entry: EntryOf<'assistant'>): StoredEntry {
  const { model, ...rest } = entry
  if (model === 'mcp') return { ...rest, madeBy: 'client' }
  if (model !== 'command') return entry
  return { ...rest, madeBy: entry.content.some(({ type }) => type === 'tool_call') ? 'operator' : 'jarvis' }
}
type RunRow = Omit<StoredRun, 'origin' | 'heldBy'> & { origin: string; heldBy: string | null }
const toRun = ({ origin, heldBy, ...run }: RunRow): StoredRun => ({
  ...run,
  origin: JSON.parse(origin),
  ...(heldBy !== null && { heldBy }),
})
type ChildRow = Omit<ChildRun, 'isEnded'> & { isEnded: 0 | 1 }
const toChild = (row: ChildRow): ChildRun => ({ ...row, isEnded: row.isEnded === 1 })
const runColumns = 'id, session_id AS sessionId, position, status, origin, created_at AS at, partial, held_by AS heldBy'

/** @param held keeps secrets out of stored arguments; absent: entries are stored as they come, and read as they are stored */
export function createTranscriptStore(
  { sql, atomically, together, undone, untilFree }: Database,
  held?: HeldInputs,
): TranscriptStore {
  const toEntries = (rows: readonly EntryRow[]): StoredEntry[] => {
    const entries = rows.map(toEntry)
    const [first] = rows
    return first === undefined || held === undefined ? entries : held.real(first.session_id, entries)
  }
  const insertSession = sql.prepare(
    'INSERT INTO sessions (id, title, source, agent, created_at, updated_at, person) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const selectSession = sql.prepare<[string], SessionRow>(`SELECT ${sessionColumns} FROM sessions WHERE id = ?`)
  const selectFamily = sql.prepare<
    { id: string },
    Omit<Member, 'of' | 'at'> & { of: string | null; at: number | null }
  >(
    `SELECT id, created_at AS createdAt, updated_at AS updatedAt, version_of AS of, version_at AS at FROM sessions
     WHERE id = @id OR family = (SELECT family FROM sessions WHERE id = @id)`,
  )
  const updateTitle = sql.prepare('UPDATE sessions SET title = ? WHERE id = ?')
  const updateArchived = sql.prepare('UPDATE sessions SET archived_at = ? WHERE id = ?')
  const updateModel = sql.prepare('UPDATE sessions SET model = ? WHERE id = ?')
  const updateEffort = sql.prepare('UPDATE sessions SET effort = ? WHERE id = ?')
  const updateRehearsal = sql.prepare('UPDATE sessions SET is_rehearsal = ? WHERE id = ?')
  const removeSession = sql.prepare('DELETE FROM sessions WHERE id = ?')
  const updateSeq = sql.prepare('UPDATE sessions SET next_seq = ?, updated_at = ? WHERE id = ?')

  const insertRun = sql.prepare<unknown[], { position: number }>(
    `INSERT INTO runs (id, session_id, position, status, origin, created_at, parent, begun_by)
     VALUES (?, ?, (SELECT COALESCE(MAX(position), -1) + 1 FROM runs WHERE session_id = ?), ?, ?, ?, ?, ?)
     RETURNING position`,
  )
  const childColumns = `id, session_id AS sessionId, created_at AS at, parent, status = 'ended' AS isEnded`
  const selectOfCall = sql.prepare<[string], ChildRow>(`SELECT ${childColumns} FROM runs WHERE begun_by = ?`)
  const selectChildren = sql.prepare<{ id: string; parent: string | null }, ChildRow>(
    `SELECT ${childColumns} FROM runs INDEXED BY runs_by_parent
     WHERE session_id = @id AND parent IS NOT NULL AND (@parent IS NULL OR parent = @parent) ORDER BY position`,
  )
  const selectUnfinished = sql.prepare<[], RunRow>(
    `SELECT ${runColumns} FROM runs INDEXED BY runs_unfinished
     WHERE status <> 'ended' ORDER BY session_id, position`,
  )
  const selectUnfinishedOf = sql.prepare<[string], RunRow>(
    `SELECT ${runColumns} FROM runs INDEXED BY runs_unfinished
     WHERE session_id = ? AND status <> 'ended' ORDER BY position`,
  )
  const updateRun = sql.prepare('UPDATE runs SET status = ? WHERE id = ?')
  const endRun = sql.prepare(
    "UPDATE runs SET status = 'ended', origin = json_remove(json_replace(origin, '$.text', ''), '$.before', '$.after', '$.wishes', '$.tools', '$.call.toolInput'), partial = '' WHERE id = ?",
  )
  const updatePartial = sql.prepare('UPDATE runs SET partial = ? WHERE id = ?')
  const updateHeld = sql.prepare("UPDATE runs SET held_by = ? WHERE id = ? AND status = 'queued'")
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
  const selectTypes = sql.prepare<[string, number, string], EntryRow>(
    `SELECT * FROM entries WHERE session_id = ? AND seq >= ? AND type IN (SELECT value FROM json_each(?)) ORDER BY seq`,
  )
  const selectFolds = sql.prepare<[string], EntryRow>(
    "SELECT * FROM entries INDEXED BY entries_folds WHERE session_id = ? AND type = 'compaction' ORDER BY seq DESC LIMIT 20",
  )
  const selectResult = sql.prepare<[string, string], EntryRow>(
    `SELECT * FROM entries WHERE session_id = ? AND type = 'tool_result' AND body ->> '$.toolUseId' = ? LIMIT 1`,
  )
  const selectTodo = sql.prepare<{ id: string }, EntryRow>(
    `SELECT * FROM entries WHERE session_id = @id AND type = 'plan'
     AND run_id NOT IN (SELECT id FROM runs WHERE session_id = @id AND parent IS NOT NULL) ORDER BY seq DESC LIMIT 1`,
  )
  const selectSome = sql.prepare<[string, number, number], EntryRow>(
    'SELECT * FROM entries WHERE session_id = ? AND seq >= ? ORDER BY seq LIMIT ?',
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
    untilFree,
    together,
    undone,
    isInTransaction: () => sql.inTransaction,
    createSession: ({ id, title, source, agent, at, person = firstOwnerId }) =>
      void insertSession.run(id, title, source, agent ?? mainAgentId, at, at, person),
    session(id) {
      const row = selectSession.get(id)
      return row && toSession(row)
    },
    family: (id) =>
      selectFamily
        .all({ id })
        .map(({ of, at, ...member }) => ({ ...member, ...(of !== null && { of }), ...(at !== null && { at }) })),
    renameSession: (id, title) => void updateTitle.run(title, id),
    archiveSession: (id, at) => void updateArchived.run(at ?? null, id),
    setModel: (id, model) => void updateModel.run(model ?? null, id),
    setEffort: (id, effort) => void updateEffort.run(effort ?? null, id),
    copySession: copySession(sql),
    setRehearsal: (id, isRehearsal) => void updateRehearsal.run(isRehearsal ? 1 : 0, id),
    deleteSession: (id) => void removeSession.run(id),
    reserveSeq: (id, nextSeq, at) => void updateSeq.run(nextSeq, at, id),

    addRun({ id, sessionId, status, origin, at }) {
      const [parent, call] = origin.kind === 'child' ? [origin.parent, origin.call] : [null, null]
      return insertRun.get(id, sessionId, sessionId, status, JSON.stringify(origin), at, parent, call)?.position ?? 0
    },
    runOfCall(toolUseId) {
      const row = selectOfCall.get(toolUseId)
      return row && toChild(row)
    },
    childRuns: (id, parent) => selectChildren.all({ id, parent: parent ?? null }).map(toChild),
    unfinishedRuns: (sessionId) =>
      (sessionId === undefined ? selectUnfinished.all() : selectUnfinishedOf.all(sessionId)).map(toRun),
    setRunStatus: (id, status) => void (status === 'ended' ? endRun.run(id) : updateRun.run(status, id)),
    savePartial: (id, text) => void updatePartial.run(text, id),
    hold: (id, by) => void updateHeld.run(by ?? null, id),
    removeQueued: (id) => deleteQueued.run(id).changes === 1,

    append(sessionId, { seq, runId, type, ...given }) {
      const body =
        held !== undefined && 'content' in given
          ? { ...given, content: held.hold(sessionId, runId, given.content) }
          : given
      const startsRun = type === 'user' || ('madeBy' in body && body.madeBy === 'client')
      insertEntry.run(sessionId, seq, runId, type, startsRun ? 1 : 0, JSON.stringify(body))
    },
    entry(sessionId, seq) {
      return toEntries(selectFrom.all(sessionId, seq, seq + 1))[0]
    },
    entriesOfRun: (runId) => toEntries(selectRun.all(runId)),
    entriesFrom: (sessionId, from, limit) => toEntries(selectSome.all(sessionId, from, limit)),
    newestRuns(sessionId, runs, types) {
      const start = nthRunStart.get(sessionId, runs - 1)?.seq ?? 0
      const rows =
        types === undefined
          ? selectFrom.all(sessionId, start, Number.MAX_SAFE_INTEGER)
          : selectTypes.all(sessionId, start, JSON.stringify(types))
      return toEntries(rows)
    },
    folds: (sessionId) => selectFolds.all(sessionId).map((row) => toEntry(row) as EntryOf<'compaction'>),
    resultOf(sessionId, toolUseId) {
      const row = selectResult.get(sessionId, toolUseId)
      return row && (toEntry(row) as EntryOf<'tool_result'>)
    },
    entriesOfTypes: (sessionId, types) => toEntries(selectTypes.all(sessionId, 0, JSON.stringify(types))),
    newestTodo(sessionId) {
      const row = selectTodo.get({ id: sessionId })
      const entry = row && toEntry(row)
      return entry?.type === 'plan' ? entry : undefined
    },
    pageBefore(sessionId, before, limit) {
      const start = nthBefore.get(sessionId, before, limit - 1)?.seq ?? 0
      return {
        items: toEntries(selectFrom.all(sessionId, start, before)),
        hasEarlier: nthBefore.get(sessionId, start, 0) !== undefined,
      }
    },
    entriesBefore(sessionId, before, limit) {
      const wanted = nthBefore.get(sessionId, before, limit - 1)?.seq ?? 0
      const start = runStartAtOrBefore.get(sessionId, wanted)?.seq ?? 0
      return {
        items: toEntries(selectFrom.all(sessionId, start, before)),
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
