import type { ActiveRun } from '../active-run.ts'
import { mostTokensOf, tokensOf } from './budget.ts'

/** The part of what is left that a child run gets. */
const part = 0.3

/**
 * How many tokens a child run may use: its part of what its parent has left. It is taken when the child begins, so that no token is
 * spent twice, and what it leaves comes back with its end.
 * @param taken what each earlier child used, or may still use
 * @returns undefined where the parent has no limit
 */
export function shareOf(parent: Pick<ActiveRun, 'origin' | 'entries'>, taken: readonly number[]): number | undefined {
  const most = mostTokensOf(parent)
  if (most === undefined) return undefined
  const used = tokensOf(parent.entries) + taken.reduce((sum, tokens) => sum + tokens, 0)
  return Math.max(0, Math.floor((most - used) * part))
}
