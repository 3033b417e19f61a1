import type { ApplyJournal, ApplyState } from '../../workbench/files/applier.ts'
import type { FileChange } from '../../workbench/files/entry.ts'
import type { Database } from './database.ts'
import { SqliteStore } from './sqlite-store.ts'

type Row = { call_id: string; changes: string; state: ApplyState; text: string }

/** @param now Unix ms */
export class SqliteApplyJournal extends SqliteStore implements ApplyJournal {
  readonly #durably: Database['durably']
  readonly #now: () => number
  readonly #insert = this.sql.prepare(
    "INSERT OR REPLACE INTO file_changes (call_id, changes, state, text, at) VALUES (?, ?, 'begun', '', ?)",
  )
  readonly #update = this.sql.prepare('UPDATE file_changes SET state = ?, text = ?, at = ? WHERE call_id = ?')
  readonly #one = this.sql.prepare<[string], Row>('SELECT * FROM file_changes WHERE call_id = ?')
  readonly #begun = this.sql.prepare<[], Row>("SELECT * FROM file_changes WHERE state = 'begun' ORDER BY at, call_id")
  readonly #remove = this.sql.prepare("DELETE FROM file_changes WHERE state <> 'begun' AND at < ?")

  constructor(database: Database, now: () => number) {
    super(database)
    this.#durably = database.durably
    this.#now = now
  }

  begin(callId: string, changes: readonly FileChange[]): void {
    this.#durably(() => this.#insert.run(callId, JSON.stringify(changes), this.#now()))
  }

  end(callId: string, state: Exclude<ApplyState, 'begun'>, text: string): void {
    this.#durably(() => this.#update.run(state, text, this.#now(), callId))
  }

  get(callId: string): { state: ApplyState; text: string } | undefined {
    const row = this.#one.get(callId)
    return row && { state: row.state, text: row.text }
  }

  /** The changes that a call made; empty if it made none, or they are not known to be whole. */
  changesOf(callId: string): FileChange[] {
    const row = this.#one.get(callId)
    return row?.state === 'done' ? (JSON.parse(row.changes) as FileChange[]) : []
  }

  open(): { callId: string; changes: FileChange[] }[] {
    return this.#begun
      .all()
      .map(({ call_id: callId, changes }) => ({ callId, changes: JSON.parse(changes) as FileChange[] }))
  }

  prune(before: number): void {
    this.#remove.run(before)
  }
}
