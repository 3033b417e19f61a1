import type { Question, QuestionResolution, QuestionRow } from 'protocol'
import type { QuestionStore, StoredQuestion } from '../../../calls/questions/question.ts'
import { SqliteStore } from '../sqlite-store.ts'

type Row = {
  session_id: string
  run_id: string
  ended_at: number | null
  is_told: number
  facts: string
  ending: string | null
}

const toStored = (row: Row): StoredQuestion => ({
  question: JSON.parse(row.facts) as Question,
  sessionId: row.session_id,
  runId: row.run_id,
  ...(row.ending !== null && {
    resolution: { ...(JSON.parse(row.ending) as QuestionResolution), at: row.ended_at ?? 0 },
  }),
  isTold: row.is_told === 1,
})

const one = (row: Row | undefined) => row && toStored(row)

export class SqliteQuestionStore extends SqliteStore implements QuestionStore {
  readonly #insert = this.sql.prepare(
    `INSERT INTO questions (id, session_id, run_id, tool_use_id, is_own, created_at, facts)
     VALUES (@id, @sessionId, @runId, @toolUseId, @isOwn, @createdAt, @facts)`,
  )
  readonly #select = this.sql.prepare<[string], Row>('SELECT * FROM questions WHERE id = ?')
  readonly #selectOfCall = this.sql.prepare<[string], Row>(
    'SELECT * FROM questions WHERE tool_use_id = ? AND is_own = 1 ORDER BY created_at DESC, id DESC LIMIT 1',
  )
  readonly #end = this.sql.prepare(
    'UPDATE questions SET ended_at = @at, ending = @ending, is_told = @isTold WHERE id = @id AND ended_at IS NULL',
  )
  readonly #tell = this.sql.prepare('UPDATE questions SET is_told = 1 WHERE id = ?')
  readonly #selectOpen = this.sql.prepare<{ sessionId: string | null }, Row>(
    `SELECT * FROM questions WHERE ended_at IS NULL AND (@sessionId IS NULL OR session_id = @sessionId)
     ORDER BY created_at, id`,
  )
  readonly #selectEnded = this.sql.prepare<[number], Row>(
    'SELECT * FROM questions WHERE ended_at >= ? ORDER BY ended_at DESC, id DESC LIMIT 200',
  )

  add({ question, sessionId, runId }: Pick<StoredQuestion, 'question' | 'sessionId' | 'runId'>): void {
    const { questionId: id, toolUseId, server, createdAt } = question
    const isOwn = server === undefined ? 1 : 0
    this.#insert.run({ id, sessionId, runId, toolUseId, isOwn, createdAt, facts: JSON.stringify(question) })
  }

  get(questionId: string): StoredQuestion | undefined {
    return one(this.#select.get(questionId))
  }

  ofCall(toolUseId: string): StoredQuestion | undefined {
    return one(this.#selectOfCall.get(toolUseId))
  }

  resolve(id: string, { at, ...ending }: QuestionResolution & { at: number }, isTold: boolean): boolean {
    return this.#end.run({ id, at, ending: JSON.stringify(ending), isTold: isTold ? 1 : 0 }).changes === 1
  }

  tell(questionId: string): void {
    this.#tell.run(questionId)
  }

  open(sessionId?: string): StoredQuestion[] {
    return this.#selectOpen.all({ sessionId: sessionId ?? null }).map(toStored)
  }

  list(since: number): QuestionRow[] {
    return [...this.#selectOpen.all({ sessionId: null }), ...this.#selectEnded.all(since)].map((row) => {
      const { question, sessionId, resolution } = toStored(row)
      if (resolution === undefined) return { ...question, sessionId }
      const { at: endedAt, ...ending } = resolution
      return { ...question, sessionId, ...ending, endedAt }
    })
  }
}
