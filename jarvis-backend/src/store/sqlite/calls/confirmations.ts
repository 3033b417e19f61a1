import type { Card, ConfirmationRow, Decision, ToolInput } from 'protocol'
import type { ConfirmationStore, ExecutionStore, Outcome, Resolution } from '../../../calls/ports.ts'
import type { Database } from '../database.ts'
import type { HeldInputs } from '../sessions/held-inputs.ts'

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

/** @param held keeps secrets out of the call that an operator makes instead; absent: it is stored as it comes, and read as it is stored */
export function createConfirmationStore({ sql }: Database, held?: HeldInputs): ConfirmationStore {
  /** As it is stored: the real arguments lie sealed until the run has ended. */
  function redacted(toolUseId: string, alternative: NonNullable<Resolution['alternative']>) {
    const row = select.get(toolUseId)
    if (row === undefined || held === undefined) return alternative
    const [call] = held.hold(row.session_id, row.run_id, [{ type: 'tool_call', ...alternative }])
    return { ...alternative, ...(call?.type === 'tool_call' && { toolInput: call.toolInput }) }
  }
  const withReal = ({ resolution, ...known }: ReturnType<typeof withResolution>) => {
    const real = resolution?.alternative && held?.realOf(resolution.alternative.toolUseId)
    if (resolution?.alternative === undefined || real === undefined)
      return { ...known, ...(resolution && { resolution }) }
    return { ...known, resolution: { ...resolution, alternative: { ...resolution.alternative, ...real } } }
  }
  const insert = sql.prepare(
    `INSERT INTO confirmations (tool_use_id, call_id, call_key, session_id, run_id, card, binding_hash, created_at,
       seen_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const select = sql.prepare<[string], Row>('SELECT * FROM confirmations WHERE tool_use_id = ?')
  const selectOfCall = sql.prepare<[string], Row>(
    'SELECT * FROM confirmations WHERE call_id = ? ORDER BY rowid DESC LIMIT 1',
  )
  const selectDenied = sql.prepare<[object], Row>(
    `SELECT * FROM confirmations
     WHERE call_key = @callKey AND decision = 'denied' AND lifted_at IS NULL AND decided_at >= @since
       AND (@runIds IS NULL OR run_id IN (SELECT value FROM json_each(@runIds))) AND (@sessionId IS NULL OR session_id = @sessionId)
       AND (@token IS NULL OR json_extract(card, '$.requestedBy.token') = @token)
     ORDER BY decided_at DESC LIMIT 1`,
  )
  const update = sql.prepare(
    `UPDATE confirmations SET decision = ?, decided_by = ?, decided_at = ?, note = ?, replaced_by = ?, alternative = ?, via = ?
     WHERE tool_use_id = ? AND decision IS NULL`,
  )
  const liftDenials = sql.prepare(
    `UPDATE confirmations SET lifted_at = @at
     WHERE decision = 'denied' AND lifted_at IS NULL
       AND (call_key, session_id) = (SELECT call_key, session_id FROM confirmations
         WHERE tool_use_id = @toolUseId AND decision = 'denied' AND lifted_at IS NULL)`,
  )
  const updateApprovals = sql.prepare(
    `UPDATE confirmations SET card = json_set(card, '$.approvals', json(?)) WHERE tool_use_id = ?`,
  )
  const selectUnseen = sql.prepare<[], Row>('SELECT * FROM confirmations WHERE decision IS NULL AND seen_at IS NULL')
  const updateSeen = sql.prepare(
    `UPDATE confirmations SET seen_at = ?, expires_at = ?, card = json_set(card, '$.expiresAt', ?)
     WHERE tool_use_id = ?`,
  )
  const selectPending = sql.prepare<[], Row>('SELECT * FROM confirmations WHERE decision IS NULL ORDER BY expires_at')
  const selectPendingOf = sql.prepare<[string], Row>(
    'SELECT * FROM confirmations WHERE session_id = ? AND decision IS NULL ORDER BY created_at, rowid',
  )
  const selectDecided = sql.prepare<[number], Row & { outcome: Outcome | null }>(
    `SELECT confirmations.*, executions.outcome FROM confirmations
     LEFT JOIN executions ON executions.tool_use_id = confirmations.call_id AND confirmations.decision = 'approved'
     WHERE decided_at >= ? ORDER BY decided_at DESC LIMIT 200`,
  )
  const countPending = sql.prepare<[], { id: string; count: number }>(
    'SELECT session_id AS id, COUNT(*) AS count FROM confirmations WHERE decision IS NULL GROUP BY session_id',
  )
  const toListed = (row: Row & { outcome?: Outcome | null }): ConfirmationRow => {
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

  return {
    add: ({ card, sessionId, runId, bindingHash, callKey, seenAt }) =>
      void insert.run(
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
      ),
    get(toolUseId) {
      const row = select.get(toolUseId)
      return row && withReal(withResolution(row))
    },
    ofCall(callId) {
      const row = selectOfCall.get(callId)
      return row && withReal(withResolution(row))
    },
    denied(callKey, where) {
      const anywhere = { callKey, runIds: null, sessionId: null, token: null, since: 0 }
      const row = selectDenied.get(
        'runIds' in where ? { ...anywhere, runIds: JSON.stringify(where.runIds) } : { ...anywhere, ...where },
      )
      return row && toResolution(row)
    },
    lift: (toolUseId, at) => liftDenials.run({ toolUseId, at }).changes > 0,
    resolve(toolUseId, { decision, by, at, note, replacedBy, alternative, via }) {
      const other = alternative === undefined ? null : JSON.stringify(redacted(toolUseId, alternative))
      return update.run(decision, by, at, note ?? null, replacedBy ?? null, other, via ?? null, toolUseId).changes === 1
    },
    setApprovals: (toolUseId, approvals) => void updateApprovals.run(JSON.stringify(approvals), toolUseId),
    unseen: (sessionId) =>
      selectUnseen
        .all()
        .filter((row) => sessionId === undefined || row.session_id === sessionId)
        .map(toStored),
    see: (toolUseId, at, expiresAt) => void updateSeen.run(at, expiresAt, expiresAt, toolUseId),
    pending: (sessionId) =>
      (sessionId === undefined ? selectPending.all() : selectPendingOf.all(sessionId)).map(toStored),
    list: (since) => [...selectPending.all(), ...selectDecided.all(since)].map(toListed),
    pendingCounts: () => new Map(countPending.all().map(({ id, count }) => [id, count])),
  }
}

export function createExecutionStore({ sql }: Database): ExecutionStore {
  type ClaimRow = {
    sessionId: string
    runId: string
    toolName: string
    toolInput: string
    startedAt: number
    upid: string | null
    outcome: Outcome | null
  }
  const insert = sql.prepare(
    `INSERT INTO executions (tool_use_id, session_id, run_id, tool_name, tool_input, tier, binding_hash, started_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const select = sql.prepare<[string], ClaimRow>(
    `SELECT session_id AS sessionId, run_id AS runId, tool_name AS toolName, tool_input AS toolInput,
       started_at AS startedAt, upid, outcome
     FROM executions WHERE tool_use_id = ?`,
  )
  const update = sql.prepare('UPDATE executions SET settled_at = ?, outcome = ? WHERE tool_use_id = ?')
  const selectOthers = sql.prepare<[string], Pick<ClaimRow, 'upid' | 'outcome'>>(
    `SELECT other.upid, other.outcome FROM executions AS own JOIN executions AS other
       ON other.tool_use_id <> own.tool_use_id
     LEFT JOIN changes AS own_change ON own_change.id = own.tool_use_id
     LEFT JOIN changes AS other_change ON other_change.id = other.tool_use_id
     WHERE own.tool_use_id = ?
       -- An undo names a change, and no guest.
       AND (other.tool_input ->> '$.vmid' = own.tool_input ->> '$.vmid'
         OR (other_change.target = own_change.target AND own_change.target <> ''))`,
  )
  const selectUpids = sql
    .prepare<[number], string>('SELECT upid FROM executions WHERE started_at >= ? AND upid IS NOT NULL')
    .pluck()
  const setTask = sql.prepare('UPDATE executions SET upid = ? WHERE tool_use_id = ?')
  return {
    claim: ({ toolUseId, sessionId, runId, toolName, toolInput, tier, bindingHash, at }) =>
      void insert.run(toolUseId, sessionId, runId, toolName, JSON.stringify(toolInput), tier, bindingHash, at),
    get(toolUseId) {
      const row = select.get(toolUseId)
      if (row === undefined) return undefined
      const { upid, outcome, toolInput, ...known } = row
      const input = JSON.parse(toolInput) as ToolInput
      return { ...known, toolInput: input, ...(upid !== null && { upid }), ...(outcome !== null && { outcome }) }
    },
    noteTask: (toolUseId, upid) => void setTask.run(upid, toolUseId),
    settle: (toolUseId, at, outcome) => void update.run(at, outcome, toolUseId),
    upids: (since) => new Set(selectUpids.all(since)),
    others(toolUseId) {
      const rows = selectOthers.all(toolUseId)
      return {
        upids: new Set(rows.flatMap(({ upid }) => upid ?? [])),
        open: rows.filter(({ upid, outcome }) => upid === null && (outcome === null || outcome === 'unknown')).length,
      }
    },
  }
}
