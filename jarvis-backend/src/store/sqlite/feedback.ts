import type { FeedbackStore, StoredFeedback } from '../../agent/sessions/feedback.ts'
import { SqliteStore } from './sqlite-store.ts'

type Row = {
  id: string
  at: number
  about: StoredFeedback['about']
  person: string
  rating: 'up' | 'down' | null
  text: string | null
  session_id: string | null
  seq: number | null
}

export class SqliteFeedbackStore extends SqliteStore implements FeedbackStore {
  // A copy of a conversation holds the same bodies in later rows, and MIN takes the other columns from the first.
  readonly #page = this.sql.prepare<[object], Row>(
    `WITH rated AS (
       SELECT MIN(rowid), session_id, seq, body FROM entries AS rating
       WHERE type = 'rating' AND body ->> '$.rating' IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM entries AS later WHERE later.type = 'rating' AND later.session_id = rating.session_id
           AND later.seq > rating.seq AND later.body ->> '$.of' = rating.body ->> '$.of')
       GROUP BY body
     ), given AS (
       SELECT 'rating_' || session_id || '_' || seq AS id, body ->> '$.at' AS at, 'answer' AS about, body ->> '$.by' AS person,
         body ->> '$.rating' AS rating, body ->> '$.note' AS text, session_id, body ->> '$.of' AS seq FROM rated
       UNION ALL SELECT id, at, 'jarvis', person, NULL, text, session_id, seq FROM feedback
     )
     SELECT * FROM given
     WHERE (@person IS NULL OR person = @person) AND (@about IS NULL OR about = @about)
       AND (@at IS NULL OR at < @at OR (at = @at AND id < @id))
     ORDER BY at DESC, id DESC LIMIT @limit`,
  )
  readonly #insert = this.sql.prepare(
    'INSERT INTO feedback (id, at, person, text, session_id, seq) VALUES (?, ?, ?, ?, ?, ?)',
  )
  readonly #person = this.sql.prepare<[string], string>('SELECT person FROM feedback WHERE id = ?').pluck()
  readonly #count = this.sql.prepare<[string], number>('SELECT COUNT(*) FROM feedback WHERE person = ?').pluck()
  readonly #remove = this.sql.prepare('DELETE FROM feedback WHERE id = ?')

  add({ id, at, person, text, sessionId, seq }: Parameters<FeedbackStore['add']>[0]): void {
    this.#insert.run(id, at, person, text, sessionId ?? null, seq ?? null)
  }

  page({ limit, before, person, about }: Parameters<FeedbackStore['page']>[0]): StoredFeedback[] {
    const { at = null, id = null } = before ?? {}
    const rows = this.#page.all({ limit, at, id, person: person ?? null, about: about ?? null })
    return rows.map(({ session_id, seq, rating, text, ...row }) => ({
      ...row,
      ...(rating !== null && { rating }),
      ...(text !== null && { text }),
      ...(session_id !== null && { sessionId: session_id }),
      ...(seq !== null && { seq }),
    }))
  }

  personOf(id: string): string | undefined {
    return this.#person.get(id)
  }

  countOf(person: string): number {
    return this.#count.get(person) ?? 0
  }

  remove(id: string): void {
    this.#remove.run(id)
  }
}
