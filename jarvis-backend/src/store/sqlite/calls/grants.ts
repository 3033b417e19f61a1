import type { GrantScope, Principal, Target, ToolInput } from 'protocol'
import type { GrantStore, StoredGrant } from '../../../calls/ports.ts'
import type { Database } from '../database.ts'

type Row = Omit<StoredGrant, 'toolInput' | 'target' | 'requestedBy' | 'forHelpers' | 'scope'> & {
  toolInput: string
  target: string
  requestedBy: string
  scope: string | null
}
/** The principals that a grant serves, read from its row. */
type Served = Principal & Pick<StoredGrant, 'forHelpers'>
const servedBy = ({ requestedBy, forHelpers }: StoredGrant): Served => ({
  ...requestedBy,
  ...(forHelpers && { forHelpers }),
})

const columns = `id, key, tool_name AS toolName, tool_input AS toolInput, target, rule, requested_by AS requestedBy, by,
  tool_use_id AS toolUseId, created_at AS createdAt, expires_at AS expiresAt, uses, uses_left AS usesLeft, scope`

function toGrant({ scope, ...row }: Row): StoredGrant {
  const { forHelpers, ...requestedBy } = JSON.parse(row.requestedBy) as Served
  return {
    ...row,
    toolInput: JSON.parse(row.toolInput) as ToolInput,
    target: JSON.parse(row.target) as Target,
    requestedBy,
    ...(forHelpers && { forHelpers }),
    ...(scope !== null && { scope: JSON.parse(scope) as GrantScope }),
  }
}

export function createGrantStore({ sql }: Database): GrantStore {
  const insert = sql.prepare(
    `INSERT INTO grants (id, key, tool_name, tool_input, target, rule, requested_by, by, tool_use_id, created_at,
       expires_at, uses, uses_left, scope)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const selectLive = sql.prepare<[], Row>(`SELECT ${columns} FROM grants WHERE ended_at IS NULL ORDER BY rowid`)
  // `created_at` is compared too, so that setting the clock back does not extend a grant.
  const selectCovering = sql.prepare<[object], Row>(
    `SELECT ${columns} FROM grants WHERE key = @key AND ended_at IS NULL AND created_at <= @at AND expires_at > @at
     ORDER BY expires_at, rowid`,
  )
  const take = sql.prepare<[object], { usesLeft: number }>(
    `UPDATE grants SET uses_left = uses_left - 1, ended_at = CASE uses_left WHEN 1 THEN @at END
     WHERE id = @id AND key = @key AND ended_at IS NULL AND uses_left > 0 AND created_at <= @at AND expires_at > @at
     RETURNING uses_left AS usesLeft`,
  )
  const setEnded = sql.prepare<[number, string], Row>(
    `UPDATE grants SET ended_at = ? WHERE id = ? AND ended_at IS NULL RETURNING ${columns}`,
  )
  return {
    add: (grant) =>
      void insert.run(
        grant.id,
        grant.key,
        grant.toolName,
        JSON.stringify(grant.toolInput),
        JSON.stringify(grant.target),
        grant.rule,
        JSON.stringify(servedBy(grant)),
        grant.by,
        grant.toolUseId,
        grant.createdAt,
        grant.expiresAt,
        grant.uses,
        grant.usesLeft,
        grant.scope === undefined ? null : JSON.stringify(grant.scope),
      ),
    live: () => selectLive.all().map(toGrant),
    covering(key, at, reserved) {
      const row = selectCovering.all({ key, at }).find(({ id, usesLeft }) => usesLeft > reserved(id))
      return row && toGrant(row)
    },
    use: (id, key, at) => take.get({ at, id, key })?.usesLeft,
    end(id, at) {
      const row = setEnded.get(at, id)
      return row && toGrant(row)
    },
  }
}
