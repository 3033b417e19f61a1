import type { SessionSource } from 'protocol'
import type { Spent } from '../spent.ts'
import type { StoredSession } from './transcript-store.ts'

/** The tokens and cost of a session, without entries that it copied from another one. `costUsd`: absent if a price is not known. */
export type SessionTotals = Spent

export type ListedSession = StoredSession & {
  /** Absent until its entries were counted. */
  totals?: SessionTotals
  /** The message in which the words were found, if they are not in the title. */
  found?: { seq: number; text: string }
}

export type SessionQuery = {
  limit: number
  /** A cursor from `next`. */
  before?: string
  /** Every word must begin a word of the title or of a message; `"in quotes"`: exactly so. */
  words?: string
  source?: SessionSource
  archived: 'no' | 'only' | 'all'
  /** The person whose sessions are listed; absent: everybody's. */
  person?: string
}

/** The sessions as a person looks for them. */
export interface SessionList {
  /** Newest first by last change. `isIndexing`: not all sessions are searched yet. */
  page(query: SessionQuery): { items: ListedSession[]; next?: string; isIndexing: boolean }
  /** Number of rows in the whole list. */
  count(query: {
    source: SessionQuery['source'] | undefined
    archived: SessionQuery['archived']
    person?: string
  }): number
  totals(sessionId: string): SessionTotals | undefined
  /** The session's title or entries have changed. */
  changed(sessionId: string): void
}
