import type { ProfileName, Tier, Verdict } from 'protocol'

export type Profile = {
  /** For people: what it does to the tiers. */
  description: string
  /** The tiers that this profile changes, for all rules. */
  shift: Partial<Record<'yellow' | 'red', Tier>>
  /** The tier of a call whose red is the tool's own base tier. */
  ownRed?: 'yellow'
}

/** The profiles, from strictest to loosest. Green runs and black is refused in all of them. */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  lockdown: { description: 'reads only: every change is refused', shift: { yellow: 'black', red: 'black' } },
  restricted: { description: 'asks before every change, small ones too', shift: { yellow: 'red' } },
  balanced: { description: 'asks before risky changes', shift: {} },
  permissive: { description: 'asks only where a rule found a reason to', shift: {}, ownRed: 'yellow' },
  unrestricted: {
    description: 'asks only where the words of a call came out of a tool result',
    shift: { red: 'yellow' },
  },
}

/** The rule for calls that contain text out of a tool result. No profile lowers it. */
export const taintRule = 'taint'
/** The rule for changes that a person decides each time, such as a loss of data. No profile lowers it. */
export const alwaysAsks = 'always_asks'
/** The rule for calls that would give a site or a search a code that nobody gave: text out of a result may stand in it. No profile lowers it. */
export const codeRule = 'code_of_nobody'
/** The rule for calls that change facts by which later calls are judged, such as a tag that a rule names. No profile lowers it. */
export const markRule = 'changes_marks'
/** The rule for notes that would count as the operator's although strangers' texts were read. No profile lowers it. */
export const noteRule = 'note_after_strangers'
/** Returns whether a call by this rule asks each time: no profile lowers it, and no grant is made for it. */
export const mustAsk = (rule: string): boolean => [taintRule, alwaysAsks, codeRule, markRule, noteRule].includes(rule)

/** The verdict under a profile. `rule` is `profile` when the profile changed the tier. */
export function underProfile(verdict: Verdict, name: ProfileName): Verdict {
  const { shift, ownRed } = profiles[name]
  const { tier, rule, reason } = verdict
  if (tier === 'green' || tier === 'black') return verdict
  const shifted = (tier === 'red' && rule === 'base' ? ownRed : undefined) ?? shift[tier]
  if (shifted === undefined || shifted === tier || (shifted === 'yellow' && mustAsk(rule))) return verdict
  return { tier: shifted, rule: 'profile', reason: `${because(name, shifted)} ${reason}` }
}

function because(name: ProfileName, tier: Tier): string {
  switch (tier) {
    case 'black':
      return `The profile ${name} changes nothing.`
    case 'red':
      return `The profile ${name} asks before every change.`
    default:
      return `The profile ${name} does not ask for this.`
  }
}
