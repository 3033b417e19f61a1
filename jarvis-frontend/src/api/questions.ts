import type { QuestionRow } from 'protocol'
import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

/** Waiting questions, oldest first, then questions that ended in the last day, newest first. */
export const questions = new Remote<readonly QuestionRow[]>(
  'questions',
  async () => (await call('GET /api/questions')).items,
  ['connect', 'questions'],
)

/** All questions, waiting and recently ended; undefined until they are loaded. */
export const useQuestions = (): readonly QuestionRow[] | undefined => useRemote(questions)
