import type { Approvals, Card, ConfirmationRow, Decision, ToolInput } from 'protocol'
import type {
  Claim,
  ConfirmationStore,
  Execution,
  ExecutionStore,
  Outcome,
  Resolution,
  StoredConfirmation,
} from '../../../calls/ports.ts'
import type { Database } from '../database.ts'
import type { HeldInputs } from '../sessions/held-inputs.ts'
import { SqliteStore } from '../sqlite-store.ts'

type Row = {
  tool_use_id: string
  session_id: string
  run_id: string
  card: string
  binding_hash: string
  call_key: string
  decision: Decision | null
  decided_by: string | null
  decided_at: number | null
  note: string | null
  replaced_by: string | null
  alternative: string | null
  via: string | null
  lifted_at: number | null
}

const toStored = (row: Row) => ({
  card: JSON.parse(row.card) as Card,
  sessionId: row.session_id,
  runId: row.run_id,
  bindingHash: row.binding_hash,
  callKey: row.call_key,
})
const toResolution = (row: Row) =>
  row.decision === null
    ? undefined
    : {
        decision: row.decision,
        by: row.decided_by ?? '',
        at: row.decided_at ?? 0,
        ...(row.note === null ? {} : { note: row.note }),
        ...(row.replaced_by === null ? {} : { replacedBy: row.replaced_by }),
        ...(row.via === null ? {} : { via: row.via }),
        ...(row.alternative === null
          ? {}
          : { alternative: JSON.parse(row.alternative) as NonNullable<Resolution['alternative']> }),
      }

const withResolution = (row: Row) => {
  const resolution = toResolution(row)
  return { ...toStored(row), ...(resolution && { resolution }) }
}

function toListed(row: Row & { outcome?: Outcome | null }): ConfirmationRow {
  const resolution = toResolution(row)
  return {
    ...(JSON.parse(row.card) as Card),
    sessionId: row.session_id,
    ...(resolution && { decision: resolution.decision, decidedBy: resolution.by, decidedAt: resolution.at }),
    ...(resolution?.note === undefined ? {} : { note: resolution.note }),
    ...(resolution?.replacedBy === undefined ? {} : { replacedBy: resolution.replacedBy }),
    ...(resolution?.via !== undefined && { via: resolution.via }),
    ...(row.lifted_at !== null && { liftedAt: row.lifted_at }),
    ...(row.outcome != null && { outcome: row.outcome }),
  }
}

type Resolved = StoredConfirmation & { resolution?: Resolution }
type Alternative = NonNullable<Resolution['alternative']>

export class SqliteConfirmationStore extends SqliteStore implements ConfirmationStore {
  readonly #held: HeldInputs | undefined
  readonly #insert = this.sql.prepare(
    `INSERT INTO confirmations (tool_use_id, call_id, call_key, session_id, run_id, card, binding_hash, created_at,
       seen_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  readonly #select = this.sql.prepare<[string], Row>('SELECT * FROM confirmations WHERE tool_use_id = ?')
  readonly #selectOfCall = this.sql.prepare<[string], Row>(
    'SELECT * FROM confirmations WHERE call_id = ? ORDER BY rowid DESC LIMIT 1',
  )
  readonly #selectDenied = this.sql.prepare<[object], Row>(
    `SELECT * FROM confirmations
     WHERE call_key = @callKey AND decision = 'denied' AND lifted_at IS NULL AND decided_at >= @since
       AND (@runIds IS NULL OR run_id IN (SELECT value FROM json_each(@runIds))) AND (@sessionId IS NULL OR session_id = @sessionId)
       AND (@token IS NULL OR json_extract(card, '$.requestedBy.token') = @token)
     ORDER BY decided_at DESC LIMIT 1`,
  )
  readonly #update = this.sql.prepare(
    `UPDATE confirmations SET decision = ?, decided_by = ?, decided_at = ?, note = ?, replaced_by = ?, alternative = ?, via = ?
     WHERE tool_use_id = ? AND decision IS NULL`,
  )
  readonly #liftDenials = this.sql.prepare(
    `UPDATE confirmations SET lifted_at = @at
     WHERE decision = 'denied' AND lifted_at IS NULL
       AND (call_key, session_id) = (SELECT call_key, session_id FROM confirmations
         WHERE tool_use_id = @toolUseId AND decision = 'denied' AND lifted_at IS NULL)`,
  )
  readonly #updateApprovals = this.sql.prepare(
    `UPDATE confirmations SET card = json_set(card, '$.approvals', json(?)) WHERE tool_use_id = ?`,
  )
  readonly #selectUnseen = this.sql.prepare<[], Row>(
    'SELECT * FROM confirmations WHERE decision IS NULL AND seen_at IS NULL',
  )
  readonly #updateSeen = this.sql.prepare(
    `UPDATE confirmations SET seen_at = ?, expires_at = ?, card = json_set(card, '$.expiresAt', ?)
     WHERE tool_use_id = ?`,
  )
  readonly #selectPending = this.sql.prepare<[], Row>(
    'SELECT * FROM confirmations WHERE decision IS NULL ORDER BY expires_at',
  )
  readonly #selectPendingOf = this.sql.prepare<[string], Row>(
    'SELECT * FROM confirmations WHERE session_id = ? AND decision IS NULL ORDER BY created_at, rowid',
  )
  readonly #selectDecided = this.sql.prepare<[number], Row & { outcome: Outcome | null }>(
    `SELECT confirmations.*, executions.outcome FROM confirmations
     LEFT JOIN executions ON executions.tool_use_id = confirmations.call_id AND confirmations.decision = 'approved'
     WHERE decided_at >= ? ORDER BY decided_at DESC LIMIT 200`,
  )
  readonly #countPending = this.sql.prepare<[], { id: string; count: number }>(
    'SELECT session_id AS id, COUNT(*) AS count FROM confirmations WHERE decision IS NULL GROUP BY session_id',
  )

  /** @param held removes secrets from an alternative call that an operator makes instead; absent: the call is stored and read unchanged */
  constructor(database: Database, held?: HeldInputs) {
    super(database)
    this.#held = held
  }

  add({ card, sessionId, runId, bindingHash, callKey, seenAt }: StoredConfirmation): void {
    this.#insert.run(
      card.toolUseId,
      card.callId ?? card.toolUseId,
      callKey,
      sessionId,
      runId,
      JSON.stringify(card),
      bindingHash,
      card.createdAt,
      seenAt ?? null,
      card.expiresAt,
    )
  }

  get(toolUseId: string): Resolved | undefined {
    const row = this.#select.get(toolUseId)
    return row && this.#withReal(withResolution(row))
  }

  ofCall(callId: string): Resolved | undefined {
    const row = this.#selectOfCall.get(callId)
    return row && this.#withReal(withResolution(row))
  }

  denied(callKey: string, where: Parameters<ConfirmationStore['denied']>[1]): Resolution | undefined {
    const anywhere = { callKey, runIds: null, sessionId: null, token: null, since: 0 }
    const row = this.#selectDenied.get(
      'runIds' in where ? { ...anywhere, runIds: JSON.stringify(where.runIds) } : { ...anywhere, ...where },
    )
    return row && toResolution(row)
  }

  lift(toolUseId: string, at: number): boolean {
    return this.#liftDenials.run({ toolUseId, at }).changes > 0
  }

  resolve(toolUseId: string, { decision, by, at, note, replacedBy, alternative, via }: Resolution): boolean {
    const other = alternative === undefined ? null : JSON.stringify(this.#redacted(toolUseId, alternative))
    const decided = [decision, by, at, note ?? null, replacedBy ?? null, other, via ?? null]
    return this.#update.run(...decided, toolUseId).changes === 1
  }

  setApprovals(toolUseId: string, approvals: Approvals): void {
    this.#updateApprovals.run(JSON.stringify(approvals), toolUseId)
  }

  unseen(sessionId?: string): StoredConfirmation[] {
    return this.#selectUnseen
      .all()
      .filter((row) => sessionId === undefined || row.session_id === sessionId)
      .map(toStored)
  }

  see(toolUseId: string, at: number, expiresAt: number): void {
    this.#updateSeen.run(at, expiresAt, expiresAt, toolUseId)
  }

  pending(sessionId?: string): StoredConfirmation[] {
    return (sessionId === undefined ? this.#selectPending.all() : this.#selectPendingOf.all(sessionId)).map(toStored)
  }

  list(since: number): ConfirmationRow[] {
    return [...this.#selectPending.all(), ...this.#selectDecided.all(since)].map(toListed)
  }

  pendingCounts(): Map<string, number> {
    return new Map(this.#countPending.all().map(({ id, count }) => [id, count]))
  }

  /** The alternative as it is stored. Its real arguments are sealed until the run has ended. */
  #redacted(toolUseId: string, alternative: Alternative): Alternative {
    const row = this.#select.get(toolUseId)
    if (row === undefined || this.#held === undefined) return alternative
    const of = { sessionId: row.session_id, runId: row.run_id }
    const [call] = this.#held.hold(of, [{ type: 'tool_call', ...alternative }])
    return { ...alternative, ...(call?.type === 'tool_call' && { toolInput: call.toolInput }) }
  }

  #withReal({ resolution, ...known }: Resolved): Resolved {
    const real = resolution?.alternative && this.#held?.realOf(resolution.alternative.toolUseId)
    if (resolution?.alternative === undefined || real === undefined)
      return { ...known, ...(resolution && { resolution }) }
    return { ...known, resolution: { ...resolution, alternative: { ...resolution.alternative, ...real } } }
  }
}

type ClaimRow = {
  sessionId: string
  runId: string
  toolName: string
  toolInput: string
  startedAt: number
  upid: string | null
  outcome: Outcome | null
}

export class SqliteExecutionStore extends SqliteStore implements ExecutionStore {
  readonly #insert = this.sql.prepare(
    `INSERT INTO executions (tool_use_id, session_id, run_id, tool_name, tool_input, tier, binding_hash, started_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  readonly #select = this.sql.prepare<[string], ClaimRow>(
    `SELECT session_id AS sessionId, run_id AS runId, tool_name AS toolName, tool_input AS toolInput,
       started_at AS startedAt, upid, outcome
     FROM executions WHERE tool_use_id = ?`,
  )
  readonly #update = this.sql.prepare('UPDATE executions SET settled_at = ?, outcome = ? WHERE tool_use_id = ?')
  readonly #selectOthers = this.sql.prepare<[string], Pick<ClaimRow, 'upid' | 'outcome'>>(
    `SELECT other.upid, other.outcome FROM executions AS own JOIN executions AS other
       ON other.tool_use_id <> own.tool_use_id
     LEFT JOIN changes AS own_change ON own_change.id = own.tool_use_id
     LEFT JOIN changes AS other_change ON other_change.id = other.tool_use_id
     WHERE own.tool_use_id = ?
       -- An undo names a change, and no guest.
       AND (other.tool_input ->> '$.vmid' = own.tool_input ->> '$.vmid'
         OR (other_change.target = own_change.target AND own_change.target <> ''))`,
  )
  readonly #selectUpids = this.sql
    .prepare<[number], string>('SELECT upid FROM executions WHERE started_at >= ? AND upid IS NOT NULL')
    .pluck()
  readonly #setTask = this.sql.prepare('UPDATE executions SET upid = ? WHERE tool_use_id = ?')

  claim({ toolUseId, sessionId, runId, toolName, toolInput, tier, bindingHash, at }: Claim): void {
    this.#insert.run(toolUseId, sessionId, runId, toolName, JSON.stringify(toolInput), tier, bindingHash, at)
  }

  get(toolUseId: string): Execution | undefined {
    const row = this.#select.get(toolUseId)
    if (row === undefined) return undefined
    const { upid, outcome, toolInput, ...known } = row
    const input = JSON.parse(toolInput) as ToolInput
    return { ...known, toolInput: input, ...(upid !== null && { upid }), ...(outcome !== null && { outcome }) }
  }

  noteTask(toolUseId: string, upid: string): void {
    this.#setTask.run(upid, toolUseId)
  }

  settle(toolUseId: string, at: number, outcome: Outcome): void {
    this.#update.run(at, outcome, toolUseId)
  }

  upids(since: number): ReadonlySet<string> {
    return new Set(this.#selectUpids.all(since))
  }

  others(toolUseId: string): ReturnType<ExecutionStore['others']> {
    const rows = this.#selectOthers.all(toolUseId)
    return {
      upids: new Set(rows.flatMap(({ upid }) => upid ?? [])),
      open: rows.filter(({ upid, outcome }) => upid === null && (outcome === null || outcome === 'unknown')).length,
    }
  }
}
