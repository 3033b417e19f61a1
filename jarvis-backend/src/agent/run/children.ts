import { JarvisError, type Principal } from 'protocol'
import { newId } from '../../lib/ids.ts'
import type { ChildOrigin } from '../origin.ts'
import type { RunParts } from '../ports.ts'
import { Run } from '../run.ts'
import type { RunAgent } from '../run-agent.ts'
import type { StoredEntry } from '../sessions/entries.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { ChildRun } from '../sessions/transcript-store.ts'
import type { ActiveRuns } from './active-runs.ts'
import { type ChildOutcome, mostAtOnce, mostOfRun, recordOf, standingOf } from './child.ts'
import { spenderOf } from './spender.ts'

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

type Parts = Pick<RunParts, 'store' | 'clock' | 'redact' | 'budgets'> & { live: Pick<LiveSessions, 'get'> }

/** Hands work to child runs. */
export class Children {
  readonly #parts: Parts
  readonly #agent: RunAgent
  readonly #active: ActiveRuns

  constructor(parts: Parts, { agent, active }: { agent: RunAgent; active: ActiveRuns }) {
    this.#parts = parts
    this.#agent = agent
    this.#active = active
  }

  /**
   * Begins the child run of a call and waits until it has ended. After a restart, continues with the child run that the call had begun before. Never
   * settles if the server stops first: the next start resumes both runs.
   * @param signal aborts when the parent run is stopped; its child runs are stopped too
   * @throws JarvisError `invalid_request`; the message says what to do
   */
  async delegate(work: Delegation, signal: AbortSignal): Promise<ChildOutcome> {
    const { store, live } = this.#parts
    const { sessionId, runId, toolUseId } = work
    const begun = store.runOfCall(toolUseId)
    const session = live.get(sessionId)
    if (begun?.isEnded) return outcomeOf(begun, store.entriesOfRun(begun.id))
    const parent = session?.runs.get(runId)
    if (session === undefined || parent === undefined || !mayAsk(parent))
      throw refused('Only an agent that a person talks to, or a job with a prompt, asks other agents.')
    const run = begun === undefined ? await this.#beginInTurn(parent, work, signal) : session.runs.get(begun.id)
    if (run === undefined)
      throw refused('What was asked before the restart was lost. Ask again where it still matters.')
    await this.#ended(run)
    const row = store.runOfCall(toolUseId) ?? { id: run.id, at: run.row.at }
    return outcomeOf(row, store.entriesOfRun(run.id))
  }

  /** Begins a child run when fewer than the maximum are working. Counts and begins in the same tick, so that no other child run begins in between. */
  async #beginInTurn(parent: Run, work: Delegation, signal: AbortSignal): Promise<Run> {
    for (;;) {
      signal.throwIfAborted()
      if (this.#active.isStopping) await new Promise(() => {})
      const working = this.#active.childrenOf(parent.session, parent.id).filter(({ isOver }) => !isOver)
      if (working.length < mostAtOnce) return this.#begin(parent, work)
      await Promise.race(working.map((child) => child.ended))
    }
  }

  #begin(parent: Run, work: Delegation): Run {
    const { store, clock, budgets } = this.#parts
    const { session } = parent
    if (store.childRuns(session.id, parent.id).length >= mostOfRun)
      throw refused(
        `This run has asked other agents ${mostOfRun} times, which is all it may. Go on with what is known.`,
      )
    const ids = { runId: newId('run'), sessionId: session.id }
    const run = store.atomically(() => {
      const slice = budgets.slices.take(spenderOf(parent, this.#parts), ids)
      if ('refused' in slice) throw refused(slice.refused)
      const origin = this.#originOf(parent, work, slice.taken.tokens)
      const row = { id: ids.runId, sessionId: session.id, origin, status: 'running' as const, at: clock.now() }
      const run = new Run(session, { ...row, position: store.addRun(row) }, { origin })
      run.opens(this.#agent.begin(run))
      return run
    })
    this.#active.begin(run)
    return run
  }

  /** Returns the origin of the child run, as it is stored. @param mostTokens the tokens of the child’s part of the budget */
  #originOf(parent: Run, work: Delegation, mostTokens: number | undefined): ChildOrigin {
    const { toolUseId, agent, tools, asker } = work
    const { model, isReadOnly } = { model: undefined, isReadOnly: undefined, ...parent.origin }
    return {
      kind: 'child',
      parent: parent.id,
      call: toolUseId,
      agent,
      for: parent.agent,
      task: this.#parts.redact.text(work.task),
      asker,
      ...(tools && { tools }),
      mostTokens,
      ...(model !== undefined && { model }),
      ...(isReadOnly && { isReadOnly }),
    }
  }

  async #ended(run: Run): Promise<void> {
    await run.ended
    if (run.isOver) return
    // If the server is stopping, never settle: the next start resumes the run.
    if (this.#active.isStopping) await new Promise(() => {})
    throw new JarvisError('storage_failed', 'The end of the work could not be stored: the disk may be full.')
  }
}

/**
 * True if a run may hand work to agents. A child run may not, so there is only one level. Runs of plans and of clients may not either, because their
 * calls are fixed in advance.
 */
const mayAsk = ({ origin }: Run): boolean =>
  origin.kind === 'chat' || origin.kind === 'command' || (origin.kind === 'job' && 'text' in origin)

const refused = (message: string) => new JarvisError('invalid_request', message)

/** Returns the outcome of a child run. @throws Error if the run has not ended */
function outcomeOf({ at }: Pick<ChildRun, 'at'>, entries: readonly StoredEntry[]): ChildOutcome {
  const end = entries.findLast((entry) => entry.type === 'subrun' && entry.change === 'end')
  const last = entries.at(-1)
  if (end?.type !== 'subrun' || end.change !== 'end' || (last?.type !== 'done' && last?.type !== 'error'))
    throw new Error('A child run has no end.')
  const { seq: _, runId: __, at: endedAt, type: ___, change: ____, ...came } = end
  const durationMs = Math.max(0, endedAt - at)
  return { ...came, durationMs, text: `${recordOf(entries)}\n\n${standingOf(entries, last, end.by).text}` }
}
