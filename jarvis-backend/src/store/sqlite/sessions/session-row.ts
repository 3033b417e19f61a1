import { type Effort, firstOwnerId, type SessionSource } from 'protocol'
import type { StoredSession } from '../../../agent/sessions/transcript-store.ts'

/** A row of `sessions`, with the title of the session from which it was branched. */
export type SessionRow = {
  id: string
  title: string
  source: SessionSource
  created_at: number
  updated_at: number
  next_seq: number
  is_rehearsal: number
  archived_at: number | null
  model: string | null
  effort: Effort | null
  agent: string
  person: string
  branched_from: string | null
  branched_entry: number | null
  branched_title: string | null
  version_of: string | null
  versions: number
}

export const sessionColumns = `sessions.id, sessions.title, source, created_at, updated_at, sessions.next_seq, is_rehearsal, archived_at,
  model, effort, sessions.agent, sessions.person, branched_from, branched_entry, (SELECT title FROM sessions AS origin WHERE origin.id = sessions.branched_from) AS branched_title,
  version_of, CASE WHEN family IS NULL THEN 1 ELSE (SELECT COUNT(*) FROM sessions AS member WHERE member.family = sessions.family) END AS versions`

export const toSession = (row: SessionRow): StoredSession => ({
  id: row.id,
  title: row.title,
  source: row.source,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  nextSeq: row.next_seq,
  isRehearsal: row.is_rehearsal === 1,
  agent: row.agent,
  ...(row.person !== firstOwnerId && { person: row.person }),
  ...(row.archived_at !== null && { archivedAt: row.archived_at }),
  ...(row.model !== null && { model: row.model }),
  ...(row.effort !== null && { effort: row.effort }),
  ...(row.versions > 1 && { versions: row.versions }),
  ...(row.branched_from !== null && {
    branchedFrom: {
      sessionId: row.branched_from,
      entry: row.branched_entry ?? 0,
      ...(row.branched_title !== null && { title: row.branched_title }),
      ...(row.version_of !== null && { isVersion: true as const }),
    },
  }),
})
