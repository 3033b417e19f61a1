import type { SessionSource } from 'protocol'
import type { Spent } from '../spent.ts'
import type { StoredSession } from './transcript-store.ts'

/** What a session has cost, without what it copied from another. `costUsd`: absent where a price in it is not known. */
export type SessionTotals = Spent

export type ListedSession = StoredSession & {
  /** Absent until its entries were counted. */
  totals?: SessionTotals
  /** The message in which the words were found, where they are not in the title. */
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
  /** Of one person alone. */
  person?: string
}

/** The sessions as a person looks for them. */
export interface SessionList {
  /** Newest first by last change. `isIndexing`: not all sessions are searched yet. */
  page(query: SessionQuery): { items: ListedSession[]; next?: string; isIndexing: boolean }
  /** Number of rows in the whole list; absent where it is searched. */
  count(query: {
    source: SessionQuery['source'] | undefined
    archived: SessionQuery['archived']
    person?: string
  }): number
  totals(sessionId: string): SessionTotals | undefined
  /** Its title or its entries are others now. */
  changed(sessionId: string): void
}
