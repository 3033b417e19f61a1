import type { Approve } from 'protocol'
import type { ApproveForm } from '../policy/roles-schema.ts'
import type { PolicyFile } from '../policy/schema.ts'
import { either } from './words.ts'

/** The people who decide a card if no rule requires others. */
export const usualApprovers = ['operator'] as const

/** Returns a rule's `approve` with defaults for the keys that it leaves out. */
export const approveOf = ({ count = 1, by = [...usualApprovers], notAsker = true }: ApproveForm): Approve => ({
  count,
  by,
  notAsker,
})

/** Combines two quorums: the larger number, of people whom both allow to approve. */
export const both = (one: Approve, other: Approve): Approve => ({
  count: Math.max(one.count, other.count),
  by: one.by
    .filter((role) => other.by.some((wanted) => isIn(role, wanted)))
    .concat(other.by.filter((role) => !one.by.includes(role) && one.by.some((wanted) => isIn(role, wanted)))),
  notAsker: one.notAsker || other.notAsker,
})

/** Returns true if a person with `role` counts as `wanted`. An owner counts as an operator too. */
const isIn = (role: string, wanted: string): boolean => role === wanted || (role === 'owner' && wanted === 'operator')

/** Returns true if a person with the role may approve. @param by the roles that may approve */
export const mayApprove = (role: string, by: readonly string[]): boolean => by.some((wanted) => isIn(role, wanted))

/** The facts of a person that matter for approvals. */
export type Approver = { id: string; role: string; isDisabled?: boolean }

/**
 * Returns the people who may approve a call. @param askers the person who asks, and others who caused the call; absent: nobody is left out as asker
 */
export const approversOf = <P extends Approver>(
  { by, notAsker }: Approve,
  people: readonly P[],
  askers: readonly string[] = [],
): P[] =>
  people.filter(({ id, role, isDisabled }) => !isDisabled && mayApprove(role, by) && !(notAsker && askers.includes(id)))

const people = (count: number) => (count === 1 ? '1 person' : `${count} people`)

/** Describes a quorum: `2 people who are operator, none of them the one who asked`. */
export const approveWords = ({ count, by, notAsker }: Approve): string =>
  `${people(count)} who ${count === 1 ? 'is' : 'are'} ${either(by) || 'nobody'}${notAsker ? `, ${count === 1 ? 'not' : 'none of them'} the one who asked` : ''}`

/**
 * Returns why a call could never be approved; undefined if it can be. @param askers same as for `approversOf`; absent: the asker may be any of the
 * approvers
 */
export function unmet(approve: Approve, enrolled: readonly Approver[], askers?: readonly string[]): string | undefined {
  const able = approversOf(approve, enrolled, askers).length
  // If the asker is not known, it may be one of the people who may approve.
  const needed = approve.count + (approve.notAsker && askers === undefined ? 1 : 0)
  if (able >= needed) return undefined
  const there = able === 0 ? 'nobody is' : `${people(able)} ${able === 1 ? 'is' : 'are'}`
  const who = askers === undefined ? '' : ' besides the one who asked'
  return `It takes ${approveWords(approve)}, and ${there} ${either(approve.by) || 'allowed to'}${who}.`
}

/** Returns a sentence for each rule of a policy whose cards the enrolled people could never approve. */
export const unmetIn = ({ rules = [] }: PolicyFile, enrolled: readonly Approver[]): string[] =>
  rules.flatMap(({ name, approve }) => {
    const why = approve && unmet(approveOf(approve), enrolled)
    return why === undefined ? [] : [`rule ${name}: ${why} Its cards could wait for ever.`]
  })
