import type { ChangeStore, StoredChange } from '../../../calls/changes/change.ts'
import type { Database } from '../database.ts'

type Row = {
  id: string
  state: string
  facts: string
  at: number
  goesBackAt: number | null
  endedAt: number | null
}

const columns = 'id, state, facts, at, goes_back_at AS goesBackAt, ended_at AS endedAt'
const toChange = ({ facts, goesBackAt, endedAt, ...row }: Row): StoredChange =>
  ({
    ...(JSON.parse(facts) as object),
    ...row,
    ...(goesBackAt !== null && { goesBackAt }),
    ...(endedAt !== null && { endedAt }),
  }) as StoredChange

/** Stores the changes that JARVIS made, and the calls that take them back. */
export function createChangeStore({ sql }: Database): ChangeStore {
  const insertArm = sql.prepare('INSERT OR REPLACE INTO change_arms (id, after_ms) VALUES (?, ?)')
  const armOf = sql.prepare<[string], number>('SELECT after_ms FROM change_arms WHERE id = ?').pluck()
  const dropArm = sql.prepare('DELETE FROM change_arms WHERE id = ?')
  const insert = sql.prepare(
    `INSERT INTO changes (id, target, makes, at, state, facts, goes_back_at, later_at)
     VALUES (@id, @target, @makes, @at, 'running', @facts, @goesBackAt, @laterAt)`,
  )
  const select = sql.prepare<[string], Row>(`SELECT ${columns} FROM changes WHERE id = ?`)
  const selectAll = sql.prepare<[object], Row>(
    `SELECT ${columns} FROM changes WHERE at < @before ORDER BY at DESC, id DESC LIMIT @limit`,
  )
  const selectOf = sql.prepare<[object], Row>(
    `SELECT ${columns} FROM changes WHERE target = @target AND at < @before ORDER BY at DESC, id DESC LIMIT @limit`,
  )
  const selectDue = sql.prepare<[], Row>(
    `SELECT ${columns} FROM changes WHERE later_at IS NOT NULL OR goes_back_at IS NOT NULL
     ORDER BY COALESCE(goes_back_at, later_at)`,
  )
  const selectMaker = sql.prepare<[number], Row>(
    `SELECT ${columns} FROM changes WHERE makes = ? ORDER BY at DESC LIMIT 1`,
  )
  const update = sql.prepare(
    `UPDATE changes SET state = @state, facts = @facts, goes_back_at = @goesBackAt, ended_at = @endedAt
     WHERE id = @id AND state = @from`,
  )
  const dropArms = sql.prepare('DELETE FROM change_arms')
  const closeAll = sql.prepare(
    `UPDATE changes SET facts = json_set(facts, '$.undo', json(@undo)), goes_back_at = NULL, later_at = NULL, makes = NULL,
       state = iif(state = 'armed', 'made', state)
     WHERE @tools IS NULL OR facts ->> '$.toolName' IN (SELECT value FROM json_each(@tools))`,
  )
  const deleteOld = sql.prepare('DELETE FROM changes WHERE at < ? AND goes_back_at IS NULL AND later_at IS NULL')
  const setLater = sql.prepare('UPDATE changes SET later_at = NULL, facts = ? WHERE id = ?')
  const get = (id: string) => {
    const row = select.get(id)
    return row && toChange(row)
  }
  const factsOf = ({ id: _, state: __, at: ___, goesBackAt: ____, endedAt: _____, ...facts }: StoredChange) =>
    JSON.stringify(facts)

  return {
    arm(id, afterMs) {
      if (afterMs === undefined) dropArm.run(id)
      else insertArm.run(id, afterMs)
    },
    begin(change) {
      const { id, target, makes = null, at, later } = change
      const afterMs = armOf.get(id)
      dropArm.run(id)
      const goesBackAt = afterMs === undefined ? null : at + afterMs
      const facts = factsOf({ ...change, state: 'running' })
      insert.run({ id, target: target.id, makes, at, facts, goesBackAt, laterAt: later?.at ?? null })
      return goesBackAt ?? undefined
    },
    get,
    list: ({ target, limit, before = Number.MAX_SAFE_INTEGER }) =>
      (target === undefined ? selectAll.all({ limit, before }) : selectOf.all({ target, limit, before })).map(toChange),
    due: () => selectDue.all().map(toChange),
    makerOf(vmid) {
      const row = selectMaker.get(vmid)
      return row && toChange(row)
    },
    move(id, from, to) {
      const before = get(id)
      if (before === undefined || !from.includes(before.state)) return false
      const { goesBackAt = null, endedAt = null, ...after } = { ...before, ...to }
      const facts = factsOf(after as StoredChange)
      return update.run({ id, from: before.state, state: to.state, facts, goesBackAt, endedAt }).changes === 1
    },
    close(because, tools) {
      const due = selectDue
        .all()
        .map(toChange)
        .filter(({ toolName }) => tools?.includes(toolName) ?? true)
      // The row of a waiting card does not name its tool, so these rows are deleted only if the changes of all tools are closed.
      if (tools === undefined) dropArms.run()
      closeAll.run({
        undo: JSON.stringify({ kind: 'none', because }),
        tools: tools === undefined ? null : JSON.stringify(tools),
      })
      return due.filter(({ goesBackAt }) => goesBackAt !== undefined)
    },
    prune: (before) => void deleteOld.run(before),
    endLater(id, problem) {
      const before = get(id)
      if (before !== undefined) setLater.run(factsOf({ ...before, ...(problem !== undefined && { problem }) }), id)
    },
  }
}
