import type { SessionSource } from 'protocol'
import type { Spent } from '../spent.ts'
import type { StoredSession } from './transcript-store.ts'

/** The tokens and cost of a session, without entries copied from another session. `costUsd`: undefined if a price is not known. */
export type SessionTotals = Spent

export type ListedSession = StoredSession & {
  /** Undefined until the session’s entries have been counted. */
  totals?: SessionTotals
  /** Number of messages that people, programs and jobs sent in the session. */
  messages: number
  /** The first words of the newest answer; undefined if there is none. */
  preview?: string
  /** The message in which the searched words were found; undefined if they are in the title. */
  found?: { seq: number; text: string }
}

export type SessionQuery = {
  limit: number
  /** A cursor: the value `next` of the page before. */
  before?: string
  /** A search text. Each of its words must be the beginning of a word in the title or in a message; a text `"in quotes"` must occur exactly. */
  words?: string
  source?: SessionSource
  archived: 'no' | 'only' | 'all'
  /** Ids of agents; undefined: all agents. */
  agents?: readonly string[]
  /** The id of the person who owns the sessions. */
  owner?: string
  /** The id of a channel on which the sessions were used. */
  channel?: string
  /** The sessions that last changed at or after `since` and before `until`, Unix ms. */
  since?: number
  until?: number
  /** The person whose sessions are listed; undefined: the sessions of all people. */
  person?: string
}

/** The list of sessions, with search. */
export interface SessionList {
  /** Returns one page, ordered by last change, newest first. `isIndexing`: not all sessions can be searched yet. */
  page(query: SessionQuery): { items: ListedSession[]; next?: string; isIndexing: boolean }
  /** Returns the number of sessions in the whole list. */
  count(query: Omit<SessionQuery, 'limit' | 'before' | 'words'>): number
  totals(sessionId: string): SessionTotals | undefined
  /** The session's title or entries have changed. */
  changed(sessionId: string): void
}
