import type { EndedAccess, RoleInfo } from 'protocol'
import type { KnownPerson } from '../../../api/people.ts'
import { plural } from '../../../lib/format.ts'
import { browserOf } from './browser.ts'

/** A sentence for each built-in role. */
const houseRoles: Record<string, string> = {
  owner: 'May do everything, and decides about people, secrets and policy.',
  operator: 'May ask for and decide everything but Never, on the whole cluster. Changes no people, secrets or policy.',
  viewer: 'May read. Asks for nothing and decides nothing.',
}

/** Returns the rights of a role in one sentence: the dashboard's own sentence for a built-in role, otherwise the server's. */
export function roleSentence(role: string, roles: readonly RoleInfo[] | undefined): string {
  if (Object.hasOwn(houseRoles, role)) return houseRoles[role] ?? ''
  const known = roles?.find(({ name }) => name === role)?.sentence
  if (known !== undefined) return known
  return roles === undefined ? '' : `policy.yaml has no role ${role}, so it allows nothing.`
}

/** Returns why the last owner cannot be given a lesser role, disabled or removed; undefined if this person can be. */
export function lastOwnerWords(person: KnownPerson, people: readonly KnownPerson[]): string | undefined {
  const owners = people.filter(({ role, disabledAt }) => role === 'owner' && disabledAt === undefined)
  return owners.length === 1 && owners[0]?.id === person.id
    ? 'The only owner: make somebody else an owner first.'
    : undefined
}

/** A number of people in words: `only you`, `3`. */
export const peopleCount = (people: number): string => (people === 1 ? 'only you' : String(people))

/** Says what ended with a new password or a sign-out: `3 sign-ins ended: Firefox on Linux. Pairings ended: telegram: Mira.` */
export function endedWords({ signIns, pairings }: EndedAccess): string {
  const clients = [...new Set(signIns.map(browserOf))]
  const ofSignIns = `${plural(signIns.length, 'other sign-in')} ended: ${clients.join(', ')}.`
  const ofPairings = `${plural(pairings.length, 'pairing')} ended: ${pairings.join(', ')}. Pair again in Settings, Notifications.`
  return [
    signIns.length === 0 ? 'You were signed in nowhere else.' : ofSignIns,
    ...(pairings.length === 0 ? [] : [ofPairings]),
  ].join(' ')
}
