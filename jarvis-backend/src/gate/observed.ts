import { concerns } from './decide.ts'
import type { Effect } from './effect.ts'
import { viewsOf } from './marks.ts'
import type { Call, Rule } from './rule.ts'
import type { World } from './world.ts'

/** The operator's rules that want to hear of a call which runs. They raise nothing. A rule that fails wants to hear of it too. */
export const observedBy = (call: Call, effects: readonly Effect[], world: World): Rule[] =>
  world.policy.observed.filter((rule) =>
    viewsOf(effects, world).some(
      ({ effect, world: seen }) => concerns(rule, call.toolName, effect) && holds(rule, call, effect, seen),
    ),
  )

function holds({ when }: Rule, call: Call, effect: Effect, world: World): boolean {
  try {
    return when({ ...call, effect, target: effect.target, world })
  } catch {
    return true
  }
}
