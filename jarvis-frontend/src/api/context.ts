import type { Checkpoint, CheckpointDetail, ContextReport, Page } from 'protocol'
import { call } from './http.ts'
import { sessionPath as path } from './sessions.ts'

/** Reads how the window of a session's model is filled. Changes nothing. */
export const readContext = (id: string) => call<ContextReport>('GET', `${path(id)}/context`)
/** Folds older turns. It ends with an answer in the chat. */
export const foldNow = (id: string) => call<{ runId: string }>('POST', `${path(id)}/fold`)
/** The messages that one can go back to, newest first. */
export const readCheckpoints = (id: string) => call<Page<Checkpoint>>('GET', `${path(id)}/checkpoints`)
/** Reads which files going back would restore, and which changes stay. */
export const readCheckpoint = (id: string, seq: number) =>
  call<CheckpointDetail>('GET', `${path(id)}/checkpoints/${seq}`)
