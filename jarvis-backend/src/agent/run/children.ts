import { JarvisError, type Principal } from 'protocol'
import { newId } from '../../lib/ids.ts'
import { type ActiveRun, activeRun } from '../active-run.ts'
import type { ChildOrigin } from '../origin.ts'
import type { RunAgent } from '../run-agent.ts'
import type { RunsParts } from '../runs.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { ChildRun, StoredEntry } from '../sessions/transcript-store.ts'
import { type ChildOutcome, mostAtOnce, mostOfRun, recordOf, standingOf } from './child.ts'
import { createSpenderOf } from './spender.ts'

/** Work that a call hands to another agent. `tools`: all that the child may use. */
export type Delegation = {
  sessionId: string
  runId: string
  toolUseId: string
  agent: string
  task: string
  tools?: readonly string[]
  asker: Principal
}

export type Children = {
  /**
   * Begins the child run of a call, or takes up the one that it began, and waits until it has ended. Never settles where the server
   * stops first: the next start resumes both.
   * @param signal aborts when the run that asks is stopped; its children are stopped with it
   * @throws JarvisError `invalid_request`, with what to do
   */
  delegate(work: Delegation, signal: AbortSignal): Promise<ChildOutcome>
  /** A run begins to be worked on: a child shares the locks of the run that asked, and ends with it. */
  join(session: LiveSession, run: ActiveRun): void
  /** A run is over: stops the children that nobody waits for any more. */
  leave(session: LiveSession, run: ActiveRun): void
}

/** @param door of `runs.ts` */
export function createChildren(
  parts: Pick<RunsParts, 'store' | 'clock' | 'redact' | 'slices' | 'budgets'>,
  door: {
    agent: Pick<RunAgent, 'begin' | 'go'>
    live: Pick<LiveSessions, 'get'>
    start(session: LiveSession, run: ActiveRun, work: () => Promise<void>): void
    stopRun(run: ActiveRun, by: string): void
    isStopping(): boolean
  },
): Children {
  const { store, clock, redact } = parts
  const spenderOf = createSpenderOf(parts)

  const childrenOf = (session: LiveSession, runId: string) =>
    [...session.runs.values()].filter(({ origin }) => origin.kind === 'child' && origin.parent === runId)

  /** The call's work as it is stored. @param mostTokens of its slice of the budget */
  function originOf(parent: ActiveRun, work: Delegation, mostTokens: number | undefined): ChildOrigin {
    const { toolUseId, agent, tools, asker } = work
    const { model, isReadOnly } = { model: undefined, isReadOnly: undefined, ...parent.origin }
    return {
      kind: 'child',
      parent: parent.row.id,
      call: toolUseId,
      agent,
      for: parent.agent,
      task: redact.text(work.task),
      asker,
      ...(tools && { tools }),
      mostTokens,
      ...(model !== undefined && { model }),
      ...(isReadOnly && { isReadOnly }),
    }
  }

  function begin(session: LiveSession, parent: ActiveRun, work: Delegation): ActiveRun {
    if (store.childRuns(session.id, parent.row.id).length >= mostOfRun)
      throw refused(
        `This run has asked other agents ${mostOfRun} times, which is all it may. Go on with what is known.`,
      )
    const ids = { runId: newId('run'), sessionId: session.id }
    const run = store.atomically(() => {
      const slice = parts.slices.take(spenderOf(session, parent), ids)
      if ('refused' in slice) throw refused(slice.refused)
      const origin = originOf(parent, work, slice.taken.tokens)
      const row = { id: ids.runId, sessionId: session.id, origin, status: 'running' as const, at: clock.now() }
      const run = activeRun({ ...row, position: store.addRun(row) }, origin, work.agent)
      run.show = door.agent.begin(session, run)
      return run
    })
    door.start(session, run, () => door.agent.go(session, run))
    return run
  }

  async function ended(run: ActiveRun): Promise<void> {
    await run.ended
    if (run.isOver) return
    // The next start goes on with it.
    if (door.isStopping()) await new Promise(() => {})
    throw new JarvisError('storage_failed', 'The end of the work could not be stored: the disk may be full.')
  }

  /** Begins a child when fewer of its run work than may. Looks and begins in one tick, so that no other comes between. */
  async function beginInTurn(session: LiveSession, parent: ActiveRun, work: Delegation, signal: AbortSignal) {
    for (;;) {
      signal.throwIfAborted()
      if (door.isStopping()) await new Promise(() => {})
      const working = childrenOf(session, parent.row.id).filter(({ isOver }) => !isOver)
      if (working.length < mostAtOnce) return begin(session, parent, work)
      await Promise.race(working.map((child) => child.ended))
    }
  }

  return {
    async delegate(work, signal) {
      const { sessionId, runId, toolUseId } = work
      const begun = store.runOfCall(toolUseId)
      const session = door.live.get(sessionId)
      if (begun?.isEnded) return outcomeOf(begun, store.entriesOfRun(begun.id))
      const parent = session?.runs.get(runId)
      if (session === undefined || parent === undefined || !mayAsk(parent))
        throw refused('Only an agent that a person talks to, or a job with a prompt, asks other agents.')
      const run = begun === undefined ? await beginInTurn(session, parent, work, signal) : session.runs.get(begun.id)
      if (run === undefined)
        throw refused('What was asked before the restart was lost. Ask again where it still matters.')
      await ended(run)
      const row = store.runOfCall(toolUseId) ?? { id: run.row.id, at: run.row.at }
      return outcomeOf(row, store.entriesOfRun(run.row.id))
    },
    leave(session, run) {
      for (const child of childrenOf(session, run.row.id)) if (!child.isOver) door.stopRun(child, run.abortedBy)
    },
    join(session, run) {
      if (run.origin.kind !== 'child') return
      const parent = session.runs.get(run.origin.parent)
      if (parent === undefined) return
      run.locks = parent.locks
      const stop = () => {
        if (!run.isOver) door.stopRun(run, parent.abortedBy)
      }
      if (parent.abort.signal.aborted) queueMicrotask(stop)
      else parent.abort.signal.addEventListener('abort', stop, { once: true })
    },
  }
}

/** A child asks nobody: the depth is one. A plan and a client's call name their calls themselves. */
const mayAsk = ({ origin }: ActiveRun): boolean =>
  origin.kind === 'chat' || origin.kind === 'command' || (origin.kind === 'job' && 'text' in origin)

const refused = (message: string) => new JarvisError('invalid_request', message)

/** @throws where the run has not ended */
function outcomeOf({ at }: Pick<ChildRun, 'at'>, entries: readonly StoredEntry[]): ChildOutcome {
  const end = entries.findLast((entry) => entry.type === 'subrun' && entry.change === 'end')
  const last = entries.at(-1)
  if (end?.type !== 'subrun' || end.change !== 'end' || (last?.type !== 'done' && last?.type !== 'error'))
    throw new Error('A child run has no end.')
  const { seq: _, runId: __, at: endedAt, type: ___, change: ____, ...came } = end
  const durationMs = Math.max(0, endedAt - at)
  return { ...came, durationMs, text: `${recordOf(entries)}\n\n${standingOf(entries, last, end.by).text}` }
}
