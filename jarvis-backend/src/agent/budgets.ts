import type { BudgetLimits, Usage } from 'protocol'

/** Maximum tokens of a run’s last answer, thinking included. */
export const wrapUpTokens = 3_072

/**
 * The caller whose limits a model call counts against. `activeMs`: how long the run has worked so far, ms, without the time it waited for a person.
 */
export type Spender = {
  runId: string
  sessionId: string
  agent: string
  jobId?: string
  activeMs: number
}

/** A planned model call. `inputTokens`: an estimate. `outputTokens`: the maximum that the model may write. */
export type CallPlan = { model: string; inputTokens: number; outputTokens: number }

/** A permitted model call. It counts against the limits with the maximum that it could use, until `settle` or `release` is called. */
export type Reservation = {
  /**
   * Replaces the reserved amount by the amount that the call used.
   * @param counted.isPartial true if not all tokens were counted, so that `usage` is a lower bound
   * @param counted.said characters of the answer
   */
  settle(usage: Usage, counted?: { isPartial?: boolean; said?: number }): void
  /** Drops the reservation: no model received the call. */
  release(): void
  /**
   * Reports that an attempt failed. @returns true if another attempt fits the limits
   * @param spent the tokens of the attempts so far, as far as they were counted
   * @param isLost true if the last attempt may have used tokens that nobody counted; its estimated input then counts as used
   */
  again(spent: Usage | undefined, isLost: boolean): boolean
  /** A warning for the person, set once, if the run is close to one of its limits. */
  near: string | undefined
  /** The time that the call may take before a limit of minutes is exceeded, ms; undefined if no such limit applies. */
  leftMs?: number | undefined
  /** The maximum that the model may write, if that is less than was asked for. */
  outputTokens?: number
}

/**
 * The refusal of a call. `refused`: a sentence that names the limit that the call would exceed. `isUnpriced`: the price of the model is not known,
 * so the limit was checked in tokens.
 */
export type Refused = { refused: string; isUnpriced?: true }

/** Permits or refuses the model calls of runs by their limits. `budgets/` implements it. */
export type BudgetKeeper = {
  /** Asks for one turn of a run. */
  ask(spender: Spender, plan: CallPlan): Reservation | Refused
  /** Asks for permission for a run’s one last answer. @returns undefined if it does not fit, or if the last answer was already asked for */
  askLast(spender: Spender, plan: CallPlan): Reservation | undefined
  /**
   * Asks for permission for a call outside a run’s turns. @param spender without a run, only the day’s limits count. @returns undefined if the call
   * does not fit
   */
  aside(
    kind: 'title' | 'compaction' | 'embedding' | 'plain',
    plan: CallPlan,
    spender: Pick<Spender, 'agent'> & Partial<Spender>,
  ): Reservation | undefined
  /** Returns the ids of a run’s child runs. */
  childrenOf(runId: string): string[]
  /** Returns how long JARVIS was down while the run was unfinished, ms. */
  stoodMs(runId: string): number
  /** Adds time in which JARVIS was down while the run was unfinished. */
  stood(run: { runId: string; sessionId: string }, ms: number): void
}

/** Reserves a part of a run’s budget for a child run, so that the same budget is not spent twice. Reservations survive a restart. */
export type Slices = {
  /**
   * Reserves a share of the parent’s remaining limits. The parent cannot use it until `giveBack`; the child cannot use more.
   * @param share 0..1
   * @returns the reserved limits; `refused`: a sentence for the model, if too little is left for a child to begin
   */
  take(
    parent: Spender,
    child: { runId: string; sessionId: string },
    share?: number,
  ): { taken: BudgetLimits } | { refused: string }
  /** Ends the reservation when the child has ended: from now on only the amount that the child used counts. No-op if called again. */
  giveBack(childRunId: string): void
}
