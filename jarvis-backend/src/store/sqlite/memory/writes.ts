import { JarvisError } from 'protocol'
import { newId } from '../../../lib/ids.ts'
import type { WriteRecord } from '../../../tools/memory/memory-tool.ts'
import type { Database } from '../database.ts'

/** Maximum number of writes that can be undone. */
const kept = 500

export function createMemoryWrites({ sql, atomically }: Database, now: () => number) {
  const insert = sql.prepare('INSERT INTO memory_writes (id, path, before, checksum, at) VALUES (?, ?, ?, ?, ?)')
  const select = sql.prepare<[string], { path: string; before: string | null; checksum: string }>(
    'SELECT path, before, checksum FROM memory_writes WHERE id = ?',
  )
  const remove = sql.prepare('DELETE FROM memory_writes WHERE id = ?')
  const prune = sql.prepare(
    'DELETE FROM memory_writes WHERE id NOT IN (SELECT id FROM memory_writes ORDER BY at DESC LIMIT ?)',
  )
  const isSession = sql.prepare('SELECT 1 FROM sessions WHERE id = ?')
  const insertForgotten = sql.prepare('INSERT OR IGNORE INTO memory_forgotten (session_id, at) VALUES (?, ?)')
  return {
    /** @returns the id with which the write can be undone */
    add: ({ path, before, checksum }: WriteRecord): string =>
      atomically(() => {
        const id = newId('mw')
        insert.run(id, path, before ?? null, checksum, now())
        prune.run(kept)
        return id
      }),
    get(id: string): WriteRecord | undefined {
      const row = select.get(id)
      return row === undefined ? undefined : { ...row, before: row.before ?? undefined }
    },
    remove: (id: string) => void remove.run(id),
    /** Excludes a session from the memory for good. @throws JarvisError `not_found` */
    forget(sessionId: string) {
      if (isSession.get(sessionId) === undefined) throw new JarvisError('not_found', 'There is no such session.')
      insertForgotten.run(sessionId, now())
    },
  }
}
