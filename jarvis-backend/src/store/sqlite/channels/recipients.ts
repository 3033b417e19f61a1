import type { Recipient, RecipientStore } from '../../../channels/ports.ts'
import { SqliteStore } from '../sqlite-store.ts'

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

export class SqliteRecipientStore extends SqliteStore implements RecipientStore {
  readonly #insert = this.sql.prepare(
    `INSERT INTO channel_recipients (id, channel, account, person, user, chat, name, is_group, decides, hides_names, talks, agent, created_at)
     VALUES (@id, @channel, @account, @person, @user, @chat, @name, @isGroup, @decides, @hidesNames, @talks, @agent, @createdAt)
     ON CONFLICT (channel, user) DO NOTHING`,
  )
  readonly #select = this.sql.prepare<[string], Row>(`SELECT ${columns} FROM channel_recipients WHERE id = ?`)
  readonly #selectAll = this.sql.prepare<[], Row>(`SELECT ${columns} FROM channel_recipients ORDER BY created_at, id`)
  readonly #update = this.sql.prepare(
    `UPDATE channel_recipients SET decides = COALESCE(@decides, decides), hides_names = COALESCE(@hidesNames, hides_names),
       talks = COALESCE(@talks, talks), agent = CASE WHEN @agent IS NULL THEN agent ELSE NULLIF(@agent, '') END
     WHERE id = @id`,
  )
  readonly #move = this.sql.prepare(
    'UPDATE OR IGNORE channel_recipients SET user = @chat, chat = @chat WHERE id = @id AND is_group = 1',
  )
  readonly #trouble = this.sql.prepare('UPDATE channel_recipients SET problem = ? WHERE id = ?')
  readonly #remove = this.sql.prepare('DELETE FROM channel_recipients WHERE id = ?')

  add({ problem: _, isGroup, hidesNames, talks, agent, ...recipient }: Recipient): boolean {
    const row = {
      ...recipient,
      isGroup: bit(isGroup),
      hidesNames: bit(hidesNames),
      talks: bit(talks),
      agent: agent ?? null,
    }
    return this.#insert.run(row).changes === 1
  }

  get(id: string): Recipient | undefined {
    const row = this.#select.get(id)
    return row && toRecipient(row)
  }

  list(channel?: string): Recipient[] {
    return this.#selectAll
      .all()
      .filter((row) => channel === undefined || row.channel === channel)
      .map(toRecipient)
  }

  set(
    id: string,
    {
      decides,
      hidesNames,
      talks,
      agent,
    }: Partial<Pick<Recipient, 'decides' | 'hidesNames' | 'talks'>> & { agent?: string | null },
  ): boolean {
    return (
      this.#update.run({
        id,
        decides: decides ?? null,
        hidesNames: bit(hidesNames),
        talks: bit(talks),
        // An empty text means that no agent is set any more.
        agent: agent === null ? '' : (agent ?? null),
      }).changes === 1
    )
  }

  move(id: string, chat: string): boolean {
    return this.#move.run({ id, chat }).changes === 1
  }

  trouble(id: string, problem: string | undefined): void {
    this.#trouble.run(problem ?? null, id)
  }

  remove(id: string): boolean {
    return this.#remove.run(id).changes === 1
  }
}
