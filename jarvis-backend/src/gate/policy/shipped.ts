import type { Tier } from 'protocol'
import type { Touch } from '../effect.ts'
import { rolesOf } from '../roles/role.ts'
import { rules } from '../rules.ts'
import type { Policy, Rate } from '../world.ts'
import { noWorkbench } from './workbench.ts'

export type ArgumentType = 'string' | 'number' | 'boolean'
/** The facts of a tool that a policy is checked against: its own tier, its arguments, and the effects of its calls. */
export type ToolFacts = {
  tier: Tier
  args: Readonly<Record<string, ArgumentType>>
  touches: readonly Touch[]
  /** It is refused unless the policy enables it. */
  isOptIn?: true
}
/** By name. */
export type Tools = ReadonlyMap<string, ToolFacts>

const minuteMs = 60_000
/** The rate of changes: far above a person's, far below that of a run gone wrong. Reads are answered from memory and have no rate. */
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
