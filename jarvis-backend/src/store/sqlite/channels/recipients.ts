import type { Recipient, RecipientStore } from '../../../channels/ports.ts'
import type { Database } from '../database.ts'

type Row = Omit<Recipient, 'isGroup' | 'hidesNames' | 'talks' | 'agent' | 'problem'> & {
  isGroup: number
  hidesNames: number
  talks: number
  agent: string | null
  problem: string | null
}

const columns =
  'id, channel, account, person, user, chat, name, is_group AS isGroup, decides, hides_names AS hidesNames, talks, agent, created_at AS createdAt, problem'

const toRecipient = ({ isGroup, hidesNames, talks, agent, problem, ...row }: Row): Recipient => ({
  ...row,
  isGroup: isGroup === 1,
  hidesNames: hidesNames === 1,
  talks: talks === 1,
  ...(agent !== null && { agent }),
  ...(problem !== null && { problem }),
})

const bit = (is: boolean | undefined) => (is === undefined ? null : is ? 1 : 0)

export function createRecipientStore({ sql }: Database): RecipientStore {
  const insert = sql.prepare(
    `INSERT INTO channel_recipients (id, channel, account, person, user, chat, name, is_group, decides, hides_names, talks, agent, created_at)
     VALUES (@id, @channel, @account, @person, @user, @chat, @name, @isGroup, @decides, @hidesNames, @talks, @agent, @createdAt)
     ON CONFLICT (channel, user) DO NOTHING`,
  )
  const select = sql.prepare<[string], Row>(`SELECT ${columns} FROM channel_recipients WHERE id = ?`)
  const selectAll = sql.prepare<[], Row>(`SELECT ${columns} FROM channel_recipients ORDER BY created_at, id`)
  const update = sql.prepare(
    `UPDATE channel_recipients SET decides = COALESCE(@decides, decides), hides_names = COALESCE(@hidesNames, hides_names),
       talks = COALESCE(@talks, talks), agent = CASE WHEN @agent IS NULL THEN agent ELSE NULLIF(@agent, '') END
     WHERE id = @id`,
  )
  const move = sql.prepare(
    'UPDATE OR IGNORE channel_recipients SET user = @chat, chat = @chat WHERE id = @id AND is_group = 1',
  )
  const trouble = sql.prepare('UPDATE channel_recipients SET problem = ? WHERE id = ?')
  const remove = sql.prepare('DELETE FROM channel_recipients WHERE id = ?')
  return {
    add: ({ problem: _, isGroup, hidesNames, talks, agent = null, ...recipient }) =>
      insert.run({ ...recipient, isGroup: bit(isGroup), hidesNames: bit(hidesNames), talks: bit(talks), agent })
        .changes === 1,
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
        id,
        decides,
        hidesNames: bit(hidesNames),
        talks: bit(talks),
        // An empty text means that no agent is set any more.
        agent: agent === null ? '' : (agent ?? null),
      }).changes === 1,
    move: (id, chat) => move.run({ id, chat }).changes === 1,
    trouble: (id, problem) => void trouble.run(problem ?? null, id),
    remove: (id) => remove.run(id).changes === 1,
  }
}
