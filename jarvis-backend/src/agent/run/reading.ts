import type { ToolCall } from '../../protocol/index.ts'
import type { ActiveRun } from '../active-run.ts'
import { windowOf } from '../conversation.ts'
import { rightsOf } from '../principal.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { StoredEntry, TranscriptStore } from '../sessions/transcript-store.ts'
import { type Sources, sourcesOf, tellingTypes } from '../sources.ts'
import type { RunFacts } from './facts.ts'

/** Runs of an earlier conversation in which a text of the memory may have been said. */
const mostRunsRemembered = 200

/** Reads what a run goes on from: the earlier runs of its session, and the texts that the requester had read. */
export function createRunReading(store: TranscriptStore, { profileOf, principalIn }: RunFacts) {
  function earlierEntries(session: LiveSession, run: ActiveRun): StoredEntry[] {
    run.earlier ??=
      run.row.position === 0
        ? []
        : store
            .newestRuns(session.id, windowOf(run.row.position + 1, profileOf(session, run).limits.history))
            .filter(({ runId }) => runId !== run.row.id)
    return run.earlier
  }

  /** The texts that the principal had read: a model all that it was given, a client the results of its own earlier calls. */
  function sourcesFor(session: LiveSession, run: ActiveRun, { toolUseId }: ToolCall): Sources {
    const { isForeign, hasModel } = rightsOf(principalIn(run))
    // A command is the operator's own words.
    if (!isForeign && !hasModel) return { results: [], operatorTexts: [] }
    const entries = [...earlierEntries(session, run), ...run.entries]
    const sources = sourcesOf(entries, toolUseId, isForeign, tellingEntries)
    const { read = [] } = ('asked' in run.origin && run.origin.asked) || {}
    const resources = read.map((text) => ({ toolName: 'resource', toolUseId: 'resource', text }))
    return { ...sources, results: [...resources, ...sources.results] }
  }

  /** The newest of an operator's conversation. */
  const tellingEntries = (sessionId: string): StoredEntry[] =>
    store.session(sessionId)?.source === 'chat' ? store.newestRuns(sessionId, mostRunsRemembered, tellingTypes) : []

  return { earlierEntries, sourcesFor }
}
