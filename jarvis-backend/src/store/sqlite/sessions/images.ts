import { createHash } from 'node:crypto'
import type { ImageType } from 'protocol'
import type { ImageStore } from '../../../calls/ports.ts'
import type { Database } from '../database.ts'

/** Stores images apart from the transcript, so that opening a session reads none. */
export function createImageStore({ sql }: Database): ImageStore {
  const insert = sql.prepare('INSERT OR IGNORE INTO images (session_id, id, mime_type, data) VALUES (?, ?, ?, ?)')
  const select = sql.prepare<[string, string], { mime_type: ImageType; data: Buffer }>(
    'SELECT mime_type, data FROM images WHERE session_id = ? AND id = ?',
  )
  return {
    keep(sessionId, { mimeType, data }) {
      const id = createHash('sha256').update(data).digest('hex')
      insert.run(sessionId, id, mimeType, data)
      return { id, mimeType, bytes: data.length }
    },
    get(sessionId, id) {
      const row = select.get(sessionId, id)
      return row && { mimeType: row.mime_type, data: row.data }
    },
  }
}
