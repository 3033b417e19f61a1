import { concerns } from './decide.ts'
import type { Effect } from './effect.ts'
import { viewsOf } from './marks.ts'
import type { Call, Facts, Rule, World } from './world.ts'

/** Returns the operator's rules that want a running call announced. They raise no tier. A rule that throws counts as applying. */
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
