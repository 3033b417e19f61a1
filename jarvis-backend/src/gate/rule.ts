import type { Approve, Target, Tier } from 'protocol'
import type { Effect, Touch } from './effect.ts'
import type { Sources } from './taint/taint.ts'
import type { World } from './world.ts'

/** One call as the rules see it: its input has passed the tool's schema. */
export type Call = {
  toolName: string
  baseTier: Tier
  input: Record<string, unknown>
  /** Returns the texts that the call's words may have come from; absent when a person typed the call. Called for yellow and red calls. */
  sources?: () => Sources
  /** Values that an attached tool's schema lists; they are never taint. */
  listed?: ReadonlySet<string>
  /**
   * Values that the schema of JARVIS's own tool lists, such as `restart`. A stranger may have chosen among them, so they make a call ask, and
   * never refuse it.
   */
  choices?: ReadonlySet<string>
  /** Returns whether a word in lower case is one of JARVIS's own, as in the descriptions of its tools. */
  isCommon?(word: string): boolean
}
/** One effect of a call, on its target. */
export type Facts = Call & { effect: Effect; target: Target; world: World }

/** A rule only raises: it has no effect when its tier is below the call's own. */
export type Rule = {
  name: string
  /** The effects that the rule is about; absent: all. */
  effects?: readonly Partial<Touch>[]
  /** In an operator's rule, the tools that it is about; absent: all. */
  tools?: readonly string[]
  when(facts: Facts): boolean
  tier: Tier
  because: string | ((facts: Facts) => string)
  /** The people who approve the calls that it asks about; absent: one operator. */
  approve?: Approve
  /** Its cards must be signed. */
  proof?: 'passkey'
}
