import type { ChildRunRow, EntryOf } from 'protocol'
import { stepsOf } from '../run-trace.ts'
import type { StoredEntry, TranscriptStore } from '../sessions/transcript-store.ts'
import { tokensOf } from '../spent.ts'

type Subrun = EntryOf<'subrun'>
const lineOf = <C extends Subrun['change']>(entries: readonly StoredEntry[], change: C) =>
  entries.find((entry): entry is Extract<Subrun, { change: C }> => entry.type === 'subrun' && entry.change === change)

/** Returns the child runs of a session, oldest first, each with its task and its outcome. */
export function childrenIn(
  store: Pick<TranscriptStore, 'childRuns' | 'entriesOfRun'>,
  sessionId: string,
): ChildRunRow[] {
  return store.childRuns(sessionId).flatMap(({ id: runId, parent, at }) => {
    const entries = store.entriesOfRun(runId)
    const begin = lineOf(entries, 'begin')
    const end = lineOf(entries, 'end')
    if (begin === undefined) return []
    const { toolUseId, agent, task, tools, mostTokens } = begin
    return {
      runId,
      parentRunId: parent,
      toolUseId,
      agent,
      for: begin.for,
      task,
      startedAt: at,
      ...(tools && { tools }),
      mostTokens,
      calls: stepsOf(entries).length,
      tokens: tokensOf(entries),
      state: end?.state ?? 'working',
      ...(end && { summary: end.summary, endedAt: end.at }),
      ...(end?.costUsd !== undefined && { costUsd: end.costUsd }),
    }
  })
}
