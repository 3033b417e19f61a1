import { type Target, type Tier, tiers, type Verdict } from '../protocol/index.ts'
import { type Call, type Facts, rules as houseRules, type Rule } from './rules.ts'
import type { World } from './world.ts'

/** What each tool does to the cluster, as the reason of a call that no rule raised. */
const sentences = new Map([
  ['execute_ssh', 'It runs a command that is proven to read only.'],
  ['restart_service', 'It restarts one service, which is away for some seconds.'],
  ['wake_node', 'It sends a magic packet to one node.'],
  ['start_vm', 'It starts a guest.'],
  ['start_container', 'It starts a guest.'],
  ['stop_vm', 'It stops a running guest.'],
  ['stop_container', 'It stops a running guest.'],
  ['restart_vm', 'It restarts a running guest.'],
  ['restart_container', 'It restarts a running guest.'],
])
const byTier: Record<Tier, string> = {
  green: 'It reads only.',
  yellow: 'It makes a bounded change that can be undone.',
  red: 'It makes a change that a person must want.',
  black: 'It is never run.',
}

const rank = (tier: Tier) => tiers.indexOf(tier)

/**
 * The gate's verdict on one call about one resolved target. Rules only raise; the strictest wins and is named, of
 * equals the first. Pure, and never throws: a rule that fails counts as black.
 */
export function decide(call: Call, target: Target, world: World, rules: readonly Rule[] = houseRules): Verdict {
  const { toolName, baseTier } = call
  const base = { tier: baseTier, rule: 'base', reason: sentences.get(toolName) ?? byTier[baseTier] }
  const facts: Facts = { ...call, target, world }
  let verdict: Verdict = base
  let reasons: string[] = []
  for (const rule of rules) {
    // Of the same tier the first rule is named, for it says more than the tool's own sentence; black needs no second one.
    const isSilent = rank(rule.tier) < rank(verdict.tier) || (verdict !== base && verdict.tier === 'black')
    if (isSilent || (rule.tools !== 'all' && !rule.tools.includes(toolName))) continue
    try {
      if (!rule.when(facts)) continue
      const reason = typeof rule.because === 'string' ? rule.because : rule.because(facts)
      if (verdict !== base && rule.tier === verdict.tier) {
        reasons.push(reason)
        continue
      }
      verdict = { tier: rule.tier, rule: rule.name, reason }
      reasons = [reason]
    } catch {
      return { tier: 'black', rule: rule.name, reason: `The rule ${rule.name} could not judge this call.` }
    }
  }
  return verdict.tier === 'red' && reasons.length > 1 ? { ...verdict, reasons } : verdict
}
