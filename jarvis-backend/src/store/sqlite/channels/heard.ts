import type { Heard, HeardStore } from '../../../channels/talk/ports.ts'
import type { Database } from '../database.ts'

type Row = Omit<Heard, 'text' | 'problem' | 'end'> & {
  text: string | null
  problem: string | null
  end: NonNullable<Heard['end']> | null
}

const columns = 'id, recipient, thread, file, at, text, problem, end'

const toHeard = ({ text, problem, end, ...row }: Row): Heard => ({
  ...row,
  ...(text !== null && { text }),
  ...(problem !== null && { problem }),
  ...(end !== null && { end }),
})

export function createHeardStore({ sql }: Database): HeardStore {
  const insert = sql.prepare(
    'INSERT INTO channel_heard (id, recipient, thread, file, at) VALUES (@id, @recipient, @thread, @file, @at)',
  )
  const select = sql.prepare<[string], Row>(`SELECT ${columns} FROM channel_heard WHERE id = ?`)
  const selectOpen = sql.prepare<[], Row>(
    `SELECT ${columns} FROM channel_heard WHERE text IS NULL AND problem IS NULL ORDER BY at, id`,
  )
  const hear = sql.prepare(
    `UPDATE channel_heard SET text = @text, problem = @problem WHERE id = @id AND text IS NULL AND problem IS NULL`,
  )
  const end = sql.prepare('UPDATE channel_heard SET end = ? WHERE id = ? AND end IS NULL')
  const removeOf = sql.prepare('DELETE FROM channel_heard WHERE recipient = ?')
  const prune = sql.prepare('DELETE FROM channel_heard WHERE at < ?')
  return {
    add: (note) => void insert.run(note),
    get(id) {
      const row = select.get(id)
      return row && toHeard(row)
    },
    open: () => selectOpen.all().map(toHeard),
    hear: (id, what) => hear.run({ id, text: null, problem: null, ...what }).changes === 1,
    end: (id, how) => end.run(how, id).changes === 1,
    removeOf: (recipient) => void removeOf.run(recipient),
    prune: (before) => void prune.run(before),
  }
}
