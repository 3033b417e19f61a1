import type { Entry } from 'protocol'
import type { SentAlong } from '../program.ts'

/** An entry before it is stored. The session adds `seq`, `runId` and `at`. */
export type Draft = Entry extends infer E ? (E extends Entry ? Omit<E, 'seq' | 'runId' | 'at'> : never) : never

export type StoredEntry = Entry & Given

/**
 * Parts of an entry that are sent to models but not to clients. `context` (messages and tasks of child runs): the cluster summary. `todo`
 * (messages): the model’s own open list. `speaker` (messages, answers and decisions): the writer’s name at that time, if several people write in the
 * conversation.
 */
export type Given = { context?: string; todo?: string; speaker?: string } & SentAlong
