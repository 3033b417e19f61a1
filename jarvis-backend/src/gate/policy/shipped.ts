import type { Tier } from 'protocol'
import type { Touch } from '../effect.ts'
import { rolesOf } from '../roles/role.ts'
import { rules } from '../rules.ts'
import type { Policy, Rate } from '../world.ts'
import { noWorkbench } from './workbench.ts'

export type ArgumentType = 'string' | 'number' | 'boolean'
/** The facts of a tool against which a policy is checked: its own tier, its arguments, and the effects of its calls. */
export type ToolFacts = {
  tier: Tier
  args: Readonly<Record<string, ArgumentType>>
  touches: readonly Touch[]
  /** True if the tool is refused unless the policy enables it. */
  isOptIn?: true
}
/** The tools by name. */
export type Tools = ReadonlyMap<string, ToolFacts>

const minuteMs = 60_000
/**
 * Rate limit for changes: far above a person's rate, and far below that of a run that is out of control. Reads have no limit, because they are
 * answered from memory.
 */
export const rateOfChanges: Rate = { calls: 60, perMs: minuteMs }

export const shippedPolicy: Policy = {
  tiers: new Map(),
  rules,
  observed: [],
  protectedTargets: new Set(),
  allow: [],
  enabled: new Set(),
  hosts: new Set(),
  roles: rolesOf({}),
  mayBreakGlass: false,
  proof: 'session',
  profile: 'balanced',
  limits: { rates: new Map(), breaker: { failures: 5, withinMs: 5 * minuteMs, pauseMs: 5 * minuteMs } },
  topology: {},
  readers: new Map(),
  workbench: noWorkbench,
}
