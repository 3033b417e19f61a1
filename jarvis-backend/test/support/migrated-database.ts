import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '../../src/store/sqlite/database.ts'
import { switchCommandsOff } from './checks-off.ts'

const made = new Map<boolean, Buffer>()

/**
 * Begins a data dir with a database that has passed its migrations, which are a third of a first start's CPU time.
 * @param allChecks a new data dir has all checks on; otherwise those are off that run commands on nodes by themselves
 */
export function migratedDatabase(dataDir: string, { allChecks = false } = {}): void {
  let content = made.get(allChecks)
  if (content === undefined) {
    content = contentOf(allChecks ? () => {} : switchCommandsOff)
    made.set(allChecks, content)
  }
  writeFileSync(join(dataDir, 'jarvis.db'), content, { mode: 0o600 })
}

function contentOf(change: (database: Database) => void): Buffer {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-empty-'))
  const path = join(dir, 'jarvis.db')
  const database = openDatabase(path)
  change(database)
  database.close()
  const content = readFileSync(path)
  rmSync(dir, { recursive: true })
  return content
}
