import type { Chat, ChatStore } from '../../../channels/talk/ports.ts'
import type { Database } from '../database.ts'
import { SqliteStore } from '../sqlite-store.ts'

type Row = Omit<Chat, 'isCurrent' | 'preview'> & { isCurrent: number; preview: string | null }

const columns = 'recipient, thread, session_id AS sessionId, told, preview, is_current AS isCurrent, at'
const one = 'recipient = @recipient AND thread = @thread AND session_id = @sessionId'

const toChat = ({ isCurrent, preview, ...row }: Row): Chat => ({
  ...row,
  isCurrent: isCurrent === 1,
  ...(preview !== null && { preview }),
})

export class SqliteChatStore extends SqliteStore implements ChatStore {
  readonly #atomically: Database['atomically']
  readonly #selectCurrent = this.sql.prepare<[string, string], Row>(
    `SELECT ${columns} FROM channel_chats WHERE recipient = ? AND thread = ? AND is_current = 1`,
  )
  readonly #selectAll = this.sql.prepare<[], Row>(`SELECT ${columns} FROM channel_chats ORDER BY at DESC, session_id`)
  readonly #selectOf = this.sql.prepare<[string, string], Row>(
    `SELECT ${columns} FROM channel_chats WHERE recipient = ? AND thread = ? ORDER BY at DESC, session_id`,
  )
  readonly #upsert = this.sql.prepare(
    `INSERT INTO channel_chats (recipient, thread, session_id, told, is_current, at)
     VALUES (@recipient, @thread, @sessionId, @told, 1, @at)
     ON CONFLICT (recipient, thread, session_id) DO UPDATE SET is_current = 1, at = excluded.at`,
  )
  readonly #leave = this.sql.prepare('UPDATE channel_chats SET is_current = 0 WHERE recipient = ? AND thread = ?')
  readonly #tell = this.sql.prepare(`UPDATE channel_chats SET told = MAX(told, @seq) WHERE ${one}`)
  readonly #preview = this.sql.prepare(`UPDATE channel_chats SET preview = @ref WHERE ${one}`)
  readonly #removeOf = this.sql.prepare('DELETE FROM channel_chats WHERE recipient = ?')

  constructor(database: Database) {
    super(database)
    this.#atomically = database.atomically
  }

  current(recipient: string, thread: string): Chat | undefined {
    const row = this.#selectCurrent.get(recipient, thread)
    return row && toChat(row)
  }

  list(of?: { recipient: string; thread: string }): Chat[] {
    return (of === undefined ? this.#selectAll.all() : this.#selectOf.all(of.recipient, of.thread)).map(toChat)
  }

  enter(chat: Pick<Chat, 'recipient' | 'thread' | 'sessionId' | 'told' | 'at'>): void {
    this.#atomically(() => {
      this.#leave.run(chat.recipient, chat.thread)
      this.#upsert.run(chat)
    })
  }

  leave(recipient: string, thread: string): void {
    this.#leave.run(recipient, thread)
  }

  tell({ recipient, thread, sessionId }: Pick<Chat, 'recipient' | 'thread' | 'sessionId'>, seq: number): void {
    this.#tell.run({ recipient, thread, sessionId, seq })
  }

  preview(
    { recipient, thread, sessionId }: Pick<Chat, 'recipient' | 'thread' | 'sessionId'>,
    ref: string | undefined,
  ): void {
    this.#preview.run({ recipient, thread, sessionId, ref: ref ?? null })
  }

  removeOf(recipient: string): void {
    this.#removeOf.run(recipient)
  }
}
