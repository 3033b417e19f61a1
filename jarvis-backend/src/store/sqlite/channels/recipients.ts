import type { Recipient, RecipientStore } from '../../../channels/ports.ts'
import type { Database } from '../database.ts'

type Row = Omit<Recipient, 'hidesNames' | 'problem'> & { hidesNames: number; problem: string | null }

const columns =
  'id, channel, account, person, user, chat, name, decides, hides_names AS hidesNames, created_at AS createdAt, problem'

const toRecipient = ({ hidesNames, problem, ...row }: Row): Recipient => ({
  ...row,
  hidesNames: hidesNames === 1,
  ...(problem !== null && { problem }),
})

export function createRecipientStore({ sql }: Database): RecipientStore {
  const insert = sql.prepare(
    `INSERT INTO channel_recipients (id, channel, account, person, user, chat, name, decides, hides_names, created_at)
     VALUES (@id, @channel, @account, @person, @user, @chat, @name, @decides, @hidesNames, @createdAt)
     ON CONFLICT (channel, user) DO NOTHING`,
  )
  const select = sql.prepare<[string], Row>(`SELECT ${columns} FROM channel_recipients WHERE id = ?`)
  const selectAll = sql.prepare<[], Row>(`SELECT ${columns} FROM channel_recipients ORDER BY created_at, id`)
  const update = sql.prepare(
    `UPDATE channel_recipients SET decides = COALESCE(@decides, decides), hides_names = COALESCE(@hidesNames, hides_names)
     WHERE id = @id`,
  )
  const trouble = sql.prepare('UPDATE channel_recipients SET problem = ? WHERE id = ?')
  const remove = sql.prepare('DELETE FROM channel_recipients WHERE id = ?')
  return {
    add: ({ problem: _, hidesNames, ...recipient }) =>
      insert.run({ ...recipient, hidesNames: hidesNames ? 1 : 0 }).changes === 1,
    get(id) {
      const row = select.get(id)
      return row && toRecipient(row)
    },
    list: (channel) =>
      selectAll
        .all()
        .filter((row) => channel === undefined || row.channel === channel)
        .map(toRecipient),
    set: (id, { decides = null, hidesNames }) =>
      update.run({ id, decides, hidesNames: hidesNames === undefined ? null : hidesNames ? 1 : 0 }).changes === 1,
    trouble: (id, problem) => void trouble.run(problem ?? null, id),
    remove: (id) => remove.run(id).changes === 1,
  }
}
