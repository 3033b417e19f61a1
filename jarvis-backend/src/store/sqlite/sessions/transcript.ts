import { type Effort, type EntryOf, firstOwnerId, mainAgentId } from 'protocol'
import type {
  ChildRun,
  SessionCopy,
  StoredEntry,
  StoredRun,
  RunRow as StoredRunRow,
  StoredSession,
  TranscriptStore,
} from '../../../agent/sessions/transcript-store.ts'
import type { Member } from '../../../agent/sessions/versions.ts'
import type { Database } from '../database.ts'
import { SqliteStore } from '../sqlite-store.ts'
import { copySession } from './copy-session.ts'
import type { HeldInputs } from './held-inputs.ts'
import { type SessionRow, sessionColumns, toSession } from './session-row.ts'

type EntryRow = { session_id: string; seq: number; run_id: string; type: string; body: string }

// seq, runId and type have columns of their own and are left out of the body.
const toEntry = (row: EntryRow) => {
  const entry = { ...JSON.parse(row.body), seq: row.seq, runId: row.run_id, type: row.type } as StoredEntry
  return entry.type === 'assistant' && entry.madeBy === undefined ? withMaker(entry) : entry
}
/** Converts entries of earlier releases, which stored a word in place of a model. */
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
const childColumns = `id, session_id AS sessionId, created_at AS at, parent, status = 'ended' AS isEnded`

type EntryPage = ReturnType<TranscriptStore['pageBefore']>

/** Sessions, their runs and entries, and the replies to requests. */
export class SqliteTranscriptStore extends SqliteStore implements TranscriptStore {
  readonly #database: Database
  readonly #held: HeldInputs | undefined

  readonly #insertSession = this.sql.prepare(
    'INSERT INTO sessions (id, title, source, agent, created_at, updated_at, person) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  readonly #selectSession = this.sql.prepare<[string], SessionRow>(
    `SELECT ${sessionColumns} FROM sessions WHERE id = ?`,
  )
  readonly #selectFamily = this.sql.prepare<
    { id: string },
    Omit<Member, 'of' | 'at'> & { of: string | null; at: number | null }
  >(
    `SELECT id, created_at AS createdAt, updated_at AS updatedAt, version_of AS of, version_at AS at FROM sessions
     WHERE id = @id OR family = (SELECT family FROM sessions WHERE id = @id)`,
  )
  readonly #updateTitle = this.sql.prepare('UPDATE sessions SET title = ? WHERE id = ?')
  readonly #updateArchived = this.sql.prepare('UPDATE sessions SET archived_at = ? WHERE id = ?')
  readonly #updateModel = this.sql.prepare('UPDATE sessions SET model = ? WHERE id = ?')
  readonly #updateEffort = this.sql.prepare('UPDATE sessions SET effort = ? WHERE id = ?')
  readonly #updateRehearsal = this.sql.prepare('UPDATE sessions SET is_rehearsal = ? WHERE id = ?')
  readonly #removeSession = this.sql.prepare('DELETE FROM sessions WHERE id = ?')
  readonly #copySession = copySession(this.sql)
  readonly #updateSeq = this.sql.prepare('UPDATE sessions SET next_seq = ?, updated_at = ? WHERE id = ?')

  readonly #insertRun = this.sql.prepare<unknown[], { position: number }>(
    `INSERT INTO runs (id, session_id, position, status, origin, created_at, parent, begun_by)
     VALUES (?, ?, (SELECT COALESCE(MAX(position), -1) + 1 FROM runs WHERE session_id = ?), ?, ?, ?, ?, ?)
     RETURNING position`,
  )
  readonly #selectOfCall = this.sql.prepare<[string], ChildRow>(`SELECT ${childColumns} FROM runs WHERE begun_by = ?`)
  readonly #selectChildren = this.sql.prepare<{ id: string; parent: string | null }, ChildRow>(
    `SELECT ${childColumns} FROM runs INDEXED BY runs_by_parent
     WHERE session_id = @id AND parent IS NOT NULL AND (@parent IS NULL OR parent = @parent) ORDER BY position`,
  )
  readonly #selectUnfinished = this.sql.prepare<[], RunRow>(
    `SELECT ${runColumns} FROM runs INDEXED BY runs_unfinished
     WHERE status <> 'ended' ORDER BY session_id, position`,
  )
  readonly #selectUnfinishedOf = this.sql.prepare<[string], RunRow>(
    `SELECT ${runColumns} FROM runs INDEXED BY runs_unfinished
     WHERE session_id = ? AND status <> 'ended' ORDER BY position`,
  )
  readonly #updateRun = this.sql.prepare('UPDATE runs SET status = ? WHERE id = ?')
  readonly #endRun = this.sql.prepare(
    "UPDATE runs SET status = 'ended', origin = json_remove(json_replace(origin, '$.text', ''), '$.before', '$.after', '$.wishes', '$.tools', '$.call.toolInput'), partial = '' WHERE id = ?",
  )
  readonly #updatePartial = this.sql.prepare('UPDATE runs SET partial = ? WHERE id = ?')
  readonly #updateHeld = this.sql.prepare("UPDATE runs SET held_by = ? WHERE id = ? AND status = 'queued'")
  readonly #deleteQueued = this.sql.prepare("DELETE FROM runs WHERE id = ? AND status = 'queued'")

  readonly #insertEntry = this.sql.prepare(
    'INSERT INTO entries (session_id, seq, run_id, type, starts_run, body) VALUES (?, ?, ?, ?, ?, ?)',
  )
  readonly #selectRun = this.sql.prepare<[string], EntryRow>(
    `SELECT entries.* FROM runs JOIN entries ON entries.session_id = runs.session_id AND entries.run_id = runs.id
     WHERE runs.id = ? ORDER BY seq`,
  )
  readonly #selectFrom = this.sql.prepare<[string, number, number], EntryRow>(
    'SELECT * FROM entries WHERE session_id = ? AND seq >= ? AND seq < ? ORDER BY seq',
  )
  readonly #selectTypes = this.sql.prepare<[string, number, string], EntryRow>(
    `SELECT * FROM entries WHERE session_id = ? AND seq >= ? AND type IN (SELECT value FROM json_each(?)) ORDER BY seq`,
  )
  readonly #selectFolds = this.sql.prepare<[string], EntryRow>(
    "SELECT * FROM entries INDEXED BY entries_folds WHERE session_id = ? AND type = 'compaction' ORDER BY seq DESC LIMIT 20",
  )
  readonly #selectResult = this.sql.prepare<[string, string], EntryRow>(
    `SELECT * FROM entries WHERE session_id = ? AND type = 'tool_result' AND body ->> '$.toolUseId' = ? LIMIT 1`,
  )
  readonly #selectTodo = this.sql.prepare<{ id: string }, EntryRow>(
    `SELECT * FROM entries WHERE session_id = @id AND type = 'plan'
     AND run_id NOT IN (SELECT id FROM runs WHERE session_id = @id AND parent IS NOT NULL) ORDER BY seq DESC LIMIT 1`,
  )
  readonly #selectSome = this.sql.prepare<[string, number, number], EntryRow>(
    'SELECT * FROM entries WHERE session_id = ? AND seq >= ? ORDER BY seq LIMIT ?',
  )
  readonly #nthRunStart = this.sql.prepare<[string, number], { seq: number }>(
    'SELECT seq FROM entries WHERE session_id = ? AND starts_run = 1 ORDER BY seq DESC LIMIT 1 OFFSET ?',
  )
  readonly #nthBefore = this.sql.prepare<[string, number, number], { seq: number }>(
    'SELECT seq FROM entries WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT 1 OFFSET ?',
  )
  readonly #runStartAtOrBefore = this.sql.prepare<[string, number], { seq: number }>(
    'SELECT seq FROM entries WHERE session_id = ? AND starts_run = 1 AND seq <= ? ORDER BY seq DESC LIMIT 1',
  )

  readonly #selectReply = this.sql.prepare<[string, string, string], { reply: string }>(
    'SELECT reply FROM replies WHERE kind = ? AND by = ? AND request_id = ?',
  )
  readonly #insertReply = this.sql.prepare(
    'INSERT INTO replies (kind, by, request_id, reply, at) VALUES (?, ?, ?, ?, ?)',
  )

  readonly #deleteReplies = this.sql.prepare('DELETE FROM replies WHERE at < ?')

  /** @param held removes secrets from stored arguments; absent: entries are stored and read unchanged */
  constructor(database: Database, held?: HeldInputs) {
    super(database)
    this.#database = database
    this.#held = held
  }

  createSession({
    id,
    title,
    source,
    agent,
    at,
    person = firstOwnerId,
  }: Parameters<TranscriptStore['createSession']>[0]): void {
    this.#insertSession.run(id, title, source, agent ?? mainAgentId, at, at, person)
  }

  session(id: string): StoredSession | undefined {
    const row = this.#selectSession.get(id)
    return row && toSession(row)
  }

  family(id: string): Member[] {
    return this.#selectFamily
      .all({ id })
      .map(({ of, at, ...member }) => ({ ...member, ...(of !== null && { of }), ...(at !== null && { at }) }))
  }

  renameSession(id: string, title: string): void {
    this.#updateTitle.run(title, id)
  }

  archiveSession(id: string, at: number | undefined): void {
    this.#updateArchived.run(at ?? null, id)
  }

  setModel(id: string, model: string | undefined): void {
    this.#updateModel.run(model ?? null, id)
  }

  setEffort(id: string, effort: Effort | undefined): void {
    this.#updateEffort.run(effort ?? null, id)
  }

  copySession(copy: SessionCopy): string | undefined {
    return this.#copySession(copy)
  }

  setRehearsal(id: string, isRehearsal: boolean): void {
    this.#updateRehearsal.run(isRehearsal ? 1 : 0, id)
  }

  deleteSession(id: string): void {
    this.#removeSession.run(id)
  }

  reserveSeq(id: string, nextSeq: number, at: number): void {
    this.#updateSeq.run(nextSeq, at, id)
  }

  addRun({ id, sessionId, status, origin, at }: StoredRunRow): number {
    const [parent, call] = origin.kind === 'child' ? [origin.parent, origin.call] : [null, null]
    const text = JSON.stringify(origin)
    return this.#insertRun.get(id, sessionId, sessionId, status, text, at, parent, call)?.position ?? 0
  }

  runOfCall(toolUseId: string): ChildRun | undefined {
    const row = this.#selectOfCall.get(toolUseId)
    return row && toChild(row)
  }

  childRuns(id: string, parent?: string): ChildRun[] {
    return this.#selectChildren.all({ id, parent: parent ?? null }).map(toChild)
  }

  unfinishedRuns(sessionId?: string): StoredRun[] {
    return (sessionId === undefined ? this.#selectUnfinished.all() : this.#selectUnfinishedOf.all(sessionId)).map(toRun)
  }

  setRunStatus(id: string, status: 'running' | 'stopping' | 'ended'): void {
    if (status === 'ended') this.#endRun.run(id)
    else this.#updateRun.run(status, id)
  }

  savePartial(id: string, text: string): void {
    this.#updatePartial.run(text, id)
  }

  hold(id: string, by: string | undefined): void {
    this.#updateHeld.run(by ?? null, id)
  }

  removeQueued(id: string): boolean {
    return this.#deleteQueued.run(id).changes === 1
  }

  append(sessionId: string, { seq, runId, type, ...given }: StoredEntry): void {
    const body =
      this.#held !== undefined && 'content' in given
        ? { ...given, content: this.#held.hold({ sessionId, runId }, given.content) }
        : given
    const startsRun = type === 'user' || ('madeBy' in body && body.madeBy === 'client')
    this.#insertEntry.run(sessionId, seq, runId, type, startsRun ? 1 : 0, JSON.stringify(body))
  }

  entry(sessionId: string, seq: number): StoredEntry | undefined {
    return this.#real(this.#selectFrom.all(sessionId, seq, seq + 1))[0]
  }

  entriesOfRun(runId: string): StoredEntry[] {
    return this.#real(this.#selectRun.all(runId))
  }

  entriesFrom(sessionId: string, from: number, limit: number): StoredEntry[] {
    return this.#real(this.#selectSome.all(sessionId, from, limit))
  }

  newestRuns(sessionId: string, runs: number, types?: readonly StoredEntry['type'][]): StoredEntry[] {
    const start = this.#nthRunStart.get(sessionId, runs - 1)?.seq ?? 0
    const rows =
      types === undefined
        ? this.#selectFrom.all(sessionId, start, Number.MAX_SAFE_INTEGER)
        : this.#selectTypes.all(sessionId, start, JSON.stringify(types))
    return this.#real(rows)
  }

  folds(sessionId: string): EntryOf<'compaction'>[] {
    return this.#selectFolds.all(sessionId).map((row) => toEntry(row) as EntryOf<'compaction'>)
  }

  resultOf(sessionId: string, toolUseId: string): EntryOf<'tool_result'> | undefined {
    const row = this.#selectResult.get(sessionId, toolUseId)
    return row && (toEntry(row) as EntryOf<'tool_result'>)
  }

  entriesOfTypes(sessionId: string, types: readonly StoredEntry['type'][]): StoredEntry[] {
    return this.#real(this.#selectTypes.all(sessionId, 0, JSON.stringify(types)))
  }

  newestTodo(sessionId: string): EntryOf<'plan'> | undefined {
    const row = this.#selectTodo.get({ id: sessionId })
    const entry = row && toEntry(row)
    return entry?.type === 'plan' ? entry : undefined
  }

  pageBefore(sessionId: string, before: number, limit: number): EntryPage {
    return this.#page(sessionId, this.#nthBefore.get(sessionId, before, limit - 1)?.seq ?? 0, before)
  }

  entriesBefore(sessionId: string, before: number, limit: number): EntryPage {
    const wanted = this.#nthBefore.get(sessionId, before, limit - 1)?.seq ?? 0
    return this.#page(sessionId, this.#runStartAtOrBefore.get(sessionId, wanted)?.seq ?? 0, before)
  }

  replyTo(kind: string, by: string, requestId: string): unknown {
    const row = this.#selectReply.get(kind, by, requestId)
    return row && JSON.parse(row.reply)
  }

  forgetReplies(before: number): void {
    this.#deleteReplies.run(before)
  }

  rememberReply(
    { kind, by, requestId }: { kind: string; by: string; requestId: string },
    reply: unknown,
    at: number,
  ): void {
    this.#insertReply.run(kind, by, requestId, JSON.stringify(reply), at)
  }

  atomically<T>(work: () => T): T {
    return this.#database.atomically(work)
  }

  together<T>(work: () => T): Promise<T> {
    return this.#database.together(work)
  }

  untilFree(forever?: 'forever'): Promise<void> | undefined {
    return this.#database.untilFree(forever)
  }

  undone(): number {
    return this.#database.undone()
  }

  isInTransaction(): boolean {
    return this.sql.inTransaction
  }

  #page(sessionId: string, start: number, before: number): EntryPage {
    return {
      items: this.#real(this.#selectFrom.all(sessionId, start, before)),
      hasEarlier: this.#nthBefore.get(sessionId, start, 0) !== undefined,
    }
  }

  /** The entries of some rows of one session, with the real arguments of calls if they are still held. */
  #real(rows: readonly EntryRow[]): StoredEntry[] {
    const entries = rows.map(toEntry)
    const [first] = rows
    return first === undefined || this.#held === undefined ? entries : this.#held.real(first.session_id, entries)
  }
}
