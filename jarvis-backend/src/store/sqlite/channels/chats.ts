import type { Chat, ChatStore } from '../../../channels/talk/ports.ts'
import type { Database } from '../database.ts'

type Row = Omit<Chat, 'isCurrent' | 'preview'> & { isCurrent: number; preview: string | null }

const columns = 'recipient, thread, session_id AS sessionId, told, preview, is_current AS isCurrent, at'
const one = 'recipient = @recipient AND thread = @thread AND session_id = @sessionId'

const toChat = ({ isCurrent, preview, ...row }: Row): Chat => ({
  ...row,
  isCurrent: isCurrent === 1,
  ...(preview !== null && { preview }),
})

export function createChatStore({ sql, atomically }: Database): ChatStore {
  const selectCurrent = sql.prepare<[string, string], Row>(
    `SELECT ${columns} FROM channel_chats WHERE recipient = ? AND thread = ? AND is_current = 1`,
  )
  const selectAll = sql.prepare<[], Row>(`SELECT ${columns} FROM channel_chats ORDER BY at DESC, session_id`)
  const selectOf = sql.prepare<[string, string], Row>(
    `SELECT ${columns} FROM channel_chats WHERE recipient = ? AND thread = ? ORDER BY at DESC, session_id`,
  )
  const upsert = sql.prepare(
    `INSERT INTO channel_chats (recipient, thread, session_id, told, is_current, at)
     VALUES (@recipient, @thread, @sessionId, @told, 1, @at)
     ON CONFLICT (recipient, thread, session_id) DO UPDATE SET is_current = 1, at = excluded.at`,
  )
  const leave = sql.prepare('UPDATE channel_chats SET is_current = 0 WHERE recipient = ? AND thread = ?')
  const tell = sql.prepare(`UPDATE channel_chats SET told = MAX(told, @seq) WHERE ${one}`)
  const preview = sql.prepare(`UPDATE channel_chats SET preview = @ref WHERE ${one}`)
  const removeOf = sql.prepare('DELETE FROM channel_chats WHERE recipient = ?')
  return {
    current(recipient, thread) {
      const row = selectCurrent.get(recipient, thread)
      return row && toChat(row)
    },
    list: (of) => (of === undefined ? selectAll.all() : selectOf.all(of.recipient, of.thread)).map(toChat),
    enter: (chat) =>
      atomically(() => {
        leave.run(chat.recipient, chat.thread)
        upsert.run(chat)
      }),
    leave: (recipient, thread) => void leave.run(recipient, thread),
    tell: ({ recipient, thread, sessionId }, seq) => void tell.run({ recipient, thread, sessionId, seq }),
    preview: ({ recipient, thread, sessionId }, ref) =>
      void preview.run({ recipient, thread, sessionId, ref: ref ?? null }),
    removeOf: (recipient) => void removeOf.run(recipient),
  }
}
