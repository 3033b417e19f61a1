import { JarvisError, mainAgentId, type SessionSummary } from 'protocol'
import type { Runs } from '../agent/runs.ts'
import type { ListedSession, SessionList } from '../agent/sessions/session-list.ts'
import type { Shares } from '../agent/sessions/shares.ts'
import type { StoredSession, TranscriptStore } from '../agent/sessions/transcript-store.ts'

/** Converts sessions to the form in which the routes return them. */
export interface SessionView {
  /** The session with this id. @throws JarvisError `unknown_session` */
  known(id: string): StoredSession
  /** Returns the ids of all versions of a session. */
  familyOf(id: string): string[]
  /** Returns the session in the form for replies. @throws JarvisError as `known` */
  summary(id: string): SessionSummary
  /** Returns the function that makes the rows of a list. @param waiting the number of cards and questions that wait, by session */
  toRow(waiting: Map<string, number>): (session: ListedSession) => SessionSummary
}

export function createSessionView(parts: {
  runs: Pick<Runs, 'isRunning'>
  store: TranscriptStore
  list: SessionList
  waitingCounts(): Map<string, number>
  shares: Pick<Shares, 'of'>
}): SessionView {
  const { runs, store } = parts
  const toSummary = (
    {
      nextSeq: _,
      totals,
      found,
      agent,
      messages,
      preview,
      ...session
    }: Omit<ListedSession, 'messages'> & { messages?: number },
    waiting: Map<string, number>,
    ids = [session.id],
  ): SessionSummary => {
    const sharedWith = parts.shares.of(session.id)
    return {
      ...session,
      ...(agent !== mainAgentId && { agent }),
      ...totals,
      ...(messages !== undefined && { messages }),
      ...(preview !== undefined && { preview }),
      ...(found && { found }),
      ...(sharedWith.length > 0 && { sharedWith }),
      isRunning: ids.some((id) => runs.isRunning(id)),
      pendingCount: ids.reduce((sum, id) => sum + (waiting.get(id) ?? 0), 0),
    }
  }
  /** A row represents all versions of a session, so what waits in an older version is counted too. */
  const toRow = (waiting: Map<string, number>) => (session: ListedSession) =>
    toSummary(session, waiting, session.versions === undefined ? [session.id] : familyOf(session.id))
  const familyOf = (id: string) => store.family(id).map((member) => member.id)
  const known = (id: string) => {
    const session = store.session(id)
    if (session === undefined) throw new JarvisError('unknown_session', 'There is no such session. It may be deleted.')
    return session
  }
  const summary = (id: string) => {
    const totals = parts.list.totals(id)
    return toSummary({ ...known(id), ...(totals && { totals }) }, parts.waitingCounts())
  }

  return { known, familyOf, summary, toRow }
}
