import type { BudgetLimits, Usage } from 'protocol'

/** The most that the last answer of a run may be, thinking included, tokens. */
export const wrapUpTokens = 3_072

/**
 * The caller whose limits a model call counts against. `activeMs`: the run's time so far, without waits for a person.
 */
export type Spender = {
  runId: string
  sessionId: string
  agent: string
  jobId?: string
  activeMs: number
}

/** A call that is to be made. `inputTokens`: estimated. `outputTokens`: the most that the model may write. */
export type CallPlan = { model: string; inputTokens: number; outputTokens: number }

/** A call that may be made. It counts with the most that it could use, until it is settled or released. */
export type Reservation = {
  /**
   * Replaces the reservation by what the call used.
   * @param counted.isPartial true if not all tokens were counted, so that `usage` is a lower bound
   * @param counted.said characters of the answer
   */
  settle(usage: Usage, counted?: { isPartial?: boolean; said?: number }): void
  /** Drops the reservation: no model received the call. */
  release(): void
  /**
   * An attempt failed. @returns true if another attempt fits the limits
   * @param spent the tokens of the attempts so far, as far as they were counted
   * @param isLost true if the last attempt may have used tokens that nobody counted; its input then counts as estimated
   */
  again(spent: Usage | undefined, isLost: boolean): boolean
  /** A line for the person, once, if the run has nearly used a limit. */
  near: string | undefined
  /** How long the call may go on before a limit of minutes is passed, ms; undefined without such a limit. */
  leftMs?: number | undefined
}

/** The limit that a call would pass, in a sentence. `isUnpriced`: the price of its model is not known, so tokens decided. */
export type Refused = { refused: string; isUnpriced?: true }

/** Lets runs call models within their limits. `budgets/` fills it. */
export type BudgetKeeper = {
  /** Asks for one turn of a run. */
  ask(spender: Spender, plan: CallPlan): Reservation | Refused
  /** Asks for the one last answer of a run. @returns undefined if it does not fit, or was asked for already */
  askLast(spender: Spender, plan: CallPlan): Reservation | undefined
  /** Asks for a call outside a run's turns. @param spender without a run, the day counts alone. @returns undefined if it does not fit */
  aside(
    kind: 'title' | 'compaction' | 'embedding' | 'plain',
    plan: CallPlan,
    spender: Pick<Spender, 'agent'> & Partial<Spender>,
  ): Reservation | undefined
  /** The runs that work for a run. */
  childrenOf(runId: string): string[]
  /** How long JARVIS was down while a run went on, ms. */
  stoodMs(runId: string): number
  /** Adds time in which JARVIS was down while the run was unfinished. */
  stood(run: { runId: string; sessionId: string }, ms: number): void
}

/** Lends a part of a run's budget to a child run, so that nothing is spent twice. A restart keeps the slices. */
export type Slices = {
  /**
   * Takes a share of the parent's remaining limits. The parent cannot use it until `giveBack`; the child cannot use more.
   * @param share 0..1
   * @returns the limits that were taken; `refused`: a sentence for the model, if too little is left for a child to begin
   */
  take(
    parent: Spender,
    child: { runId: string; sessionId: string },
    share?: number,
  ): { taken: BudgetLimits } | { refused: string }
  /** The child has ended: from now on only what it used counts. No-op if it gave back before. */
  giveBack(childRunId: string): void
}
