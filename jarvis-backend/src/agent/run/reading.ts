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
  function earlierOf(session: LiveSession, run: ActiveRun): NonNullable<ActiveRun['earlier']> {
    const { id, position } = run.row
    if (position === 0) return { read: [], told: [] }
    const all = store.newestRuns(session.id, windowOf(position + 1, profileOf(session, run).limits.history))
    if (run.origin.kind === 'child') {
      // What the run that asked had read counts as read by its child, which is told of its task alone.
      const begun = run.entries[0]?.seq ?? Number.POSITIVE_INFINITY
      return { read: all.filter(({ seq, runId }) => seq < begun && runId !== id), told: [] }
    }
    const children = store.childRuns(session.id)
    const own = new Set([id, ...children.filter(({ parent }) => parent === id).map((child) => child.id)])
    const read = all.filter(({ runId }) => !own.has(runId))
    const ofChildren = new Set(children.map((child) => child.id))
    return { read, told: ofChildren.size === 0 ? read : read.filter(({ runId }) => !ofChildren.has(runId)) }
  }

  function earlier(session: LiveSession, run: ActiveRun) {
    run.earlier ??= earlierOf(session, run)
    return run.earlier
  }

  /** All that a run and its child runs have read and were told so far, in the order it came. */
  function readBy(session: LiveSession, run: ActiveRun): StoredEntry[] {
    const children = run.origin.kind === 'child' ? [] : store.childRuns(session.id, run.row.id)
    const own = [...earlier(session, run).read, ...run.entries]
    if (children.length === 0) return own
    return [...own, ...children.flatMap(({ id }) => store.entriesOfRun(id))].sort((a, b) => a.seq - b.seq)
  }

  /** The texts that the principal had read: a model all that it was given, a client the results of its own earlier calls. */
  function sourcesFor(session: LiveSession, run: ActiveRun, { toolUseId }: ToolCall): Sources {
    const { isForeign, hasModel } = rightsOf(principalIn(run))
    // A command is the operator's own words.
    if (!isForeign && !hasModel) return { results: [], operatorTexts: [] }
    const sources = sourcesOf(readBy(session, run), toolUseId, isForeign, tellingEntries)
    const { read = [] } = ('asked' in run.origin && run.origin.asked) || {}
    const resources = read.map((text) => ({ toolName: 'resource', toolUseId: 'resource', text }))
    return { ...sources, results: [...resources, ...sources.results] }
  }

  /** The newest of an operator's conversation. */
  const tellingEntries = (sessionId: string): StoredEntry[] =>
    store.session(sessionId)?.source === 'chat' ? store.newestRuns(sessionId, mostRunsRemembered, tellingTypes) : []

  return {
    /** Of earlier runs, what the model is told; a child run begins with its task. */
    earlierEntries: (session: LiveSession, run: ActiveRun) => earlier(session, run).told,
    sourcesFor,
  }
}
