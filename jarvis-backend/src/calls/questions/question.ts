import type { Question, QuestionResolution, QuestionRow } from 'protocol'

/** A question as it is kept. `isTold`: the transcript says how it ended. */
export type StoredQuestion = {
  question: Question
  sessionId: string
  runId: string
  resolution?: QuestionResolution & { at: number }
  isTold: boolean
}

export interface QuestionStore {
  /** @throws where there is one of that id */
  add(asked: Pick<StoredQuestion, 'question' | 'sessionId' | 'runId'>): void
  get(questionId: string): StoredQuestion | undefined
  /** The question that a call's model asked; those of attached servers are none. */
  ofCall(toolUseId: string): StoredQuestion | undefined
  /** Compare-and-set. @returns false where it had ended before */
  resolve(questionId: string, resolution: QuestionResolution & { at: number }, isTold: boolean): boolean
  /** The transcript says now how it ended. */
  tell(questionId: string): void
  /** Those that wait, oldest first: of a session, or all. */
  open(sessionId?: string): StoredQuestion[]
  /** Those that wait, oldest first, then those that ended since, Unix ms, newest first. */
  list(since: number): QuestionRow[]
}
