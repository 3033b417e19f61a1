import { type Tier, tiers } from 'protocol'

/** Returns a tier's strictness, from 0 for green to 3 for black. */
export const rank = (tier: Tier): number => tiers.indexOf(tier)

export const stricter = (a: Tier, b: Tier): Tier => (rank(a) >= rank(b) ? a : b)
