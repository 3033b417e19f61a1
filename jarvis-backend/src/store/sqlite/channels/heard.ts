import type { Heard, HeardStore } from '../../../channels/talk/ports.ts'
import { SqliteStore } from '../sqlite-store.ts'

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

export class SqliteHeardStore extends SqliteStore implements HeardStore {
  readonly #insert = this.sql.prepare(
    'INSERT INTO channel_heard (id, recipient, thread, file, at) VALUES (@id, @recipient, @thread, @file, @at)',
  )
  readonly #select = this.sql.prepare<[string], Row>(`SELECT ${columns} FROM channel_heard WHERE id = ?`)
  readonly #selectOpen = this.sql.prepare<[], Row>(
    `SELECT ${columns} FROM channel_heard WHERE text IS NULL AND problem IS NULL ORDER BY at, id`,
  )
  readonly #hear = this.sql.prepare(
    `UPDATE channel_heard SET text = @text, problem = @problem WHERE id = @id AND text IS NULL AND problem IS NULL`,
  )
  readonly #end = this.sql.prepare('UPDATE channel_heard SET end = ? WHERE id = ? AND end IS NULL')
  readonly #removeOf = this.sql.prepare('DELETE FROM channel_heard WHERE recipient = ?')
  readonly #prune = this.sql.prepare('DELETE FROM channel_heard WHERE at < ?')

  add(note: Pick<Heard, 'id' | 'recipient' | 'thread' | 'file' | 'at'>): void {
    this.#insert.run(note)
  }

  get(id: string): Heard | undefined {
    const row = this.#select.get(id)
    return row && toHeard(row)
  }

  open(): Heard[] {
    return this.#selectOpen.all().map(toHeard)
  }

  hear(id: string, what: { text: string } | { problem: string }): boolean {
    return this.#hear.run({ id, text: null, problem: null, ...what }).changes === 1
  }

  end(id: string, how: NonNullable<Heard['end']>): boolean {
    return this.#end.run(how, id).changes === 1
  }

  removeOf(recipient: string): void {
    this.#removeOf.run(recipient)
  }

  prune(before: number): void {
    this.#prune.run(before)
  }
}
