import Sqlite from 'better-sqlite3'
import { Entry } from 'protocol'
import { timeOfDay } from '../../../lib/time-of-day.ts'
import type { Keeper, Listed, TextPart } from '../../../memory/indexer.ts'
import { kindOf } from '../../../memory/owner.ts'
import { inputsRedacted } from '../sessions/redact-inputs.ts'
import { SqliteStore } from '../sqlite-store.ts'

/** Characters of a tool's output that are remembered. */
const outputChars = 2_000
/** Characters of a question, and of its answer, that are embedded. */
const meaningChars = 120
/** SQLite's cache, KiB; small, because each text is read once. */
const cacheKib = 1_024
/** Days of the journal that are remembered. */
const journalDays = 365

/**
 * Keeps sessions and the journal's outcomes, read from `jarvis.db` over a read-only connection. Leaves out forgotten sessions, and entries that a
 * branch copied, because the original session has them.
 */
export class DatabaseKeepers extends SqliteStore {
  // Rows are read as arrays, because arrays cost half as much as objects and these rows are read at each synchronisation.
  readonly #selectSessions = this.sql
    .prepare<[string], [id: string, title: string, updatedAt: number, nextSeq: number]>(
      `SELECT id, title, updated_at, next_seq FROM sessions
       WHERE source = 'chat' AND agent = ? AND id NOT IN (SELECT session_id FROM memory_forgotten)
         AND NOT EXISTS (SELECT 1 FROM runs WHERE session_id = sessions.id AND status <> 'ended')`,
    )
    .raw()
  readonly #selectEntries = this.sql.prepare<[string], Row>(
    `SELECT body, type, seq, run_id AS runId FROM entries
     WHERE session_id = ? AND seq >= (SELECT copied_below FROM sessions WHERE id = session_id) AND type IN ('user', 'assistant', 'tool_result', 'tool_use', 'confirm_resolved', 'blocked') ORDER BY seq`,
  )
  readonly #selectDays = this.sql.prepare<[number], { day: string; last: number; at: number }>(
    `SELECT strftime('%Y-%m-%d', at / 1000, 'unixepoch', 'localtime') AS day, MAX(seq) AS last, MAX(at) AS at
     FROM journal WHERE kind = 'result' AND at > ? GROUP BY day`,
  )
  readonly #selectResults = this.sql.prepare<[string, string], { at: number; body: string; asked: string | null }>(
    `SELECT results.at, results.body,
       (SELECT body FROM journal AS asked WHERE asked.kind = 'execution' AND asked.seq < results.seq
          AND asked.body ->> '$.toolUseId' = results.body ->> '$.toolUseId' AND asked.seq > results.seq - 200
        ORDER BY asked.seq DESC LIMIT 1) AS asked
     FROM journal AS results
     WHERE kind = 'result' AND at >= unixepoch(?, 'utc') * 1000 AND at < unixepoch(?, '+1 day', 'utc') * 1000 ORDER BY seq`,
  )
  readonly #selectRedacted = this.sql.prepare<[string], string>('SELECT value FROM settings WHERE key = ?').pluck()
  readonly #selectAgents = this.sql.prepare<[], string>('SELECT DISTINCT agent FROM sessions').pluck()

  readonly journal: Keeper = {
    kind: 'journal',
    list: () =>
      this.#selectDays.all(Date.now() - journalDays * 86_400_000).map(({ day, last, at }) => ({
        name: `journal/${day}`,
        title: `Journal of ${day}`,
        checksum: String(last),
        changedAt: at,
        read: () => ({ parts: outcomes(day, this.#selectResults.all(day, day)) }),
      })),
  }

  constructor(path: string) {
    super({ sql: readOnly(path) })
  }

  /** The keeper of the conversations with one agent. */
  sessionsOf(agent: string): Keeper {
    return { kind: kindOf('session', agent), list: () => this.#sessions(agent) }
  }

  /** The agents that have conversations. */
  agents(): string[] {
    return this.#selectAgents.all()
  }

  close(): void {
    this.sql.close()
  }

  *#sessions(agent: string): Generator<Listed> {
    // Arguments that an earlier release stored may contain secrets. Until they are redacted, calls are remembered without arguments.
    const areSafe = this.#selectRedacted.get(inputsRedacted) === 'all'
    for (const [id, title, updatedAt, nextSeq] of this.#selectSessions.all(agent)) {
      yield {
        name: id,
        title,
        checksum: `${nextSeq} ${areSafe ? '' : 'no inputs '}${title}`,
        changedAt: updatedAt,
        read: () => ({ parts: dialogue(this.#selectEntries.all(id), areSafe) }),
      }
    }
  }
}

function readOnly(path: string): Sqlite.Database {
  const sql = new Sqlite(path, { readonly: true, fileMustExist: true })
  sql.pragma(`cache_size = -${cacheKib}`)
  return sql
}

/**
 * Splits a session into the words that people and the model said, and the outputs of tools, because others wrote the outputs. Lines are positions in
 * the session. All text is indexed by words. Only the operator's question and the beginning of the last answer are embedded, because embeddings are
 * expensive.
 */
function dialogue(rows: readonly Row[], areInputsSafe: boolean): TextPart[] {
  const found: TextPart[] = []
  const calls = new Map<string, string>()
  let said: string[] = []
  let asked = ''
  let answered = ''
  let run = ''
  let firstLine = 1
  let at: number | undefined
  const flush = () => {
    const meaning = `${beginning(asked)}\n${beginning(answered)}`.trim()
    if (said.length > 0) found.push({ text: said.join('\n'), isFromTools: false, firstLine, meaning, at })
    said = []
    asked = ''
    answered = ''
  }
  for (const row of rows) {
    if (row.runId !== run) {
      flush()
      run = row.runId
      firstLine = row.seq + 1
      at = undefined
    }
    if (row.type === 'tool_use') continue
    const entry = Entry.safeParse({ ...JSON.parse(row.body), type: row.type, seq: row.seq, runId: row.runId }).data
    at ??= entry?.at
    if (entry?.type === 'user') {
      said.push(`Operator: ${entry.text}`)
      asked = entry.text
    } else if (entry?.type === 'assistant') {
      for (const item of entry.content) {
        if (item.type === 'text' && item.text.trim() !== '') {
          said.push(`JARVIS: ${item.text}`)
          answered = item.text
        }
        if (item.type === 'tool_call') {
          const input = areInputsSafe ? ` ${JSON.stringify(item.toolInput)}` : ''
          calls.set(item.toolUseId, item.toolName + input)
        }
      }
    } else if (entry?.type === 'tool_result') {
      const text = `${calls.get(entry.toolUseId) ?? 'A tool'}: ${entry.summary}\n${entry.result.slice(0, outputChars)}`
      found.push({ text, isFromTools: true, firstLine: row.seq + 1, meaning: '', at: entry.at })
    } else if (entry?.type === 'blocked') said.push(`Refused: ${entry.toolName}. ${entry.reason}`)
    else if (entry?.type === 'confirm_resolved') {
      said.push(`${entry.decision} by ${entry.by}${entry.note === undefined ? '' : `: ${entry.note}`}`)
    }
  }
  flush()
  return found
}

type Row = { body: string; type: string; seq: number; runId: string }

/** The first sentence, cut to `meaningChars`. */
function beginning(text: string): string {
  const [first = ''] = text.trim().split(/(?<=[.!?])\s|\n/, 1)
  return first.slice(0, meaningChars)
}

type Result = {
  toolName?: string
  outcome?: string
  summary?: string
  sessionId?: string
  requestedBy?: { agent?: string }
}
type Asked = { toolInput?: unknown; requestedBy?: { name?: string } }

function outcomes(day: string, rows: readonly { at: number; body: string; asked: string | null }[]): TextPart[] {
  const lines = rows.flatMap(({ at, body, asked }) => {
    const {
      toolName = 'a tool',
      outcome = 'unknown',
      summary = '',
      sessionId,
      requestedBy: by,
    } = JSON.parse(body) as Result
    // Leave out memory calls of another agent, because they concern that agent's memory.
    if (by?.agent !== undefined && toolName.startsWith('memory_')) return []
    const { toolInput, requestedBy } = (asked === null ? {} : JSON.parse(asked)) as Asked
    const input = toolInput === undefined ? '' : ` ${JSON.stringify(toolInput)}`
    // The session's id lets a reader find out that the session's words are the operator's.
    const place = sessionId === undefined ? '' : ` in ${sessionId}`
    return `- ${day} ${timeOfDay(at)} ${toolName}${input}, asked by ${requestedBy?.name ?? 'nobody known'}${place}: ${outcome}. ${summary}`
  })
  // A summary may quote text from the cluster, so the text counts as from tools.
  return lines.length === 0 ? [] : [{ text: lines.join('\n'), isFromTools: true, meaning: '' }]
}
