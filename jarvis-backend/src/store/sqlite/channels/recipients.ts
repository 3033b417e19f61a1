import type { Recipient, RecipientStore } from '../../../channels/ports.ts'
import type { Database } from '../database.ts'

type Row = Omit<Recipient, 'hidesNames' | 'talks' | 'agent' | 'problem'> & {
  hidesNames: number
  talks: number
  agent: string | null
  problem: string | null
}

const columns =
  'id, channel, account, person, user, chat, name, decides, hides_names AS hidesNames, talks, agent, created_at AS createdAt, problem'

const toRecipient = ({ hidesNames, talks, agent, problem, ...row }: Row): Recipient => ({
  ...row,
  hidesNames: hidesNames === 1,
  talks: talks === 1,
  ...(agent !== null && { agent }),
  ...(problem !== null && { problem }),
})

const bit = (is: boolean | undefined) => (is === undefined ? null : is ? 1 : 0)

export function createRecipientStore({ sql }: Database): RecipientStore {
  const insert = sql.prepare(
    `INSERT INTO channel_recipients (id, channel, account, person, user, chat, name, decides, hides_names, talks, agent, created_at)
     VALUES (@id, @channel, @account, @person, @user, @chat, @name, @decides, @hidesNames, @talks, @agent, @createdAt)
     ON CONFLICT (channel, user) DO NOTHING`,
  )
  const select = sql.prepare<[string], Row>(`SELECT ${columns} FROM channel_recipients WHERE id = ?`)
  const selectAll = sql.prepare<[], Row>(`SELECT ${columns} FROM channel_recipients ORDER BY created_at, id`)
  const update = sql.prepare(
    `UPDATE channel_recipients SET decides = COALESCE(@decides, decides), hides_names = COALESCE(@hidesNames, hides_names),
       talks = COALESCE(@talks, talks), agent = CASE WHEN @agent IS NULL THEN agent ELSE NULLIF(@agent, '') END
     WHERE id = @id`,
  )
  const trouble = sql.prepare('UPDATE channel_recipients SET problem = ? WHERE id = ?')
  const remove = sql.prepare('DELETE FROM channel_recipients WHERE id = ?')
  return {
    add: ({ problem: _, hidesNames, talks, agent = null, ...recipient }) =>
      insert.run({ ...recipient, hidesNames: hidesNames ? 1 : 0, talks: talks ? 1 : 0, agent }).changes === 1,
    get(id) {
      const row = select.get(id)
      return row && toRecipient(row)
    },
    list: (channel) =>
      selectAll
        .all()
        .filter((row) => channel === undefined || row.channel === channel)
        .map(toRecipient),
    set: (id, { decides = null, hidesNames, talks, agent }) =>
      update.run({
        ...{ id, decides, hidesNames: bit(hidesNames), talks: bit(talks) },
        // Empty: taken out.
        agent: agent === null ? '' : (agent ?? null),
      }).changes === 1,
    trouble: (id, problem) => void trouble.run(problem ?? null, id),
    remove: (id) => remove.run(id).changes === 1,
  }
}
