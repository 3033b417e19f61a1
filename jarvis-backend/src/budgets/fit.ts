import { noUsage, type Spending, type Usage } from 'protocol'
import type { CallPlan } from '../agent/budgets.ts'
import type { CostOf } from '../agent/spent.ts'
import { nearRatio, wrapUpMs } from './defaults.ts'
import type { Scope } from './scopes.ts'
import { nearly, refusal, used } from './words.ts'

/** The maximum that a call could use. `usd` undefined: the price is not known, so the limits in tokens decide. */
export type Most = { calls: number; tokens: number; usd: number | undefined }

export const noRoom: Most = { calls: 0, tokens: 0, usd: 0 }

/**
 * Returns the maximum that a call could use. It assumes the higher price for the input, because a provider may charge more for input that it writes
 * to its cache.
 */
export function mostOf({ model, inputTokens, outputTokens }: CallPlan, costOf: CostOf): Most {
  const price = (usage: Partial<Usage>) => costOf(model, { ...noUsage, outputTokens, ...usage })
  const [fresh, written] = [price({ inputTokens }), price({ cacheWriteTokens: inputTokens })]
  return {
    calls: 1,
    tokens: inputTokens + outputTokens,
    usd: fresh === undefined || written === undefined ? undefined : Math.max(fresh, written),
  }
}

/**
 * Returns a sentence about the limit that a call would exceed; undefined if the call fits all limits.
 * @param when.room amounts that must remain available after the call
 * @param when.isLast true for a run’s last answer: it may be one call above the limit, and may use the time reserved for it
 */
export function obstacle(
  scopes: readonly Scope[],
  most: Most,
  { room, isLast }: { room: Most; isLast: boolean },
): string | undefined {
  for (const { who, limits, spent } of scopes) {
    for (const unit of ['usd', 'tokens', 'calls'] as const) {
      const limit = limits[unit]
      const next = most[unit]
      if (limit === undefined || next === undefined || (isLast && unit === 'calls')) continue
      if (spent[unit] + next + (room[unit] ?? 0) > limit) return refusal(who, unit, { most: limit, spent, next })
    }
    const { minutes } = limits
    if (minutes === undefined) continue
    if (msUntil(minutes, spent, isLast ? '' : who) <= 0)
      return refusal(who, 'minutes', { most: minutes, spent, next: 0 })
  }
  return undefined
}

/** Returns the time after which a limit of minutes permits no further call, ms; undefined if no such limit applies. */
export function leftMs(scopes: readonly Scope[]): number | undefined {
  const all = scopes.flatMap(({ who, limits: { minutes }, spent }) =>
    minutes === undefined ? [] : msUntil(minutes, spent, who),
  )
  return all.length === 0 ? undefined : Math.max(0, Math.ceil(Math.min(...all)))
}

/** Returns the time left, ms. A run reserves its last minute, or half of its time if that is less, for its last answer. */
function msUntil(minutes: number, spent: Pick<Spending, 'minutes'>, who: string): number {
  const keptMs = who === 'This run' ? Math.min(wrapUpMs, minutes * 30_000) : 0
  return minutes * 60_000 - spent.minutes * 60_000 - keptMs
}

/** Returns a sentence about the first limit that is used up; undefined if none is. */
export function usedUp(scopes: readonly Scope[]): string | undefined {
  for (const { who, limits, spent } of scopes) {
    for (const unit of ['usd', 'tokens', 'calls', 'minutes'] as const) {
      const limit = limits[unit]
      if (limit !== undefined && spent[unit] >= limit) return used(who, unit, { most: limit, spent })
    }
  }
  return undefined
}

/** Returns a sentence about the amount left of a limit, if the next call could bring the use to 90 % of the limit; otherwise undefined. */
export function nearLine(scopes: readonly Scope[], most: Most, room: Most): string | undefined {
  for (const { near, limits, spent } of scopes) {
    if (near === undefined) continue
    for (const unit of ['usd', 'tokens'] as const) {
      const limit = limits[unit]
      const next = most[unit]
      if (limit === undefined || next === undefined || spent[unit] + next + (room[unit] ?? 0) < nearRatio * limit)
        continue
      const left = limit - spent[unit]
      return nearly(near, unit, { left, calls: next === 0 ? undefined : Math.max(1, Math.floor(left / next)) })
    }
  }
  return undefined
}
