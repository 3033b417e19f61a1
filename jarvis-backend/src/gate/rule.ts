import type { Target, Tier } from '../protocol/index.ts'
import type { Effect, Touch } from './effect.ts'
import type { Sources } from './taint/taint.ts'
import type { World } from './world.ts'

/** One call as the rules see it: its input has passed the tool's schema. */
export type Call = {
  toolName: string
  baseTier: Tier
  input: Record<string, unknown>
  /** Where its words may have come from; absent where a person typed the call. Read for yellow and red calls alone. */
  sources?: () => Sources
  /** Values that the schema of an attached tool names itself: they come from nowhere else. */
  listed?: ReadonlySet<string>
}
/** One effect of a call, on its target. */
export type Facts = Call & { effect: Effect; target: Target; world: World }

/** A rule only ever raises: below the call's own tier it says nothing. */
export type Rule = {
  name: string
  /** The effects it is about; absent: all. */
  effects?: readonly Partial<Touch>[]
  /** Of an operator's rule: the tools it is about; absent: all. */
  tools?: readonly string[]
  when(facts: Facts): boolean
  tier: Tier
  because: string | ((facts: Facts) => string)
}
