import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { PowerRequest } from 'homelab-ports/ports'
import type { ToolCall } from 'protocol'
import type { StoredEntry } from '../../src/agent/sessions/transcript-store.ts'
import type { ClusterRequest } from './fake-cluster.ts'

export type JournalRow = { seq: number; at: number; kind: string; body: string; hash: string }
export type ExecutionRow = { toolUseId: string; startedAt: number; settledAt: number | null }
export type ConfirmationRow = { toolUseId: string; decision: string | null; by: string | null; expiresAt: number }
export type SessionEntry = StoredEntry & { sessionId: string }

/** Reads the data dir of a dead server without the server's code and without changing it. */
export function readDatabase(dataDir: string) {
  const sql = new Sqlite(join(dataDir, 'jarvis.db'), { readonly: true })
  try {
    const all = <Row>(query: string) => sql.prepare<[], Row>(query).all()
    const entries = all<{ sessionId: string; seq: number; runId: string; type: string; body: string }>(
      'SELECT session_id AS sessionId, seq, run_id AS runId, type, body FROM entries ORDER BY session_id, seq',
    ).map(({ body, ...row }) => ({ ...JSON.parse(body), ...row }) as SessionEntry)
    return {
      entries,
      calls: entries.flatMap((entry) =>
        entry.type === 'assistant' ? entry.content.filter((item) => item.type === 'tool_call') : [],
      ),
      journal: all<JournalRow>('SELECT seq, at, kind, body, hash FROM journal ORDER BY seq'),
      executions: all<ExecutionRow>(
        'SELECT tool_use_id AS toolUseId, started_at AS startedAt, settled_at AS settledAt FROM executions ORDER BY started_at, rowid',
      ),
      confirmations: all<ConfirmationRow>(
        'SELECT tool_use_id AS toolUseId, decision, decided_by AS by, expires_at AS expiresAt FROM confirmations',
      ),
      unfinishedRuns: all<{ id: string; messageId: string }>(
        "SELECT id, origin ->> '$.messageId' AS messageId FROM runs WHERE status <> 'ended'",
      ),
    }
  } finally {
    sql.close()
  }
}
export type Evidence = ReturnType<typeof readDatabase>

/** The kinds of all that calls write, without the ids and times in which two lives differ. */
export function kindsIn(dataDir: string) {
  const { entries, journal, executions, confirmations, unfinishedRuns } = readDatabase(dataDir)
  const lines = join(dataDir, 'lines')
  return {
    entries: entries.map(({ type }) => type).sort(),
    journal: journal.map(({ kind }) => kind),
    executions: executions.map(({ settledAt }) => (settledAt === null ? 'begun' : 'settled')),
    confirmations: confirmations.map(({ decision }) => decision),
    unfinishedRuns: unfinishedRuns.length,
    lines: existsSync(lines) ? readFileSync(lines, 'utf8').split('\n').length - 1 : 0,
  }
}

/** Requests that reached the cluster so far, oldest first. */
export const readRequests = (path: string): ClusterRequest[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as ClusterRequest)
    : []

/** @returns the first entry that does not follow from the one before it. */
export function brokenAt(journal: readonly JournalRow[]): number | undefined {
  let previous = '0'.repeat(64)
  let place = 0
  for (const { seq, at, kind, body, hash } of journal) {
    place += 1
    const expected = createHash('sha256').update(`${previous}\n${seq}\n${at}\n${kind}\n${body}`).digest('hex')
    if (seq !== place || hash !== expected) return seq
    previous = hash
  }
  return undefined
}

const actionOf = ({ toolName }: ToolCall) => toolName.replace(/_.*/, '')

/**
 * Whose each changing request was. A guest is named by few calls, so it is the call of that kind on that guest which
 * was claimed last before; where none was, any of that kind.
 */
export function matchRequests(requests: readonly ClusterRequest[], { calls, executions }: Evidence) {
  const byCall = new Map<string, ClusterRequest[]>()
  const strays: ClusterRequest[] = []
  const startedAt = new Map(executions.map((row) => [row.toolUseId, row.startedAt]))
  for (const request of requests) {
    const { vmid, action } = request.args[0] as Partial<PowerRequest>
    const likely = calls.filter((call) => call.toolInput.vmid === vmid && actionOf(call) === action)
    const claimed = likely.filter(
      ({ toolUseId }) => (startedAt.get(toolUseId) ?? Number.POSITIVE_INFINITY) <= request.at,
    )
    const [owner] = (claimed.length > 0 ? claimed : likely).sort(
      (a, b) => (startedAt.get(b.toolUseId) ?? 0) - (startedAt.get(a.toolUseId) ?? 0),
    )
    if (owner === undefined) strays.push(request)
    else byCall.set(owner.toolUseId, [...(byCall.get(owner.toolUseId) ?? []), request])
  }
  return { byCall, strays }
}
