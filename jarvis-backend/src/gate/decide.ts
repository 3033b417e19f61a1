import { attachedServerOf, type Target, type Tier, type Verdict } from '../protocol/index.ts'
import type { Policy } from './policy/policy.ts'
import { taintRule, underProfile } from './policy/profile.ts'
import type { Call, Facts } from './rule.ts'
import { taintedVerdict, taintOf } from './taint/taint.ts'
import { rank } from './tiers.ts'
import type { World } from './world.ts'

/** What each tool does to the cluster, as the reason of a call that no rule raised. */
const sentences = new Map([
  ['execute_ssh', 'It runs a command that is proven to read only.'],
  ['restart_service', 'It restarts one service that is known to be harmless; it is away for some seconds.'],
  ['wake_node', 'It sends a magic packet to one node.'],
  ['start_vm', 'It starts a guest.'],
  ['start_container', 'It starts a guest.'],
  ['stop_vm', 'It stops a running guest.'],
  ['stop_container', 'It stops a running guest.'],
  ['restart_vm', 'It restarts a running guest.'],
  ['restart_container', 'It restarts a running guest.'],
])
/** Of a red one nobody has said anything, so the reason is more than the tool's own: no profile but the loosest lets it go. */
const attachedSentences: Record<Tier, (server: string) => string> = {
  green: (server) => `The operator has said that this tool of the attached server ${server} only reads.`,
  yellow: (server) => `The operator lets this tool of the attached server ${server} run without asking.`,
  red: (server) => `It is a tool of the attached server ${server}, and what it does is not known to JARVIS.`,
  black: () => 'It is never run.',
}
const byTier: Record<Tier, string> = {
  green: 'It reads only.',
  yellow: 'It makes a bounded change that can be undone.',
  red: 'It makes a change that a person must want.',
  black: 'It is never run.',
}

/**
 * The gate's verdict on one call about one resolved target. Rules only raise; the strictest wins and is named, of
 * equals the first. What may lower comes last: an `allow` of the operator's, then the profile. Pure, and never throws.
 */
export function decide(call: Call, target: Target, world: World): Verdict {
  const { policy } = world
  return underProfile(allowed(tainted(raised(call, target, world), call, world), call, target, policy), policy.profile)
}

/** What a tool's calls come to where no rule raises them: what a list of tools can say. */
export function usualTier(tool: Pick<Call, 'toolName' | 'baseTier'>, policy: Policy): Tier {
  return underProfile(ownVerdict(tool, policy), policy.profile).tier
}

function ownVerdict({ toolName, baseTier }: Pick<Call, 'toolName' | 'baseTier'>, policy: Policy): Verdict {
  const tier = policy.tiers.get(toolName) ?? baseTier
  if (rank(tier) > rank(baseTier)) return { tier, rule: 'tiers', reason: `policy.yaml makes ${toolName} ${tier}.` }
  const server = attachedServerOf(toolName)
  if (server !== undefined) {
    const rule = baseTier === 'red' ? 'attached' : 'base'
    return { tier: baseTier, rule, reason: attachedSentences[baseTier](server) }
  }
  return { tier: baseTier, rule: 'base', reason: sentences.get(toolName) ?? byTier[baseTier] }
}

/** A rule that fails counts as black. */
function raised(call: Call, target: Target, world: World): Verdict {
  const { toolName } = call
  const own = ownVerdict(call, world.policy)
  const facts: Facts = { ...call, target, world }
  let verdict = own
  let reasons: string[] = []
  for (const rule of world.policy.rules) {
    // Of the same tier the first rule is named, for it says more than the tool's own sentence; black needs no second one.
    const isSilent = rank(rule.tier) < rank(verdict.tier) || (verdict !== own && verdict.tier === 'black')
    if (isSilent || (rule.tools !== 'all' && !rule.tools.includes(toolName))) continue
    try {
      if (!rule.when(facts)) continue
      const reason = typeof rule.because === 'string' ? rule.because : rule.because(facts)
      if (verdict !== own && rule.tier === verdict.tier) {
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

/** One tier up where the words of a call came out of a tool result; what lowers comes after, and leaves it alone. */
function tainted(verdict: Verdict, { toolName, input, sources, listed }: Call, world: World): Verdict {
  if (sources === undefined || (verdict.tier !== 'yellow' && verdict.tier !== 'red')) return verdict
  try {
    const words = listed === undefined ? input : withoutListed(input, listed)
    const taint = taintOf(toolName, words as Call['input'], sources(), world)
    if (taint === undefined) return verdict
    const raised = taintedVerdict(verdict, toolName, taint)
    // It only reads: what it asks about is what a person decides, also where a result names it.
    return verdict.rule === 'network_read'
      ? { ...verdict, rule: taintRule, reason: `${verdict.reason} A result named it.` }
      : raised
  } catch {
    return { tier: 'black', rule: taintRule, reason: 'It could not be told where the words of this call came from.' }
  }
}

/** Pure JSON, and no deeper than a call may be. */
function withoutListed(value: unknown, listed: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return listed.has(value) ? '' : value
  if (Array.isArray(value)) return value.map((item) => withoutListed(item, listed))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutListed(member, listed)]))
}

/** Only a red that is the tool's own: what a rule found asks, whatever was allowed. */
function allowed(verdict: Verdict, { toolName }: Call, target: Target, { allow }: Policy): Verdict {
  if (verdict.tier !== 'red' || verdict.rule !== 'base') return verdict
  const entry = allow.find(({ tool, target: id }) => tool === toolName && id === target.id)
  return entry === undefined ? verdict : { tier: 'yellow', rule: 'allow', reason: entry.because }
}
