import { createHash } from 'node:crypto'
import type { Attachment } from 'protocol'
import type { AttachmentStore, Holder } from '../../../agent/attachments.ts'
import { SqliteStore } from '../sqlite-store.ts'

type Row = {
  id: string
  name: string
  mime_type: Attachment['mimeType']
  bytes: number
  width_px: number | null
  height_px: number | null
}

const columns = 'id, name, mime_type, bytes, width_px, height_px'

export class SqliteAttachmentStore extends SqliteStore implements AttachmentStore {
  readonly #insertBlob = this.sql.prepare('INSERT OR IGNORE INTO attached_bytes (hash, data) VALUES (?, ?)')
  readonly #insert = this.sql.prepare(
    `INSERT INTO attachments (session_id, by, ${columns}, hash, created_at)
     VALUES (@sessionId, @by, @id, @name, @mimeType, @bytes, @widthPx, @heightPx, @hash, @at)`,
  )
  readonly #ofSession = this.sql.prepare<[string, string], Row>(
    `SELECT ${columns} FROM attachments WHERE session_id = ? AND id = ?`,
  )
  readonly #ofSender = this.sql.prepare<[string, string], Row>(
    `SELECT ${columns} FROM attachments WHERE session_id IS NULL AND by = ? AND id = ?`,
  )
  readonly #data = this.sql.prepare<[string, string], { data: Buffer }>(
    'SELECT data FROM attached_bytes JOIN attachments USING (hash) WHERE session_id = ? AND id = ?',
  )
  readonly #move = this.sql.prepare(
    'UPDATE attachments SET session_id = ? WHERE session_id IS NULL AND by = ? AND id = ?',
  )
  readonly #remove = this.sql.prepare('DELETE FROM attachments WHERE session_id IS NULL AND by = ? AND id = ?')
  readonly #forget = this.sql.prepare('DELETE FROM attachments WHERE session_id IS NULL AND created_at < ?')
  readonly #bytesOfSession = this.#sum('session_id = ?')
  readonly #bytesOfSender = this.#sum('session_id IS NULL AND by = ?')
  readonly #add = this.sql.transaction<AttachmentStore['add']>((holder, file, at) => {
    const { widthPx = null, heightPx = null, ...attachment } = file.attachment
    const hash = createHash('sha256').update(file.data).digest('hex')
    this.#insertBlob.run(hash, file.data)
    const held = { sessionId: null, by: null, ...holder }
    this.#insert.run({ ...held, ...attachment, widthPx, heightPx, hash, at })
  })

  find(holder: Holder, id: string): Attachment | undefined {
    const row = 'sessionId' in holder ? this.#ofSession.get(holder.sessionId, id) : this.#ofSender.get(holder.by, id)
    return row && attachmentOf(row)
  }

  add(holder: Holder, file: { attachment: Attachment; data: Buffer }, at: number): void {
    this.#add(holder, file, at)
  }

  read(sessionId: string, id: string): { attachment: Attachment; data: Buffer } | undefined {
    const [attachment, found] = [this.find({ sessionId }, id), this.#data.get(sessionId, id)]
    return attachment && found && { attachment, data: found.data }
  }

  move(id: string, by: string, sessionId: string): void {
    this.#move.run(sessionId, by, id)
  }

  remove(id: string, by: string): boolean {
    return this.#remove.run(by, id).changes > 0
  }

  bytesOf(holder: Holder): number {
    return (
      ('sessionId' in holder ? this.#bytesOfSession.get(holder.sessionId) : this.#bytesOfSender.get(holder.by))
        ?.bytes ?? 0
    )
  }

  forgetUnsent(before: number): void {
    this.#forget.run(before)
  }

  #sum(where: string) {
    return this.sql.prepare<[string], { bytes: number }>(
      `SELECT COALESCE(SUM(bytes), 0) AS bytes FROM attachments WHERE ${where}`,
    )
  }
}

const attachmentOf = ({ id, name, mime_type, bytes, width_px, height_px }: Row): Attachment => ({
  id,
  name,
  mimeType: mime_type,
  bytes,
  ...(width_px !== null && { widthPx: width_px }),
  ...(height_px !== null && { heightPx: height_px }),
})
