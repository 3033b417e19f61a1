import type { Tier } from 'protocol'
import { usualTier } from './decide.ts'
import { isLost, mayMatch, noTarget, type Touch } from './effect.ts'
import { underProfile } from './policy/profile.ts'
import { rank } from './tiers.ts'
import type { Call, Policy } from './world.ts'

/** A reason that raises a call above its tool's usual tier. `words`: a few words, such as `a guest that is locked`. */
export type Raise = { tier: Tier; rule: string; words: string }
/** A tool's declaration of arguments that raise its tier. */
export type ArgumentRaise = { tier: 'red' | 'black'; words: string }
const ruleOf = { red: 'risky_arguments', black: 'refused_arguments' } as const

const isGuest = ({ on }: Touch) => on === 'guest' || on === 'service' || on === 'tool'
const isOnNode = ({ on }: Touch) => on === 'node' || on === 'service' || on === 'storage' || on === 'tool'
const isStorage = ({ on }: Touch) => on === 'storage' || on === 'tool'
const isPlaced = ({ on }: Touch) => isLost({ kind: 'power', on, target: noTarget })
const isOfWorkbench = ({ on }: Touch) => on === 'path' || on === 'web' || on === 'container'
const isService = ({ kind, on }: Touch) => (kind === 'execute' && on !== 'sandbox') || on === 'service'

/**
 * The reason of each shipped rule, in words. `concerns`: the effects to which the rule can apply, given for rules that are declared for all effects.
 * `needs`: the rule raises calls only if a protected target matches this pattern.
 */
export const raiseWords: Readonly<
  Record<string, { words: string; concerns?: (touch: Touch) => boolean; needs?: RegExp }>
> = {
  // These rules concern no tool: each tool whose arguments can raise its tier declares that under `raises`.
  refused_arguments: { words: 'arguments that are refused', concerns: () => false },
  always_asks: { words: 'arguments that always ask', concerns: () => false },
  risky_arguments: { words: 'arguments that ask', concerns: () => false },
  // This rule concerns no tool: tools that change marks declare that under `raises`.
  changes_marks: { words: 'a tag, name or node by which later calls are judged', concerns: () => false },
  unknown_effect: { words: 'an effect that nobody has declared', concerns: ({ kind }) => kind === 'unknown' },
  protected_guest: {
    words: 'a protected guest',
    concerns: (touch) => isGuest(touch) || isService(touch),
    needs: /^(vm|ct)\//,
  },
  protected_node: { words: 'a protected node', concerns: isOnNode, needs: /^node\// },
  protected_service: { words: 'a protected service', concerns: isService, needs: /^service\// },
  protected_storage: { words: 'a protected storage', concerns: isStorage, needs: /^storage\// },
  unresolved_target: { words: 'a target that is not known', concerns: isPlaced },
  not_read_only: { words: 'a command not proven to read' },
  ssh_change: { words: 'a command that makes a known change' },
  network_read: { words: 'a host outside that nobody has named' },
  not_a_service: { words: 'what is no service' },
  vital_service: { words: 'a service that can cut JARVIS off or cost quorum' },
  unproven_service: { words: 'a service that is not known to restart harmlessly, or does not run' },
  note_after_strangers: { words: 'a note that would count as yours, after texts of others were read' },
  own_instructions: { words: 'a file that every prompt holds' },
  forced: { words: 'force: true, which cuts the power' },
  locked: { words: 'a guest that is locked' },
  protected_place: {
    words: 'a protected file, site or container',
    concerns: isOfWorkbench,
    needs: /^(?:path|web|container)\//,
  },
  refused_path: { words: 'a path outside the roots, of a secret, or of JARVIS itself' },
  read_only_root: { words: 'a root that is only read', concerns: ({ on }) => on === 'path' },
  own_files_of_git: { words: 'what is in .git', concerns: ({ on }) => on === 'path' },
  change_in_root: { words: 'a file outside the session’s folder', concerns: ({ on }) => on === 'path' },
  private_address: { words: 'an address of this network that policy.yaml does not list' },
  code_of_nobody: { words: 'a code that neither you nor the site wrote' },
  listed_private_address: { words: 'an address of this network that nobody wrote down' },
  strange_address: { words: 'a site that nobody named, after texts of strangers' },
  repeating_query: { words: 'words out of a result' },
  composed_address: { words: 'an address that nobody gave' },
  own_guest: { words: 'the guest JARVIS runs on' },
  own_node: { words: 'the node JARVIS runs on' },
  quorum_at_stake: { words: 'a node without which quorum is lost' },
  // These rules are not listed for a tool, because they apply to every change of a guest, and only for a time.
  no_quorum: { words: 'a cluster without quorum', concerns: () => false },
  quorum_unknown: { words: 'a cluster of which nobody knows whether it has a quorum', concerns: () => false },
  at_work: { words: 'a guest with a task or transition at work' },
  gateway_guest: { words: 'the gateway' },
  dns_guest: { words: 'the DNS' },
  storage_guest: { words: 'the storage others lean on' },
  may_be_own_guest: { words: 'what may be the guest JARVIS runs on' },
  last_of_group: { words: 'the last running one of a group' },
}

/** Returns the reasons that raise a tool's calls above its usual tier, the strictest first. */
export function raisesOf(
  tool: Pick<Call, 'toolName' | 'baseTier'> & {
    touches: readonly Touch[]
    raises?: readonly ArgumentRaise[] | undefined
  },
  policy: Policy,
): Raise[] {
  const usual = rank(usualTier(tool, policy))
  const isProtected = (needs: RegExp) => [...policy.protectedTargets].some((target) => needs.test(target))
  const own = (tool.raises ?? []).flatMap(({ tier, words }): Raise[] => {
    const rule = ruleOf[tier]
    const shifted = underProfile({ tier, rule, reason: '' }, policy.profile).tier
    return rank(shifted) > usual ? [{ tier: shifted, rule, words }] : []
  })
  const found = policy.rules.flatMap(({ name, tools, effects, tier, because }): Raise[] => {
    const known = raiseWords[name]
    // Protection applies only to changes.
    if (known?.concerns !== undefined && (tool.baseTier === 'green' || !tool.touches.some(known.concerns))) return []
    if (known?.needs !== undefined && !isProtected(known.needs)) return []
    if (tools?.includes(tool.toolName) === false) return []
    const isAbout = (touch: Touch) => effects?.some((wanted) => mayMatch(touch, wanted)) ?? true
    if (!tool.touches.some(isAbout)) return []
    const shifted = underProfile({ tier, rule: name, reason: '' }, policy.profile).tier
    const words = known?.words ?? (typeof because === 'string' ? because : name)
    return rank(shifted) > usual ? [{ tier: shifted, rule: name, words }] : []
  })
  // "The target is not known" applies to every change, so it comes last.
  const isPlain = ({ rule }: Raise) => Number(rule === 'unresolved_target')
  return [...own, ...found].sort((a, b) => rank(b.tier) - rank(a.tier) || isPlain(a) - isPlain(b))
}
