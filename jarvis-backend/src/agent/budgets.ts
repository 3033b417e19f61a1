import type { BudgetLimits, Usage } from 'protocol'

/** The most that the last answer of a run may be, thinking included, tokens. */
export const wrapUpTokens = 3_072

/**
 * Whose limits a call of a model counts against. `activeMs`: the run's time so far, without waits for a person.
 */
export type Spender = {
  runId: string
  sessionId: string
  agent: string
  jobId?: string
  activeMs: number
}

/** A call that is to be made. Tokens: `input` as estimated, `output` the most that the model may write. */
export type CallPlan = { model: string; inputTokens: number; outputTokens: number }

/** A call that may be made. It counts with the most that it could use, until it is settled or released. */
export type Reservation = {
  /** What it used in the end. @param isPartial not everything was counted, so `usage` is a lower bound. @param said characters that came */
  settle(usage: Usage, counted?: { isPartial?: boolean; said?: number }): void
  /** No model received it. */
  release(): void
  /**
   * An attempt failed. Whether another one fits.
   * @param spent what the attempts so far used, as far as it was counted
   * @param isLost whether the last one may have cost what nobody counted; its input then counts as estimated
   */
  again(spent: Usage | undefined, isLost: boolean): boolean
  /** A line for the person, once, where the run has nearly used a limit. */
  near: string | undefined
  /** How long the call may go on before a limit of minutes is passed, ms; undefined without such a limit. */
  leftMs?: number | undefined
}

/** Which limit a call would pass, in a sentence. `isUnpriced`: the price of its model is not known, so tokens decided. */
export type Refused = { refused: string; isUnpriced?: true }

/** Lets runs call models within their limits. `budgets/` fills it. */
export type BudgetKeeper = {
  /** Asks for one turn of a run. */
  ask(spender: Spender, plan: CallPlan): Reservation | Refused
  /** Asks for the one last answer of a run. Undefined: it does not fit, or was asked for already. */
  askLast(spender: Spender, plan: CallPlan): Reservation | undefined
  /** Asks for a call outside a run's turns. Undefined: it does not fit. @param spender without a run, the day counts alone */
  aside(
    kind: 'title' | 'compaction' | 'embedding' | 'plain',
    plan: CallPlan,
    spender: Pick<Spender, 'agent'> & Partial<Spender>,
  ): Reservation | undefined
  /** The runs that work for a run. */
  childrenOf(runId: string): string[]
  /** How long JARVIS was down while a run went on, ms. */
  stoodMs(runId: string): number
  /** JARVIS was down for so long while the run went on. */
  stood(run: { runId: string; sessionId: string }, ms: number): void
}

/** Lends a part of a run's budget to a child run, so that none is spent twice. Durable: a restart keeps slices as they are. */
export type Slices = {
  /**
   * Takes a share of what is left of the parent's limits. The parent cannot use it until `giveBack`; the child cannot use more.
   * @param share 0..1
   * @returns what was taken; `refused`: nothing is left that a child could begin with, in a sentence for the model
   */
  take(
    parent: Spender,
    child: { runId: string; sessionId: string },
    share?: number,
  ): { taken: BudgetLimits } | { refused: string }
  /** The child has ended: from now on only what it used counts. No-op where it gave back before. */
  giveBack(childRunId: string): void
}
