import { JarvisError, type Role } from 'protocol'

/** The standings, from fewest to most rights. Each role maps to one of them. */
export const standings = ['viewer', 'member', 'operator', 'owner'] as const
export type Standing = (typeof standings)[number]

/** A role that JARVIS does not define itself comes from policy.yaml, and its holder is a member. */
export const standingOf = (role: string): Standing => standings.find((known) => known === role) ?? 'member'

export const isAtLeast = (role: string, least: Standing): boolean =>
  standings.indexOf(standingOf(role)) >= standings.indexOf(least)

/** True if a role has scopes: its holder sees only the part of the cluster in these scopes. */
export const isBounded = (role: string): boolean => standingOf(role) === 'member'

/** The role with fewer rights of the two. */
export const lesserOf = (one: string, other: string): string => (isAtLeast(one, standingOf(other)) ? other : one)

/** True if the present role allows at least what the earlier role allowed. A member's scopes are looked up at each use. */
export const countsAsMuch = (now: string, before: string): boolean =>
  now === before || (isAtLeast(now, standingOf(before)) && !isBounded(now))

/** The role in the older form of the protocol, which knows only `operator` and `viewer`. */
export const wireRole = (role: string): Role => (isAtLeast(role, 'operator') ? 'operator' : 'viewer')

const refusals: Record<Exclude<Standing, 'viewer'>, string> = {
  member: 'Your role may only look. An owner can give you one that may ask.',
  operator: 'An operator can do this; you may only look.',
  owner: 'Only an owner can do this. Nothing was changed.',
}

/** @throws JarvisError `forbidden` */
export function requireStanding(role: string, least: Standing): void {
  if (least !== 'viewer' && !isAtLeast(role, least)) throw new JarvisError('forbidden', refusals[least])
}

/** @throws JarvisError `forbidden` for a person who sees only a part of the cluster */
export function requireWholeSight(role: string): void {
  if (isBounded(role))
    throw new JarvisError('forbidden', 'Your role sees its part of the cluster alone, and this shows more of it.')
}
