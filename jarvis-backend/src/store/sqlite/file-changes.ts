import type { ApplyJournal, ApplyState } from '../../workbench/files/applier.ts'
import type { FileChange } from '../../workbench/files/entry.ts'
import type { Database } from './database.ts'

type Row = { call_id: string; changes: string; state: ApplyState; text: string }

/** @param now Unix ms */
export function createApplyJournal({ sql, durably }: Database, now: () => number): ApplyJournal {
  const insert = sql.prepare(
    "INSERT OR REPLACE INTO file_changes (call_id, changes, state, text, at) VALUES (?, ?, 'begun', '', ?)",
  )
  const update = sql.prepare('UPDATE file_changes SET state = ?, text = ?, at = ? WHERE call_id = ?')
  const one = sql.prepare<[string], Row>('SELECT * FROM file_changes WHERE call_id = ?')
  const begun = sql.prepare<[], Row>("SELECT * FROM file_changes WHERE state = 'begun' ORDER BY at, call_id")
  const remove = sql.prepare("DELETE FROM file_changes WHERE state <> 'begun' AND at < ?")
  return {
    begin(callId, changes) {
      durably(() => insert.run(callId, JSON.stringify(changes), now()))
    },
    end(callId, state, text) {
      durably(() => update.run(state, text, now(), callId))
    },
    get(callId) {
      const row = one.get(callId)
      return row && { state: row.state, text: row.text }
    },
    open: () =>
      begun.all().map(({ call_id: callId, changes }) => ({ callId, changes: JSON.parse(changes) as FileChange[] })),
    prune: (before) => void remove.run(before),
  }
}
