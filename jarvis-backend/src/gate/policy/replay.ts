import { z } from 'zod'
import { type Guest, ProfileName, Target, Tier, type Verdict } from '../../protocol/index.ts'
import { decide } from '../decide.ts'
import { powerOf } from '../target.ts'
import { stricter } from '../tiers.ts'
import { isOwnRule } from './compile.ts'
import type { Policy } from './policy.ts'
import { taintRule } from './profile.ts'
import { shippedPolicy, shippedTools } from './shipped.ts'

/** What the journal keeps of a verdict. */
const Recorded = z.object({
  toolUseId: z.string(),
  toolName: z.string(),
  toolInput: z.record(z.string(), z.unknown()),
  tier: Tier.optional(),
  rule: z.string(),
  target: Target.optional(),
  tags: z.array(z.string()).optional(),
  profile: ProfileName.optional(),
})
type Recorded = z.infer<typeof Recorded>

/** Calls of one tool on one target whose verdict changes in the same way. `lastAt`: Unix ms. */
export type ChangedVerdict = {
  toolName: string
  target: string
  from: Pick<Verdict, 'tier' | 'rule'>
  to: Verdict
  count: number
  lastAt: number
}

const kinds = new Set(['call', 'refusal', 'execution'])
const shippedRules = new Set(shippedPolicy.rules.map(({ name }) => name))
/** Verdicts that the policy alone made. */
const plainRules = new Set(['base', 'allow', 'profile', 'tiers'])

/**
 * Judges what the journal holds by another policy, each call under the profile it was judged under. What the cluster
 * was then is known as far as the record says; a rule that stood on more of it is taken to hold still, for no file
 * can lower what it found.
 */
export function createReplay(policy: Policy) {
  const seen = new Set<string>()
  const changes = new Map<string, ChangedVerdict>()
  return {
    /** Takes the entries oldest first; what is no verdict is passed over. */
    add({ at, kind, body }: { at: number; kind: string; body: unknown }): void {
      if (!kinds.has(kind)) return
      const parsed = Recorded.safeParse(body)
      if (!parsed.success) return
      const { toolUseId, toolName, rule } = parsed.data
      const tier = parsed.data.tier ?? (kind === 'refusal' ? 'black' : undefined)
      const isVerdict = plainRules.has(rule) || rule === taintRule || shippedRules.has(rule) || isOwnRule(rule)
      if (tier === undefined || !isVerdict || seen.has(toolUseId)) return
      seen.add(toolUseId)
      const to = judgeAgain(parsed.data, tier, at, policy)
      if (to === undefined || to.tier === tier) return
      const target = targetOf(parsed.data).id
      const key = JSON.stringify([toolName, target, tier, rule, to])
      const count = (changes.get(key)?.count ?? 0) + 1
      changes.set(key, { toolName, target, from: { tier, rule }, to, count, lastAt: at })
    },
    /** @returns how many calls were judged again, and what changes, the most frequent first. */
    result: () => ({
      calls: seen.size,
      changed: [...changes.values()].toSorted((a, b) => b.count - a.count),
    }),
  }
}

function judgeAgain(recorded: Recorded, tier: Tier, at: number, policy: Policy): Verdict | undefined {
  const { toolName, toolInput: input, rule, profile = 'balanced' } = recorded
  const baseTier = shippedTools.get(toolName)?.tier
  if (baseTier === undefined) return undefined
  const target = targetOf(recorded)
  const verdict = decide({ toolName, baseTier, input }, target, {
    cluster: {
      nodes: target.node === undefined ? [] : [{ name: target.node, status: 'online', isProtected: false }],
      guests: guestsOf(target, recorded.tags ?? []),
    },
    policy: { ...policy, profile },
    now: at,
  })
  const isFound = rule === taintRule || (shippedRules.has(rule) && !rule.startsWith('protected_'))
  return isFound && stricter(tier, verdict.tier) === tier ? { tier, rule, reason: verdict.reason } : verdict
}

/** Older entries say it only by the arguments. */
function targetOf({ toolName, toolInput, target }: Recorded): Target {
  if (target !== undefined) return target
  const { vmid, node, service } = toolInput
  const power = powerOf(toolName)
  if (power !== undefined && typeof vmid === 'number') {
    return { kind: 'guest', id: `${power.type}/${vmid}`, vmid, type: power.type }
  }
  if (typeof node !== 'string') return { kind: 'none', id: '' }
  return toolName === 'restart_service' && typeof service === 'string'
    ? { kind: 'service', id: `service/${service}@${node}`, name: service, node }
    : { kind: 'node', id: `node/${node}`, name: node, node }
}

function guestsOf({ vmid, type, name = '', node = '', lock, haState }: Target, tags: string[]): Guest[] {
  if (vmid === undefined || type === undefined) return []
  const figures = {
    uptimeS: null,
    cpuRatio: null,
    cpuCount: null,
    ramBytes: null,
    ramTotalBytes: null,
    diskBytes: null,
    diskTotalBytes: null,
  }
  return [
    {
      ...figures,
      vmid,
      type,
      name,
      node,
      tags,
      status: 'unknown',
      isProtected: false,
      isHa: haState !== undefined,
      ...(lock !== undefined && { lock }),
      ...(haState !== undefined && { haState }),
    },
  ]
}
