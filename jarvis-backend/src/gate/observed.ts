import { concerns } from './decide.ts'
import type { Effect } from './effect.ts'
import { viewsOf } from './marks.ts'
import type { Call, Facts, Rule, World } from './world.ts'

/** The operator's rules that want to be told of a running call. They raise nothing. A rule that throws counts as wanting it. */
export const observedBy = (call: Call, effects: readonly Effect[], world: World): Rule[] =>
  world.policy.observed.filter((rule) =>
    viewsOf(effects, world).some(
      ({ effect, world: seen }) =>
        concerns(rule, call.toolName, effect) && holds(rule, { ...call, effect, target: effect.target, world: seen }),
    ),
  )

function holds({ when }: Rule, facts: Facts): boolean {
  try {
    return when(facts)
  } catch {
    return true
  }
}
