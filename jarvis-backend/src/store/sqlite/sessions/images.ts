import { createHash } from 'node:crypto'
import type { Image, ImageType } from 'protocol'
import type { ImageStore } from '../../../calls/ports.ts'
import type { ToolImage } from '../../../tools/tool.ts'
import { SqliteStore } from '../sqlite-store.ts'

/** Stores images apart from the transcript, so that opening a session reads none. */
export class SqliteImageStore extends SqliteStore implements ImageStore {
  readonly #insert = this.sql.prepare(
    'INSERT OR IGNORE INTO images (session_id, id, mime_type, data) VALUES (?, ?, ?, ?)',
  )
  readonly #select = this.sql.prepare<[string, string], { mime_type: ImageType; data: Buffer }>(
    'SELECT mime_type, data FROM images WHERE session_id = ? AND id = ?',
  )

  keep(sessionId: string, { mimeType, data }: ToolImage): Image {
    const id = createHash('sha256').update(data).digest('hex')
    this.#insert.run(sessionId, id, mimeType, data)
    return { id, mimeType, bytes: data.length }
  }

  get(sessionId: string, id: string): ToolImage | undefined {
    const row = this.#select.get(sessionId, id)
    return row && { mimeType: row.mime_type, data: row.data }
  }
}
