import type { GrantScope, Principal, Target, ToolInput } from 'protocol'
import type { GrantStore, StoredGrant } from '../../../calls/ports.ts'
import { SqliteStore } from '../sqlite-store.ts'

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

export class SqliteGrantStore extends SqliteStore implements GrantStore {
  readonly #insert = this.sql.prepare(
    `INSERT INTO grants (id, key, tool_name, tool_input, target, rule, requested_by, by, tool_use_id, created_at,
       expires_at, uses, uses_left, scope)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  readonly #selectLive = this.sql.prepare<[], Row>(
    `SELECT ${columns} FROM grants WHERE ended_at IS NULL ORDER BY rowid`,
  )
  // `created_at` is compared too, so that setting the clock back does not extend a grant.
  readonly #selectCovering = this.sql.prepare<[object], Row>(
    `SELECT ${columns} FROM grants WHERE key = @key AND ended_at IS NULL AND created_at <= @at AND expires_at > @at
     ORDER BY expires_at, rowid`,
  )
  readonly #take = this.sql.prepare<[object], { usesLeft: number }>(
    `UPDATE grants SET uses_left = uses_left - 1, ended_at = CASE uses_left WHEN 1 THEN @at END
     WHERE id = @id AND key = @key AND ended_at IS NULL AND uses_left > 0 AND created_at <= @at AND expires_at > @at
     RETURNING uses_left AS usesLeft`,
  )
  readonly #setEnded = this.sql.prepare<[number, string], Row>(
    `UPDATE grants SET ended_at = ? WHERE id = ? AND ended_at IS NULL RETURNING ${columns}`,
  )

  add(grant: StoredGrant): void {
    this.#insert.run(
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
    )
  }

  live(): StoredGrant[] {
    return this.#selectLive.all().map(toGrant)
  }

  covering(key: string, at: number, reserved: (id: string) => number): StoredGrant | undefined {
    const row = this.#selectCovering.all({ key, at }).find(({ id, usesLeft }) => usesLeft > reserved(id))
    return row && toGrant(row)
  }

  use(id: string, key: string, at: number): number | undefined {
    return this.#take.get({ at, id, key })?.usesLeft
  }

  end(id: string, at: number): StoredGrant | undefined {
    const row = this.#setEnded.get(at, id)
    return row && toGrant(row)
  }
}
