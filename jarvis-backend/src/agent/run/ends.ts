import { JarvisError } from 'protocol'
import type { ActiveRun } from '../active-run.ts'
import { ModelError } from '../model.ts'
import { nextStep } from '../next-step.ts'
import type { ChildOrigin } from '../origin.ts'
import type { RunParts } from '../run-agent.ts'
import { stepsOf } from '../run-trace.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { Draft, StoredEntry } from '../sessions/transcript-store.ts'
import { spentOn, tokensOf } from '../spent.ts'
import { lineOf, standingOf } from './child.ts'
import type { RunFacts } from './facts.ts'
import { stopWords } from './stop-words.ts'

type Last = Extract<Draft, { type: 'done' | 'error' }>

/** Stores the ends of turns and runs. */
export function createRunEnds(parts: RunParts, { turnsOf }: RunFacts) {
  const { store, clock, redact, costOf } = parts

  /** Stores a turn, with the run's end in the same transaction when nothing follows. @param alsoStore what belongs to it too */
  function keepTurn(
    session: LiveSession,
    run: ActiveRun,
    turn: Extract<Draft, { type: 'assistant' }>,
    alsoStore: () => void,
  ) {
    store.atomically(() => {
      if (run.isPartialSaved) store.savePartial(run.row.id, '')
      alsoStore()
      endWith(session, run, [...run.entries, session.append(run, turn)])
    })
    parts.used(turn)
  }

  /** Stores the run's end with the last of `entries`, in its transaction, where nothing follows. */
  function endWith(session: LiveSession, run: ActiveRun, entries: readonly StoredEntry[]) {
    if (run.origin.kind === 'plan') return
    const step = nextStep(entries, turnsOf(session, run))
    if (step.type !== 'end' || run.abort.signal.aborted) return
    const all = [...entries, ...stopWords(entries).map((words) => session.append(run, words))]
    keepEnd(session, run, { type: 'done', ...spentOn(entries, costOf), stopReason: step.stopReason }, all)
  }

  /** Ends a run that a limit or its repeats stopped. */
  function endStopped(session: LiveSession, run: ActiveRun) {
    const stopReason = run.entries.some(({ type }) => type === 'stuck') ? 'stuck' : 'budget'
    end(session, run, { type: 'done', ...spentOn(run.entries, costOf), stopReason }, stopWords(run.entries))
  }

  /** Stores the last entry, and the session's exact `seq` when no other run is going on. */
  function keepEnd(session: LiveSession, run: ActiveRun, last: Last, entries: readonly StoredEntry[]) {
    if (run.origin.kind === 'child') {
      parts.slices.giveBack(run.row.id)
      session.append(run, endOfChild(run, run.origin, entries, last, clock.now() - run.row.at))
    }
    session.append(run, last)
    store.setRunStatus(run.row.id, 'ended')
    run.isOver = true
    if ([...session.runs.values()].every(({ isOver }) => isOver)) session.storeSeq()
  }

  function fail(session: LiveSession, run: ActiveRun, error: unknown) {
    const known = error instanceof ModelError || error instanceof JarvisError
    if (!known) parts.report(error, `run ${run.row.id} failed`)
    const message = known
      ? error.message
      : 'Something went wrong inside JARVIS. Your message is kept; the log says more.'
    const code = known ? error.code : 'internal'
    end(session, run, { type: 'error', error: redact.text(message), code, ...spentOn(run.entries, costOf) })
  }

  /** @param said JARVIS's own words before it */
  function end(session: LiveSession, run: ActiveRun, last: Last, said: readonly Draft[] = []) {
    try {
      store.atomically(() => {
        const words = said.map((one) => session.append(run, one))
        keepEnd(session, run, last, [...run.entries, ...words])
      })
    } catch (error) {
      // The end cannot be stored, so the next start resumes the run. Watchers must still hear that it is over now.
      parts.report(error, `run ${run.row.id} could not be ended`)
      const message = 'This could not be stored: the disk may be full. It is taken up again at the next start.'
      session.emit(run.row.id, 'chat:error', { at: clock.now(), error: message, code: 'storage_failed' })
    }
  }

  return { keepTurn, endWith, endStopped, end, fail }
}

/** What a child run came to, as the transcript shows it where the run is folded. */
function endOfChild(
  { abortedBy }: ActiveRun,
  { call: toolUseId, agent, for: asker }: ChildOrigin,
  entries: readonly StoredEntry[],
  last: Last,
  durationMs: number,
): Draft {
  const by = abortedBy === 'jarvis' ? undefined : abortedBy
  const standing = standingOf(entries, last, by)
  const { state } = standing
  return {
    type: 'subrun',
    change: 'end',
    toolUseId,
    agent,
    for: asker,
    state,
    durationMs,
    ...(state === 'stopped' && by !== undefined && { by }),
    summary: lineOf(standing),
    calls: stepsOf(entries).length,
    tokens: tokensOf(entries),
    costUsd: last.costUsd,
  }
}
