import type { Change } from 'protocol'
import type { ChangeStore, Moved, StoredChange } from '../../../calls/changes/change.ts'
import { SqliteStore } from '../sqlite-store.ts'

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

const factsOf = ({ id: _, state: __, at: ___, goesBackAt: ____, endedAt: _____, ...facts }: StoredChange) =>
  JSON.stringify(facts)

/** Stores the changes that JARVIS made, and the calls that take them back. */
export class SqliteChangeStore extends SqliteStore implements ChangeStore {
  readonly #insertArm = this.sql.prepare('INSERT OR REPLACE INTO change_arms (id, after_ms) VALUES (?, ?)')
  readonly #armOf = this.sql.prepare<[string], number>('SELECT after_ms FROM change_arms WHERE id = ?').pluck()
  readonly #dropArm = this.sql.prepare('DELETE FROM change_arms WHERE id = ?')
  readonly #insert = this.sql.prepare(
    `INSERT INTO changes (id, target, makes, at, state, facts, goes_back_at, later_at)
     VALUES (@id, @target, @makes, @at, 'running', @facts, @goesBackAt, @laterAt)`,
  )
  readonly #select = this.sql.prepare<[string], Row>(`SELECT ${columns} FROM changes WHERE id = ?`)
  readonly #selectAll = this.sql.prepare<[object], Row>(
    `SELECT ${columns} FROM changes WHERE at < @before ORDER BY at DESC, id DESC LIMIT @limit`,
  )
  readonly #selectOf = this.sql.prepare<[object], Row>(
    `SELECT ${columns} FROM changes WHERE target = @target AND at < @before ORDER BY at DESC, id DESC LIMIT @limit`,
  )
  readonly #selectDue = this.sql.prepare<[], Row>(
    `SELECT ${columns} FROM changes WHERE later_at IS NOT NULL OR goes_back_at IS NOT NULL
     ORDER BY COALESCE(goes_back_at, later_at)`,
  )
  readonly #selectMaker = this.sql.prepare<[number], Row>(
    `SELECT ${columns} FROM changes WHERE makes = ? ORDER BY at DESC LIMIT 1`,
  )
  readonly #update = this.sql.prepare(
    `UPDATE changes SET state = @state, facts = @facts, goes_back_at = @goesBackAt, ended_at = @endedAt
     WHERE id = @id AND state = @from`,
  )
  readonly #dropArms = this.sql.prepare('DELETE FROM change_arms')
  readonly #closeAll = this.sql.prepare(
    `UPDATE changes SET facts = json_set(facts, '$.undo', json(@undo)), goes_back_at = NULL, later_at = NULL, makes = NULL,
       state = iif(state = 'armed', 'made', state)
     WHERE @tools IS NULL OR facts ->> '$.toolName' IN (SELECT value FROM json_each(@tools))`,
  )
  readonly #deleteOld = this.sql.prepare(
    'DELETE FROM changes WHERE at < ? AND goes_back_at IS NULL AND later_at IS NULL',
  )
  readonly #setLater = this.sql.prepare('UPDATE changes SET later_at = NULL, facts = ? WHERE id = ?')

  get(id: string): StoredChange | undefined {
    const row = this.#select.get(id)
    return row && toChange(row)
  }

  arm(id: string, afterMs: number | undefined): void {
    if (afterMs === undefined) this.#dropArm.run(id)
    else this.#insertArm.run(id, afterMs)
  }

  begin(change: Omit<StoredChange, 'state'>): number | undefined {
    const { id, target, makes = null, at, later } = change
    const afterMs = this.#armOf.get(id)
    this.#dropArm.run(id)
    const goesBackAt = afterMs === undefined ? null : at + afterMs
    const facts = factsOf({ ...change, state: 'running' })
    this.#insert.run({ id, target: target.id, makes, at, facts, goesBackAt, laterAt: later?.at ?? null })
    return goesBackAt ?? undefined
  }

  list({
    target,
    limit,
    before = Number.MAX_SAFE_INTEGER,
  }: {
    target?: string
    limit: number
    before?: number
  }): StoredChange[] {
    return (
      target === undefined ? this.#selectAll.all({ limit, before }) : this.#selectOf.all({ target, limit, before })
    ).map(toChange)
  }

  due(): StoredChange[] {
    return this.#selectDue.all().map(toChange)
  }

  makerOf(vmid: number): StoredChange | undefined {
    const row = this.#selectMaker.get(vmid)
    return row && toChange(row)
  }

  move(id: string, from: readonly Change['state'][], to: Moved): boolean {
    const before = this.get(id)
    if (before === undefined || !from.includes(before.state)) return false
    const { goesBackAt = null, endedAt = null, ...after } = { ...before, ...to }
    const facts = factsOf(after as StoredChange)
    return this.#update.run({ id, from: before.state, state: to.state, facts, goesBackAt, endedAt }).changes === 1
  }

  close(because: string, tools?: readonly string[]): StoredChange[] {
    const due = this.#selectDue
      .all()
      .map(toChange)
      .filter(({ toolName }) => tools?.includes(toolName) ?? true)
    // The row of a waiting card does not name its tool, so these rows are deleted only if the changes of all tools are closed.
    if (tools === undefined) this.#dropArms.run()
    this.#closeAll.run({
      undo: JSON.stringify({ kind: 'none', because }),
      tools: tools === undefined ? null : JSON.stringify(tools),
    })
    return due.filter(({ goesBackAt }) => goesBackAt !== undefined)
  }

  prune(before: number): void {
    this.#deleteOld.run(before)
  }

  endLater(id: string, problem?: string): void {
    const before = this.get(id)
    if (before !== undefined) this.#setLater.run(factsOf({ ...before, ...(problem !== undefined && { problem }) }), id)
  }
}
