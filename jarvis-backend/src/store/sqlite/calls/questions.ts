import type { Question, QuestionResolution } from 'protocol'
import type { QuestionStore, StoredQuestion } from '../../../calls/questions/question.ts'
import type { Database } from '../database.ts'

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

export function createQuestionStore({ sql }: Database): QuestionStore {
  const insert = sql.prepare(
    `INSERT INTO questions (id, session_id, run_id, tool_use_id, is_own, created_at, facts)
     VALUES (@id, @sessionId, @runId, @toolUseId, @isOwn, @createdAt, @facts)`,
  )
  const select = sql.prepare<[string], Row>('SELECT * FROM questions WHERE id = ?')
  const selectOfCall = sql.prepare<[string], Row>(
    'SELECT * FROM questions WHERE tool_use_id = ? AND is_own = 1 ORDER BY created_at DESC, id DESC LIMIT 1',
  )
  const end = sql.prepare(
    'UPDATE questions SET ended_at = @at, ending = @ending, is_told = @isTold WHERE id = @id AND ended_at IS NULL',
  )
  const tell = sql.prepare('UPDATE questions SET is_told = 1 WHERE id = ?')
  const selectOpen = sql.prepare<{ sessionId: string | null }, Row>(
    `SELECT * FROM questions WHERE ended_at IS NULL AND (@sessionId IS NULL OR session_id = @sessionId)
     ORDER BY created_at, id`,
  )
  const selectEnded = sql.prepare<[number], Row>(
    'SELECT * FROM questions WHERE ended_at >= ? ORDER BY ended_at DESC, id DESC LIMIT 200',
  )
  const one = (row: Row | undefined) => row && toStored(row)

  return {
    add({ question, sessionId, runId }) {
      const { questionId: id, toolUseId, server, createdAt } = question
      const isOwn = server === undefined ? 1 : 0
      insert.run({ id, sessionId, runId, toolUseId, isOwn, createdAt, facts: JSON.stringify(question) })
    },
    get: (questionId) => one(select.get(questionId)),
    ofCall: (toolUseId) => one(selectOfCall.get(toolUseId)),
    resolve: (id, { at, ...ending }, isTold) =>
      end.run({ id, at, ending: JSON.stringify(ending), isTold: isTold ? 1 : 0 }).changes === 1,
    tell: (questionId) => void tell.run(questionId),
    open: (sessionId = undefined) => selectOpen.all({ sessionId: sessionId ?? null }).map(toStored),
    list: (since) =>
      [...selectOpen.all({ sessionId: null }), ...selectEnded.all(since)].map((row) => {
        const { question, sessionId, resolution } = toStored(row)
        if (resolution === undefined) return { ...question, sessionId }
        const { at: endedAt, ...ending } = resolution
        return { ...question, sessionId, ...ending, endedAt }
      }),
  }
}
