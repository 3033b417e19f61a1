import { type Effort, JarvisError } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { ModelChoice } from '../model.ts'
import { type BranchPoint, branchAt } from './branch.ts'
import { untitled } from './title.ts'
import type { StoredSession, TranscriptStore } from './transcript-store.ts'
import { originAt } from './versions.ts'

/** Changes to a conversation other than new messages. Each method throws JarvisError `unknown_session`. */
export type Sessions = {
  /**
   * Archives a session with all its versions, or takes them out of the archive. A message in an archived session takes it out again. @returns false
   * if nothing changed
   */
  archive(sessionId: string, isArchived: boolean): boolean
  /** Sets the model that answers from the next message on; undefined: the one in use. @throws JarvisError `invalid_request` */
  setModel(sessionId: string, model: string | undefined): void
  /** Sets the effort with which models think from the next message on; undefined: the effort in the settings. */
  setEffort(sessionId: string, effort: Effort | undefined): void
  /**
   * Creates a session that begins with a copy of another session’s entries. The original session does not change, and may continue meanwhile. If the
   * point is before a message, the next message in the new session is another version of that message.
   * @throws JarvisError `not_found`, `invalid_request`
   */
  branch(sessionId: string, point: BranchPoint, model?: string): { sessionId: string; entry: number }
}

export function createSessions(parts: {
  store: TranscriptStore
  models: Pick<ModelChoice, 'require'>
  clock: Clock
  changed(sessionId: string): void
}): Sessions {
  const { store, models, clock, changed } = parts
  function stored(sessionId: string): StoredSession {
    const session = store.session(sessionId)
    if (session === undefined) throw new JarvisError('unknown_session', 'There is no such session. It may be deleted.')
    return session
  }
  return {
    archive(sessionId, isArchived) {
      stored(sessionId)
      const others = store.family(sessionId).filter(({ id }) => (stored(id).archivedAt !== undefined) !== isArchived)
      for (const { id } of others) store.archiveSession(id, isArchived ? clock.now() : undefined)
      if (others.length > 0) changed(sessionId)
      return others.length > 0
    },
    setModel(sessionId, model) {
      stored(sessionId)
      if (model !== undefined) models.require(model)
      store.setModel(sessionId, model)
      changed(sessionId)
    },
    setEffort(sessionId, effort) {
      stored(sessionId)
      store.setEffort(sessionId, effort)
      changed(sessionId)
    },
    branch(sessionId, point, model) {
      const { title } = stored(sessionId)
      if (model !== undefined) models.require(model)
      const { entry, below, cut } = branchAt(store, sessionId, point)
      const id = newId('ses')
      const isEmpty = cut === undefined && store.entriesBefore(sessionId, below, 1).items.length === 0
      store.atomically(() => {
        const runId = store.copySession({
          from: sessionId,
          id,
          title: isEmpty ? untitled : title,
          below,
          entry,
          nextSeq: below + (cut === undefined ? 0 : cut.entries.length),
          at: clock.now(),
          ...(cut && { cut: cut.runId }),
          ...('before' in point && { versionOf: originAt(sessionId, entry, store.family(sessionId)) }),
          model,
        })
        if (runId === undefined) return
        for (const [at, last] of (cut?.entries ?? []).entries()) {
          store.append(id, { ...last, seq: below + at, runId })
        }
      })
      changed(id)
      return { sessionId: id, entry }
    },
  }
}
