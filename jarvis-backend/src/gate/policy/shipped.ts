import type { Tier } from 'protocol'
import type { Touch } from '../effect.ts'
import { rolesOf } from '../roles/role.ts'
import { rules } from '../rules.ts'
import type { Policy, Rate } from './policy.ts'
import { noWorkbench } from './workbench.ts'

export type ArgumentType = 'string' | 'number' | 'boolean'
/** What a policy can say of a tool: its own tier, which arguments it takes, and what its calls do. */
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
/** Far above what a person does, far below what a run gone wrong would. Reads are answered from memory and have none. */
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
