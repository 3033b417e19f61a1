import { type Guest, ProfileName, type Storage, Target, Tier, type Verdict } from 'protocol'
import { z } from 'zod'
import { decide } from '../decide.ts'
import type { Effect } from '../effect.ts'
import { type Declaring, effectsOf } from '../effects-of.ts'
import { stricter } from '../tiers.ts'
import type { Policy, World } from '../world.ts'
import { isOwnRule } from './compile.ts'
import { taintRule } from './profile.ts'
import { shippedPolicy } from './shipped.ts'

/** The fields of a verdict's record in the journal. */
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
/** Rule names of verdicts that follow from the policy's tiers, `allow` or profile alone, without a rule. */
const plainRules = new Set(['base', 'allow', 'profile', 'tiers'])

/**
 * Judges the calls in the journal again by another policy. Each call is judged under the profile that was in force when it was made. The state of the
 * cluster at that time is known only as far as the journal records it. So if a shipped rule judged by more facts then, its verdict is kept:
 * policy.yaml cannot lower it.
 * @param tools the tools that JARVIS ships
 */
export class Replay {
  readonly #policy: Policy
  readonly #tools: readonly (Declaring & { name: string })[]
  readonly #seen = new Set<string>()
  readonly #changes = new Map<string, ChangedVerdict>()

  constructor(policy: Policy, tools: readonly (Declaring & { name: string })[]) {
    this.#policy = policy
    this.#tools = tools
  }

  /** Judges one journal entry. Pass the entries oldest first. Entries without a verdict are skipped. */
  add({ at, kind, body }: { at: number; kind: string; body: unknown }): void {
    if (!kinds.has(kind)) return
    const parsed = Recorded.safeParse(body)
    if (!parsed.success) return
    const { toolUseId, toolName, rule } = parsed.data
    const tier = parsed.data.tier ?? (kind === 'refusal' ? 'black' : undefined)
    const isVerdict = plainRules.has(rule) || rule === taintRule || shippedRules.has(rule) || isOwnRule(rule)
    if (tier === undefined || !isVerdict || this.#seen.has(toolUseId)) return
    this.#seen.add(toolUseId)
    const tool = this.#tools.find(({ name }) => name === toolName)
    const again = tool && judgeAgain({ recorded: parsed.data, tier, at }, tool, this.#policy)
    if (again === undefined || again.to.tier === tier) return
    const { to, target } = again
    const key = JSON.stringify([toolName, target, tier, rule, to])
    const count = (this.#changes.get(key)?.count ?? 0) + 1
    this.#changes.set(key, { toolName, target, from: { tier, rule }, to, count, lastAt: at })
  }

  /** @returns the number of calls that were judged again, and the changed verdicts, the most frequent first. */
  result(): { calls: number; changed: ChangedVerdict[] } {
    return {
      calls: this.#seen.size,
      changed: [...this.#changes.values()].toSorted((a, b) => b.count - a.count),
    }
  }
}

/** A recorded call. `tier`: the tier of its verdict at that time. `at`: Unix ms. */
type Judged = { recorded: Recorded; tier: Tier; at: number }

function judgeAgain({ recorded, tier, at }: Judged, tool: Declaring, policy: Policy) {
  const { toolName, toolInput: input, rule, profile = 'balanced', tags = [] } = recorded
  const target = targetOf(recorded, tool)
  const world: World = {
    cluster: {
      nodes: target.node === undefined ? [] : [{ name: target.node, status: 'online', isProtected: false }],
      guests: guestsOf(target, tags),
      storages: storagesOf(target),
    },
    policy: { ...policy, profile },
    now: at,
    unitOf: () => (target.unit === undefined ? { missing: target.unitMissing ?? '' } : { unit: target.unit }),
  }
  let effects: readonly Effect[]
  try {
    effects = effectsOf(tool, input, world)
  } catch {
    return undefined
  }
  const verdict = decide({ toolName, baseTier: tool.tier, input }, effects, world)
  const isFound = rule === taintRule || (shippedRules.has(rule) && !rule.startsWith('protected_'))
  const to = isFound && stricter(tier, verdict.tier) === tier ? { tier, rule, reason: verdict.reason } : verdict
  return { to, target: effects[0]?.target.id ?? '' }
}

/** Returns the target of a recorded call. Older entries have it only in their arguments. */
function targetOf({ toolInput: { vmid, node }, target }: Recorded, { touches }: Declaring): Target {
  const place = typeof node === 'string' ? { node } : {}
  if (target !== undefined) return { ...place, ...target }
  const type = touches.find(({ on }) => on === 'guest')?.type
  if (typeof vmid !== 'number' || type === undefined) return { kind: 'none', id: '', ...place }
  return { kind: 'guest', id: `${type}/${vmid}`, vmid, type, ...place }
}

const storagesOf = ({ kind, name = '', node }: Target): Storage[] =>
  kind === 'storage'
    ? [{ name, ...(node && { node }), type: '', content: [], isActive: null, usedBytes: null, totalBytes: null }]
    : []

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
      lock,
      haState,
    },
  ]
}
