import { SqliteCheckStore } from '../../src/store/sqlite/alerts.ts'
import type { Database } from '../../src/store/sqlite/database.ts'
import { makeChecks } from '../../src/watch/checks/index.ts'

/** Switches the checks off that run commands on nodes, as an operator does: what reaches a node then are calls alone. */
export function switchCommandsOff(database: Database): void {
  const store = new SqliteCheckStore(database)
  for (const { id, reads } of makeChecks()) if (reads.includes('SSH')) store.save({ id, isOff: true })
}
