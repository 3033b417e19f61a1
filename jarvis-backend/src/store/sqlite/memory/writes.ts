import { JarvisError } from 'protocol'
import { newId } from '../../../lib/ids.ts'
import type { WriteRecord } from '../../../tools/memory/memory-tool.ts'
import type { Database } from '../database.ts'
import { SqliteStore } from '../sqlite-store.ts'

/** Maximum number of writes that can be undone. */
const kept = 500

/** The records with which writes of notes are undone, and the sessions that are forgotten. */
export class MemoryWrites extends SqliteStore {
  readonly #atomically: Database['atomically']
  readonly #now: () => number
  readonly #insert = this.sql.prepare(
    'INSERT INTO memory_writes (id, path, before, checksum, at) VALUES (?, ?, ?, ?, ?)',
  )
  readonly #select = this.sql.prepare<[string], { path: string; before: string | null; checksum: string }>(
    'SELECT path, before, checksum FROM memory_writes WHERE id = ?',
  )
  readonly #remove = this.sql.prepare('DELETE FROM memory_writes WHERE id = ?')
  readonly #prune = this.sql.prepare(
    'DELETE FROM memory_writes WHERE id NOT IN (SELECT id FROM memory_writes ORDER BY at DESC LIMIT ?)',
  )
  readonly #isSession = this.sql.prepare('SELECT 1 FROM sessions WHERE id = ?')
  readonly #insertForgotten = this.sql.prepare('INSERT OR IGNORE INTO memory_forgotten (session_id, at) VALUES (?, ?)')

  constructor(database: Pick<Database, 'sql' | 'atomically'>, now: () => number) {
    super(database)
    this.#atomically = database.atomically
    this.#now = now
  }

  /** @returns the id with which the write can be undone */
  add({ path, before, checksum }: WriteRecord): string {
    return this.#atomically(() => {
      const id = newId('mw')
      this.#insert.run(id, path, before ?? null, checksum, this.#now())
      this.#prune.run(kept)
      return id
    })
  }

  get(id: string): WriteRecord | undefined {
    const row = this.#select.get(id)
    return row === undefined ? undefined : { ...row, before: row.before ?? undefined }
  }

  remove(id: string): void {
    this.#remove.run(id)
  }

  /** Excludes a session from the memory for good. @throws JarvisError `not_found` */
  forget(sessionId: string): void {
    if (this.#isSession.get(sessionId) === undefined) throw new JarvisError('not_found', 'There is no such session.')
    this.#insertForgotten.run(sessionId, this.#now())
  }
}
