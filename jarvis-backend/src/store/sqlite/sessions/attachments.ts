import { createHash } from 'node:crypto'
import type { Attachment } from 'protocol'
import type { AttachmentStore, Holder } from '../../../agent/attachments.ts'
import type { Database } from '../database.ts'

type Row = {
  id: string
  name: string
  mime_type: Attachment['mimeType']
  bytes: number
  width_px: number | null
  height_px: number | null
}

const columns = 'id, name, mime_type, bytes, width_px, height_px'

export function createAttachmentStore({ sql }: Database): AttachmentStore {
  const insertBlob = sql.prepare('INSERT OR IGNORE INTO attached_bytes (hash, data) VALUES (?, ?)')
  const insert = sql.prepare(
    `INSERT INTO attachments (session_id, by, ${columns}, hash, created_at)
     VALUES (@sessionId, @by, @id, @name, @mimeType, @bytes, @widthPx, @heightPx, @hash, @at)`,
  )
  const ofSession = sql.prepare<[string, string], Row>(
    `SELECT ${columns} FROM attachments WHERE session_id = ? AND id = ?`,
  )
  const ofSender = sql.prepare<[string, string], Row>(
    `SELECT ${columns} FROM attachments WHERE session_id IS NULL AND by = ? AND id = ?`,
  )
  const data = sql.prepare<[string, string], { data: Buffer }>(
    'SELECT data FROM attached_bytes JOIN attachments USING (hash) WHERE session_id = ? AND id = ?',
  )
  const move = sql.prepare('UPDATE attachments SET session_id = ? WHERE session_id IS NULL AND by = ? AND id = ?')
  const remove = sql.prepare('DELETE FROM attachments WHERE session_id IS NULL AND by = ? AND id = ?')
  const forget = sql.prepare('DELETE FROM attachments WHERE session_id IS NULL AND created_at < ?')
  const sum = (where: string) =>
    sql.prepare<[string], { bytes: number }>(`SELECT COALESCE(SUM(bytes), 0) AS bytes FROM attachments WHERE ${where}`)
  const bytesOfSession = sum('session_id = ?')
  const bytesOfSender = sum('session_id IS NULL AND by = ?')

  const find = (holder: Holder, id: string) => {
    const row = 'sessionId' in holder ? ofSession.get(holder.sessionId, id) : ofSender.get(holder.by, id)
    return row && attachmentOf(row)
  }
  const add = sql.transaction<AttachmentStore['add']>((holder, file, at) => {
    const { widthPx = null, heightPx = null, ...attachment } = file.attachment
    const hash = createHash('sha256').update(file.data).digest('hex')
    insertBlob.run(hash, file.data)
    const held = { sessionId: null, by: null, ...holder }
    insert.run({ ...held, ...attachment, widthPx, heightPx, hash, at })
  })

  return {
    add: (...given) => void add(...given),
    find,
    read(sessionId, id) {
      const [attachment, found] = [find({ sessionId }, id), data.get(sessionId, id)]
      return attachment && found && { attachment, data: found.data }
    },
    move: (id, by, sessionId) => void move.run(sessionId, by, id),
    remove: (id, by) => remove.run(by, id).changes > 0,
    bytesOf: (holder) =>
      ('sessionId' in holder ? bytesOfSession.get(holder.sessionId) : bytesOfSender.get(holder.by))?.bytes ?? 0,
    forgetUnsent: (before) => void forget.run(before),
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
