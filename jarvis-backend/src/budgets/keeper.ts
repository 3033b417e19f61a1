import { type BudgetLimits, mainAgentId, noUsage, type Spending } from 'protocol'
import { type BudgetKeeper, type CallPlan, type Slices, wrapUpTokens } from '../agent/budgets.ts'
import type { CostOf } from '../agent/spent.ts'
import { leftMs, mostOf, nearLine, noRoom, obstacle, usedUp } from './fit.ts'
import { createReserve } from './reserve.ts'
import { spentOfRun } from './runs.ts'
import { type Caller, createScopes, type Scope, type ScopeParts } from './scopes.ts'
import { createSlices } from './slices.ts'

export type KeeperParts = ScopeParts & { now(): number; costOf: CostOf }

export type Keeper = BudgetKeeper & {
  slices: Slices
  /** Returns a run’s limits, and the use that counts against them. */
  stateOf(run: RunIds): { limits: BudgetLimits; spent: Spending; raisedUsd: number }
  /** Returns the day’s limits for a caller, and the use that counts against them. */
  dayScopes(caller: Pick<Caller, 'agent' | 'jobId'>): Scope[]
  /** Returns a sentence about the first of the day’s limits that is used up; undefined if none is. */
  usedUp(caller: Pick<Caller, 'agent' | 'jobId'>): string | undefined
  /** Counts embeddings against the day’s limits. Embeddings are never refused, because texts missing in the index would not be noticed in time. */
  embedded(model: string, tokens: number, isPartial: boolean): void
  /** Raises a run’s dollar limit; for a child run, the limit of its parent. @returns the id of the run whose limit was raised */
  raise(run: RunIds, usd: number): string
}

type RunIds = { runId: string; sessionId: string; agent?: string; jobId?: string }

/** Creates the keeper. It permits a model call only if the call fits all its limits, and stores the use of each call. */
export function createKeeper(parts: KeeperParts): Keeper {
  const { store, costOf } = parts
  const scopes = createScopes(parts)
  const reserve = createReserve({ ...parts, scopes })

  function raise(run: RunIds, usd: number): string {
    const record = scopes.recordOf(run)
    const parent = record.parentId === undefined ? undefined : store.run(record.parentId)
    if (parent !== undefined) return raise(parent, usd)
    store.saveRun({ ...record, raisedUsd: record.raisedUsd + usd })
    return run.runId
  }

  function tried(all: readonly Scope[], fitting: CallPlan) {
    const most = mostOf(fitting, costOf)
    // The last answer must still fit after this call. It reads about as many tokens as this call.
    const room = { ...noRoom, tokens: fitting.inputTokens + Math.min(fitting.outputTokens, wrapUpTokens) }
    return { fitting, most, room, refused: obstacle(all, most, { room, isLast: false }) }
  }

  /** Halves the longest answer until the call fits. @returns the first try if not even a short answer fits */
  function shorter(all: readonly Scope[], first: ReturnType<typeof tried>) {
    for (let output = first.fitting.outputTokens / 2; output >= wrapUpTokens; output /= 2) {
      const next = tried(all, { ...first.fitting, outputTokens: Math.floor(output) })
      if (next.refused === undefined) return next
    }
    return first
  }

  return {
    ask(spender, plan) {
      const all = scopes.of(spender)
      const isChild = scopes.recordOf(spender).slice !== undefined
      const asked = tried(all, plan)
      // The longest answer of a large model alone would exceed the small part of a budget that a child has, so a child may be given a shorter one.
      const { refused, most, room, fitting } = isChild && asked.refused !== undefined ? shorter(all, asked) : asked
      if (refused !== undefined) return { refused, ...(most.usd === undefined && { isUnpriced: true as const }) }
      const near = isChild ? undefined : nearLine(all, most, room)
      const isShorter = fitting.outputTokens < plan.outputTokens
      return {
        ...reserve('turn', fitting, spender),
        near,
        leftMs: leftMs(all),
        ...(isShorter && { outputTokens: fitting.outputTokens }),
      }
    },
    askLast(spender, plan) {
      const record = scopes.recordOf(spender)
      if (record.hasWrappedUp === true) return undefined
      if (obstacle(scopes.of(spender), mostOf(plan, costOf), { room: noRoom, isLast: true }) !== undefined)
        return undefined
      store.saveRun({ ...record, hasWrappedUp: true })
      return reserve('wrap_up', plan, spender)
    },
    childrenOf: (runId) => store.childrenOf(runId).map((child) => child.runId),
    stoodMs: (runId) => store.run(runId)?.stoodMs ?? 0,
    stood(run, ms) {
      const record = scopes.recordOf(run)
      store.saveRun({ ...record, stoodMs: record.stoodMs + ms })
    },
    slices: createSlices(store, scopes),
    aside: (kind, plan, caller) =>
      obstacle(scopes.of(caller), mostOf(plan, costOf), { room: noRoom, isLast: false }) === undefined
        ? reserve(kind, plan, caller)
        : undefined,
    stateOf(run) {
      const record = scopes.recordOf(run)
      return {
        limits: scopes.runLimits(record, run),
        spent: spentOfRun(store, run.runId),
        raisedUsd: record.raisedUsd,
      }
    },
    dayScopes: scopes.dayScopes,
    embedded(model, inputTokens, isPartial) {
      const plan = { model, inputTokens, outputTokens: 0 }
      reserve('embedding', plan, { agent: mainAgentId }).settle({ ...noUsage, inputTokens }, { isPartial })
    },
    usedUp: (caller) => usedUp(scopes.of(caller)),
    raise,
  }
}
