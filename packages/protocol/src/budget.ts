import { z } from 'zod'

/**
 * Limits on the use of models; an absent limit does not apply. `calls`: calls of models. `tokens`: all tokens that were read and written, cached ones
 * included. `usd`: US dollars. `minutes`: for a run, its time without waits for a person; for a day, the time in which models answered.
 */
export const BudgetLimits = z.strictObject({
  calls: z.int().min(1).max(1_000_000).optional(),
  tokens: z.int().min(1).max(1e12).optional(),
  usd: z.number().positive().max(1_000_000).optional(),
  minutes: z.number().positive().max(100_000).optional(),
})
export type BudgetLimits = z.infer<typeof BudgetLimits>

/**
 * The limits that an operator sets. `run`: for one run with its child runs, retries and compactions. `day`: for all models together, a day. `jobs`:
 * for all jobs together, a day. `agents`: for each agent, a day.
 */
export const Budgets = z.strictObject({
  run: BudgetLimits,
  day: BudgetLimits,
  jobs: BudgetLimits,
  agents: z.record(z.string().max(100), BudgetLimits),
})
export type Budgets = z.infer<typeof Budgets>

/** A change of the limits: each given part replaces the part of that name. In `agents`, an empty entry removes an agent's limits. */
export const BudgetsChange = Budgets.partial()
export type BudgetsChange = z.infer<typeof BudgetsChange>

/**
 * The use of models so far. `usd`: cost at the prices of that time, without the calls in `unpriced`. `unpriced`: number of calls whose model has no
 * known price. `isPartial`: some calls were not counted completely and are included as an estimate.
 */
export const Spending = z.object({
  calls: z.int(),
  tokens: z.int(),
  usd: z.number(),
  unpriced: z.int(),
  minutes: z.number(),
  isPartial: z.literal(true).optional(),
})
export type Spending = z.infer<typeof Spending>

/** Limits, and the use that counts against them. */
export const BudgetState = z.object({ limits: BudgetLimits, spent: Spending })
export type BudgetState = z.infer<typeof BudgetState>

/** The limits of a run, and its use so far. `raisedUsd`: the amount that people allowed in addition, US dollars. */
export const RunBudget = z.object({
  runId: z.string(),
  sessionId: z.string(),
  ...BudgetState.shape,
  raisedUsd: z.number().optional(),
})
export type RunBudget = z.infer<typeof RunBudget>

/** `GET /api/budgets`. `since`: the last midnight, Unix ms, at which the day began. `zone`: the time zone of that midnight. */
export const BudgetsReply = z.object({
  since: z.int(),
  zone: z.string(),
  /** The limits of a run that begins now. */
  run: BudgetLimits,
  /** Maximum number of model calls in one run without its child runs: `CHAT_MAX_LOOP`. */
  callsPerRun: z.int(),
  day: BudgetState,
  jobs: BudgetState,
  agents: z.array(z.object({ id: z.string(), ...BudgetState.shape })),
  /** Jobs that used a model today, or that have a limit. */
  eachJob: z.array(z.object({ id: z.string(), name: z.string(), ...BudgetState.shape })),
  /** The day's use by purpose, such as `turn` or `title`. */
  kinds: z.array(z.object({ kind: z.string(), spent: Spending })),
  /** Models used today whose price is not known. */
  unpriced: z.array(z.string()),
  /** Current runs that have called a model. */
  running: z.array(RunBudget),
})
export type BudgetsReply = z.infer<typeof BudgetsReply>

/** `POST /api/budgets/runs/:runId`: allows a run this amount more, US dollars. */
export const BudgetRaise = z.strictObject({ usd: z.number().positive().max(100) })
export type BudgetRaise = z.infer<typeof BudgetRaise>
