import type { Question, QuestionResolution, QuestionRow } from 'protocol'

/** A stored question. `isTold`: the transcript says how it ended. */
export type StoredQuestion = {
  question: Question
  sessionId: string
  runId: string
  resolution?: QuestionResolution & { at: number }
  isTold: boolean
}

export interface QuestionStore {
  /** @throws if there is a question of that id */
  add(asked: Pick<StoredQuestion, 'question' | 'sessionId' | 'runId'>): void
  get(questionId: string): StoredQuestion | undefined
  /** Returns the question that a call's model asked. Questions of attached servers do not count. */
  ofCall(toolUseId: string): StoredQuestion | undefined
  /** Ends the question, compare-and-set. @returns false if it had ended before */
  resolve(questionId: string, resolution: QuestionResolution & { at: number }, isTold: boolean): boolean
  /** Marks that the transcript says how the question ended. */
  tell(questionId: string): void
  /** Lists the questions that wait, oldest first: of a session, or all. */
  open(sessionId?: string): StoredQuestion[]
  /** Lists the questions that wait, oldest first, then the ones that ended since `since`, Unix ms, newest first. */
  list(since: number): QuestionRow[]
}
