import type { Checkpoint, CheckpointDetail, ContextReport, Page } from 'protocol'
import { call } from './http.ts'
import { sessionPath as path } from './sessions.ts'

/** Reads how much of the model's context window a session uses. Changes nothing. */
export const readContext = (id: string) => call<ContextReport>('GET', `${path(id)}/context`)
/** Folds (summarizes) older turns. The outcome is an answer in the chat. */
export const foldNow = (id: string) => call<{ runId: string }>('POST', `${path(id)}/fold`)
/** Reads the messages that a person can go back to, newest first. */
export const readCheckpoints = (id: string) => call<Page<Checkpoint>>('GET', `${path(id)}/checkpoints`)
/** Reads which files would be restored by going back to this message, and which changes would stay. */
export const readCheckpoint = (id: string, seq: number) =>
  call<CheckpointDetail>('GET', `${path(id)}/checkpoints/${seq}`)
