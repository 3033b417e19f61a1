import { JarvisError } from 'protocol'
import { ModelError } from '../model.ts'
import { nextStep } from '../next-step.ts'
import type { ChildOrigin } from '../origin.ts'
import type { RunParts } from '../ports.ts'
import type { Run } from '../run.ts'
import { stepsOf } from '../run-trace.ts'
import type { Draft, StoredEntry } from '../sessions/entries.ts'
import { type Spent, spentOn, tokensOf } from '../spent.ts'
import { lineOf, standingOf } from './child.ts'
import type { RunFacts } from './facts.ts'
import { stopWords } from './stop-words.ts'

type Last = Extract<Draft, { type: 'done' | 'error' }>

/** Stores the ends of turns and runs. */
export class RunEnds {
  readonly #parts: Pick<RunParts, 'store' | 'clock' | 'redact' | 'models' | 'budgets' | 'report'>
  readonly #facts: RunFacts

  constructor(parts: Pick<RunParts, 'store' | 'clock' | 'redact' | 'models' | 'budgets' | 'report'>, facts: RunFacts) {
    this.#parts = parts
    this.#facts = facts
  }

  /** Tokens and price of a run's entries. */
  spentOn(entries: readonly StoredEntry[]): Spent {
    return spentOn(entries, this.#parts.models.costOf)
  }

  /** Stores a turn and, if nothing follows it, the run's end in the same transaction. @param alsoStore writes more in that transaction */
  keepTurn(run: Run, turn: Extract<Draft, { type: 'assistant' }>, alsoStore: () => void): void {
    const { store, models } = this.#parts
    store.atomically(() => {
      if (run.isPartialSaved) store.savePartial(run.id, '')
      alsoStore()
      this.endWith(run, [...run.entries, run.append(turn)])
    })
    models.used(turn)
  }

  /** Stores the run's end if nothing follows the last of `entries`. Call it in the transaction that stores that entry. */
  endWith(run: Run, entries: readonly StoredEntry[]): void {
    if (run.origin.kind === 'plan') return
    const step = nextStep(entries, this.#facts.turnsOf(run))
    if (step.type !== 'end' || run.isStopped) return
    const all = [...entries, ...stopWords(entries).map((words) => run.append(words))]
    this.#keepEnd(run, { type: 'done', ...this.spentOn(entries), stopReason: step.stopReason }, all)
  }

  /** Ends a run that was stopped by a limit or because it repeats itself. */
  endStopped(run: Run): void {
    const stopReason = run.entries.some(({ type }) => type === 'stuck') ? 'stuck' : 'budget'
    this.end(run, { type: 'done', ...this.spentOn(run.entries), stopReason }, stopWords(run.entries))
  }

  /** Ends a run with an error. */
  fail(run: Run, error: unknown): void {
    const known = error instanceof ModelError || error instanceof JarvisError
    if (!known) this.#parts.report(error, `run ${run.id} failed`)
    const message = known
      ? error.message
      : 'Something went wrong inside JARVIS. Your message is kept; the log says more.'
    const code = known ? error.code : 'internal'
    this.end(run, { type: 'error', error: this.#parts.redact.text(message), code, ...this.spentOn(run.entries) })
  }

  /** Ends a run. @param said texts of JARVIS that are stored before the last entry */
  end(run: Run, last: Last, said: readonly Draft[] = []): void {
    const { store, clock, report } = this.#parts
    try {
      store.atomically(() => {
        const words = said.map((one) => run.append(one))
        this.#keepEnd(run, last, [...run.entries, ...words])
      })
    } catch (error) {
      // The end cannot be stored, so the next start resumes the run. Watchers are told here that the run is over for now.
      report(error, `run ${run.id} could not be ended`)
      const message = 'This could not be stored: the disk may be full. It is taken up again at the next start.'
      run.emit('chat:error', { at: clock.now(), error: message, code: 'storage_failed' })
    }
  }

  /** Stores the last entry, and the session's exact `seq` if no other run goes on in it. */
  #keepEnd(run: Run, last: Last, entries: readonly StoredEntry[]): void {
    const { store, clock, budgets } = this.#parts
    if (run.origin.kind === 'child') {
      budgets.slices.giveBack(run.id)
      run.append(endOfChild(run, run.origin, { entries, last, durationMs: clock.now() - run.row.at }))
    }
    run.append(last)
    store.setRunStatus(run.id, 'ended')
    run.markOver()
    if ([...run.session.runs.values()].every(({ isOver }) => isOver)) run.session.storeSeq()
  }
}

/** Creates the entry with a child run’s outcome. The transcript shows it when the child run is collapsed. */
function endOfChild(
  { abortedBy }: Run,
  { call: toolUseId, agent, for: asker }: ChildOrigin,
  { entries, last, durationMs }: { entries: readonly StoredEntry[]; last: Last; durationMs: number },
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
