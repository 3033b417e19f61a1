import type { RunsParts } from '../runs.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { TranscriptStore } from '../sessions/transcript-store.ts'

/** Turns rehearsal on and off. */
export function createRehearsing(
  parts: Pick<RunsParts, 'pending' | 'cancel' | 'recordRehearsal' | 'changed'>,
  store: TranscriptStore,
  live: LiveSessions,
) {
  function keepRehearsal(sessionId: string, isRehearsal: boolean, by: string) {
    store.setRehearsal(sessionId, isRehearsal)
    parts.recordRehearsal({ sessionId, isRehearsal, by })
  }

  function setRehearsal(sessionId: string, isRehearsal: boolean, by: string) {
    if (live.stored(sessionId).isRehearsal === isRehearsal) return
    // Withdraws waiting cards first, so that a failure in between leaves nothing that would run.
    if (isRehearsal)
      for (const { toolUseId } of parts.pending(sessionId)) parts.cancel(toolUseId, by, 'Rehearsal began.')
    store.atomically(() => keepRehearsal(sessionId, isRehearsal, by))
    const session = live.get(sessionId)
    if (session !== undefined) {
      session.isRehearsal = isRehearsal
      const [runId = ''] = session.runs.keys()
      session.emit(runId, 'chat:rehearsal', { isRehearsal, by })
    }
    parts.changed(sessionId)
  }

  return { keepRehearsal, setRehearsal }
}
