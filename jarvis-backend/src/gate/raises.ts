import type { Tier } from '../protocol/index.ts'
import { usualTier } from './decide.ts'
import type { Policy } from './policy/policy.ts'
import { underProfile } from './policy/profile.ts'
import type { Call } from './rule.ts'
import { rank } from './tiers.ts'

/** What raises a call above its tool's usual tier, in a few words: `a guest that is locked`. */
export type Raise = { tier: Tier; rule: string; words: string }

const onGuests = /^(start|stop|restart)_(vm|container)$|^restart_service$|^execute_ssh$/
const onNodes = /^(execute_ssh|restart_service|wake_node)$/

/** Of each rule that is shipped: when it raises. `tools`: whom it can concern, where the rule names them all. */
export const raiseWords: Readonly<Record<string, { words: string; tools?: RegExp; needs?: RegExp }>> = {
  protected_guest: { words: 'a protected guest', tools: onGuests, needs: /^(vm|ct)\// },
  protected_node: { words: 'a protected node', tools: onNodes, needs: /^node\// },
  protected_service: { words: 'a protected service', needs: /^service\// },
  unresolved_target: { words: 'a target that is not known' },
  not_read_only: { words: 'a command not proven to read' },
  ssh_change: { words: 'a command that makes a known change' },
  network_read: { words: 'a host outside that nobody has named' },
  not_a_service: { words: 'what is no service' },
  vital_service: { words: 'a service that can cut JARVIS off or cost quorum' },
  unproven_service: { words: 'a service that is not known to restart harmlessly, or does not run' },
  own_instructions: { words: 'a file that every prompt holds' },
  forced: { words: 'force: true, which cuts the power' },
  locked: { words: 'a guest that is locked' },
  own_guest: { words: 'the guest JARVIS runs on' },
  at_work: { words: 'a guest with a task or transition at work' },
  gateway_guest: { words: 'the gateway' },
  dns_guest: { words: 'the DNS' },
  storage_guest: { words: 'the storage others lean on' },
  may_be_own_guest: { words: 'what may be the guest JARVIS runs on' },
  last_of_group: { words: 'the last running one of a group' },
}

/** Strictest first; of a rule of the operator's own, its reason. Nothing that the profile makes no stricter than usual. */
export function raisesOf(tool: Pick<Call, 'toolName' | 'baseTier'>, policy: Policy): Raise[] {
  const usual = rank(usualTier(tool, policy))
  const isProtected = (needs: RegExp) => [...policy.protectedTargets].some((target) => needs.test(target))
  const found = policy.rules.flatMap(({ name, tools, tier, because }): Raise[] => {
    const known = raiseWords[name]
    // What is protected is protected from changes.
    if (known?.tools !== undefined && (tool.baseTier === 'green' || !known.tools.test(tool.toolName))) return []
    if (known?.needs !== undefined && !isProtected(known.needs)) return []
    if (tools !== 'all' && !tools.includes(tool.toolName)) return []
    const shifted = underProfile({ tier, rule: name, reason: '' }, policy.profile).tier
    const words = known?.words ?? (typeof because === 'string' ? because : name)
    return rank(shifted) > usual ? [{ tier: shifted, rule: name, words }] : []
  })
  // That a target must be there goes without saying: it is said last.
  const isPlain = ({ rule }: Raise) => Number(rule === 'unresolved_target')
  return found.sort((a, b) => rank(b.tier) - rank(a.tier) || isPlain(a) - isPlain(b))
}
