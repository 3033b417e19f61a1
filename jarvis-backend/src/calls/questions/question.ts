import type { Question, QuestionResolution, QuestionRow } from 'protocol'

/** A stored question. `isTold`: the transcript contains its end. */
export type StoredQuestion = {
  question: Question
  sessionId: string
  runId: string
  resolution?: QuestionResolution & { at: number }
  isTold: boolean
}

export interface QuestionStore {
  /** @throws if a question with this id exists already */
  add(asked: Pick<StoredQuestion, 'question' | 'sessionId' | 'runId'>): void
  get(questionId: string): StoredQuestion | undefined
  /** Returns the question that a model asked with this call. Questions of attached servers do not count. */
  ofCall(toolUseId: string): StoredQuestion | undefined
  /** Ends the question, compare-and-set. @returns false if the question had ended before */
  resolve(questionId: string, resolution: QuestionResolution & { at: number }, isTold: boolean): boolean
  /** Marks that the transcript contains the question's end. */
  tell(questionId: string): void
  /** Lists the waiting questions of one session, or of all, oldest first. */
  open(sessionId?: string): StoredQuestion[]
  /** Lists the waiting questions, oldest first, and then the questions that ended since `since`, Unix ms, newest first. */
  list(since: number): QuestionRow[]
}
