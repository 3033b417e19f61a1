import type { ProfileName, Tier, Verdict } from 'protocol'

export type Profile = {
  /** For people: the profile's effect on the tiers. */
  description: string
  /** The tiers that this profile changes, whatever rule gave them. */
  shift: Partial<Record<'yellow' | 'red', Tier>>
  /** If set, the tier of a call that is red only by its tool's own base tier. */
  ownRed?: 'yellow'
}

/** The profiles, from strictest to loosest. In all profiles green calls run and black calls are refused. */
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

/** The rule for calls that contain text from a tool result. No profile lowers its tier. */
export const taintRule = 'taint'
/** The rule for changes that a person must decide each time, such as a loss of data. No profile lowers its tier. */
export const alwaysAsks = 'always_asks'
/**
 * The rule for calls that would send a site or a search a code from no known source: the code may contain text from a result. No profile lowers its
 * tier.
 */
export const codeRule = 'code_of_nobody'
/** The rule for calls that change facts by which later calls are judged, such as a tag that a rule names. No profile lowers its tier. */
export const markRule = 'changes_marks'
/** The rule for notes that would count as the operator's although they were written after strangers' texts were read. No profile lowers its tier. */
export const noteRule = 'note_after_strangers'
/** Returns true if a call by this rule asks each time: no profile lowers its tier, and no grant can be made for it. */
export const mustAsk = (rule: string): boolean => [taintRule, alwaysAsks, codeRule, markRule, noteRule].includes(rule)

/** Returns the verdict under a profile. `rule` is `profile` if the profile changed the tier. */
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
