import { call } from './http.ts'

/** Reads how much of the model's context window a session uses. Changes nothing. */
export const readContext = (id: string) => call('GET /api/sessions/:id/context', { params: { id } })
/** Folds (summarizes) older turns. The outcome is an answer in the chat. */
export const foldNow = (id: string) => call('POST /api/sessions/:id/fold', { params: { id } })
/** Reads the messages that a person can go back to, newest first. */
export const readCheckpoints = (id: string) => call('GET /api/sessions/:id/checkpoints', { params: { id } })
/** Reads which files would be restored by going back to this message, and which changes would stay. */
export const readCheckpoint = (id: string, seq: number) =>
  call('GET /api/sessions/:id/checkpoints/:seq', { params: { id, seq: String(seq) } })
