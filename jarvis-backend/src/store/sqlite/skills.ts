import type { ApprovedFile, SkillStore, SkillUse, StoredApproval } from '../../skills/store.ts'
import type { Database } from './database.ts'
import { KeptReads } from './kept-reads.ts'

type Row = { name: string; approval: string; used: string | null }

/** @param owner the agent that the skills belong to */
export function createSkillStore(database: Database, owner: string): SkillStore {
  const { sql } = database
  const selectAll = sql.prepare<[string], Row>('SELECT name, approval, used FROM skills WHERE owner = ? ORDER BY name')
  const selectOne = sql
    .prepare<[string, string], string>('SELECT approval FROM skills WHERE owner = ? AND name = ?')
    .pluck()
  const selectFiles = sql
    .prepare<[string, string], string>('SELECT files FROM skills WHERE owner = ? AND name = ?')
    .pluck()
  const upsert = sql.prepare(
    `INSERT INTO skills (owner, name, approval, files) VALUES (@owner, @name, @approval, @files)
     ON CONFLICT (owner, name) DO UPDATE SET approval = excluded.approval, files = excluded.files`,
  )
  const updateApproval = sql.prepare('UPDATE skills SET approval = @approval WHERE owner = @owner AND name = @name')
  const updateUsed = sql.prepare('UPDATE skills SET used = @used WHERE owner = @owner AND name = @name')
  const remove = sql.prepare('DELETE FROM skills WHERE owner = ? AND name = ?')
  const approvals = new KeptReads(
    database,
    'skills',
    (of) => new Map(selectAll.all(of).map(({ name, approval }) => [name, JSON.parse(approval) as StoredApproval])),
  )

  return {
    approvals: () => approvals.get(owner),
    files: (name) => JSON.parse(selectFiles.get(owner, name) ?? '[]') as ApprovedFile[],
    approve(approval, files) {
      upsert.run({ owner, name: approval.name, approval: JSON.stringify(approval), files: JSON.stringify(files) })
    },
    turnOff(name, off) {
      const approval = selectOne.get(owner, name)
      if (approval !== undefined)
        updateApproval.run({ owner, name, approval: JSON.stringify({ ...JSON.parse(approval), off }) })
    },
    remove: (name) => void remove.run(owner, name),
    used: (name, use) => void updateUsed.run({ owner, name, used: JSON.stringify(use) }),
    uses: () =>
      new Map(
        selectAll
          .all(owner)
          .flatMap(({ name, used }) => (used === null ? [] : [[name, JSON.parse(used) as SkillUse] as const])),
      ),
  }
}
