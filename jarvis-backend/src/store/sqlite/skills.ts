import type { ApprovedFile, SkillStore, SkillUse, StoredApproval } from '../../skills/store.ts'
import type { Database } from './database.ts'
import { KeptReads } from './kept-reads.ts'
import { SqliteStore } from './sqlite-store.ts'

type Row = { name: string; approval: string; used: string | null }

/** @param owner the agent that the skills belong to */
export class SqliteSkillStore extends SqliteStore implements SkillStore {
  readonly #owner: string
  readonly #selectAll = this.sql.prepare<[string], Row>(
    'SELECT name, approval, used FROM skills WHERE owner = ? ORDER BY name',
  )
  readonly #selectOne = this.sql
    .prepare<[string, string], string>('SELECT approval FROM skills WHERE owner = ? AND name = ?')
    .pluck()
  readonly #selectFiles = this.sql
    .prepare<[string, string], string>('SELECT files FROM skills WHERE owner = ? AND name = ?')
    .pluck()
  readonly #upsert = this.sql.prepare(
    `INSERT INTO skills (owner, name, approval, files) VALUES (@owner, @name, @approval, @files)
     ON CONFLICT (owner, name) DO UPDATE SET approval = excluded.approval, files = excluded.files`,
  )
  readonly #updateApproval = this.sql.prepare(
    'UPDATE skills SET approval = @approval WHERE owner = @owner AND name = @name',
  )
  readonly #updateUsed = this.sql.prepare('UPDATE skills SET used = @used WHERE owner = @owner AND name = @name')
  readonly #remove = this.sql.prepare('DELETE FROM skills WHERE owner = ? AND name = ?')
  readonly #approvals: KeptReads<ReadonlyMap<string, StoredApproval>>

  constructor(database: Database, owner: string) {
    super(database)
    this.#owner = owner
    this.#approvals = new KeptReads(
      database,
      'skills',
      (of) =>
        new Map(this.#selectAll.all(of).map(({ name, approval }) => [name, JSON.parse(approval) as StoredApproval])),
    )
  }

  approvals(): ReadonlyMap<string, StoredApproval> {
    return this.#approvals.get(this.#owner)
  }

  files(name: string): ApprovedFile[] {
    return JSON.parse(this.#selectFiles.get(this.#owner, name) ?? '[]') as ApprovedFile[]
  }

  approve(approval: StoredApproval, files: readonly ApprovedFile[]): void {
    this.#upsert.run({
      owner: this.#owner,
      name: approval.name,
      approval: JSON.stringify(approval),
      files: JSON.stringify(files),
    })
  }

  turnOff(name: string, off: { at: number; by: string }): void {
    const approval = this.#selectOne.get(this.#owner, name)
    if (approval !== undefined)
      this.#updateApproval.run({ owner: this.#owner, name, approval: JSON.stringify({ ...JSON.parse(approval), off }) })
  }

  remove(name: string): void {
    this.#remove.run(this.#owner, name)
  }

  used(name: string, use: SkillUse): void {
    this.#updateUsed.run({ owner: this.#owner, name, used: JSON.stringify(use) })
  }

  uses(): Map<string, SkillUse> {
    return new Map(
      this.#selectAll
        .all(this.#owner)
        .flatMap(({ name, used }) => (used === null ? [] : [[name, JSON.parse(used) as SkillUse] as const])),
    )
  }
}
