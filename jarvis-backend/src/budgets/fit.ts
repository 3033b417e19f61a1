import { noUsage, type Spending, type Usage } from 'protocol'
import type { CallPlan } from '../agent/budgets.ts'
import type { CostOf } from '../agent/spent.ts'
import { nearRatio, wrapUpMs } from './defaults.ts'
import type { Scope } from './scopes.ts'
import { nearly, refusal, used } from './words.ts'

/** The most that a call could use. `usd` undefined: the price is not known, so tokens decide. */
export type Most = { calls: number; tokens: number; usd: number | undefined }

export const noRoom: Most = { calls: 0, tokens: 0, usd: 0 }

/** The most that a call could use. The price is that of the dearer case: a provider may charge more for input that it writes to its cache. */
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
 * The limit that a call would pass, in a sentence; undefined if the call fits all limits.
 * @param when.room what must be left after the call
 * @param when.isLast true for a run's last answer: it may be one call more than the limit, and may use the run's last minute
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

/** The time until a limit of minutes lets no further call begin, ms; undefined without such a limit. */
export function leftMs(scopes: readonly Scope[]): number | undefined {
  const all = scopes.flatMap(({ who, limits: { minutes }, spent }) =>
    minutes === undefined ? [] : msUntil(minutes, spent, who),
  )
  return all.length === 0 ? undefined : Math.max(0, Math.ceil(Math.min(...all)))
}

/** A run keeps its last minute, or half of its time, for its last answer. */
function msUntil(minutes: number, spent: Pick<Spending, 'minutes'>, who: string): number {
  const keptMs = who === 'This run' ? Math.min(wrapUpMs, minutes * 30_000) : 0
  return minutes * 60_000 - spent.minutes * 60_000 - keptMs
}

/** The first limit that is used up, in a sentence; undefined if every limit has something left. */
export function usedUp(scopes: readonly Scope[]): string | undefined {
  for (const { who, limits, spent } of scopes) {
    for (const unit of ['usd', 'tokens', 'calls', 'minutes'] as const) {
      const limit = limits[unit]
      if (limit !== undefined && spent[unit] >= limit) return used(who, unit, { most: limit, spent })
    }
  }
  return undefined
}

/** A sentence with what is left of a limit that the next call could bring to 90 %; undefined if no limit is that near. */
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
