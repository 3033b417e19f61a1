import { type Approvals, type Approve, JarvisError, type Principal } from 'protocol'
import type { Receipt } from 'signing/receipt'
import type { Decisions } from '../../access/decisions.ts'
import { unknownWriter } from '../../agent/principal.ts'
import { approversOf, mayApprove, unmet, usualApprovers } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { KnownPerson, People } from '../people.ts'
import type { ConfirmationStore, Journal, JournalProof, StoredConfirmation } from '../ports.ts'

/** Returns the ids of the people who count as askers: the person in whose name the call is made, and everybody else who caused it. */
const askersOf = (
  { person, causedBy = [] }: Pick<Principal, 'person' | 'causedBy'>,
  people: Pick<People, 'find'>,
): string[] => [people.find(person)?.id ?? '', ...causedBy]

/** Returns the approvals that a card shows; undefined if one operator decides. @param people the people who may sign in now */
export function approvalsOf(
  approve: Approve | undefined,
  people: People,
  asker: Pick<Principal, 'person' | 'causedBy'>,
): Approvals | undefined {
  if (approve === undefined) return undefined
  const { count: needed, by: roles, notAsker } = neededBy(approve, asker)
  const problem = unmet({ ...approve, count: needed }, people.list(), askersOf(asker, people))
  const oneMore =
    needed > approve.count
      ? 'It follows a text that was changed outside of JARVIS. Whoever approves may have written it, so it takes one person more. Saved in the dashboard, the text has an author.'
      : undefined
  return {
    needed,
    by: [],
    roles,
    ...(notAsker && { notAsker }),
    oneMore,
    problem,
  }
}

/**
 * Returns the quorum that the rule requires for this call. If the call follows a text of unknown author, one of the approvers may be the author, so
 * one more approver is needed.
 */
export const neededBy = (approve: Approve, { causedBy = [] }: Pick<Principal, 'causedBy'> = {}): Approve => ({
  ...approve,
  count: approve.count + (approve.notAsker && causedBy.includes(unknownWriter) ? 1 : 0),
})

const quorumOf = ({ needed: count, roles: by, notAsker }: Approvals): Approve => ({
  count,
  by,
  notAsker: notAsker ?? false,
})

/** An approval that counts. `isAlone`: an owner broke the glass, so nobody else is needed. */
type Counting = KnownPerson & { isAlone: boolean }

export type ApprovalParts = {
  store: Pick<ConfirmationStore, 'setApprovals'>
  journal: Journal
  proof: Pick<JournalProof, 'approvals'>
  decisions: Pick<Decisions, 'signedBy'>
  people: People
  clock: Clock
  redact(text: string): string
}

/** Approvals of one call by several people: who may approve, which approvals count, and how an approval is recorded. */
export class CardApprovals {
  readonly #parts: ApprovalParts

  constructor(parts: ApprovalParts) {
    this.#parts = parts
  }

  /**
   * Returns the person whose approval is recorded; undefined if one operator decides.
   * @throws JarvisError `forbidden` if the person's approval does not count, such as a member's; `already_decided` if the person approved before
   */
  approver(stored: StoredConfirmation, by: string, isAlone: boolean): KnownPerson | undefined {
    const { people } = this.#parts
    const { card } = stored
    const { approvals } = card
    const person = people.find(by)
    if (person === undefined || !mayApprove(person.role, usualApprovers))
      throw new JarvisError('forbidden', 'An operator approves this; you can deny it. Nothing was decided.')
    if (approvals === undefined) return undefined
    if (isAlone) {
      if (person.role === 'owner') return person
      throw new JarvisError('forbidden', 'Only an owner may decide alone. Nothing was decided.')
    }
    if (!mayApprove(person.role, approvals.roles))
      throw new JarvisError(
        'forbidden',
        `It takes ${approvals.roles.join(' or ') || 'nobody'} to approve this, and you are ${person.role}. Nothing was decided.`,
      )
    if (approvals.notAsker && askersOf(card.requestedBy, people).includes(person.id)) {
      const isOthers = card.requestedBy.causedBy?.includes(person.id) === true
      const deed = isOthers ? 'You started this, or wrote what it follows' : 'You asked for this'
      throw new JarvisError('forbidden', `${deed}, so others must approve it. You can deny it. Nothing was decided.`)
    }
    const yes = this.#counting(stored)
    if (!yes.some(({ id }) => id === person.id)) return person
    const left = approvals.needed - yes.length
    throw new JarvisError('already_decided', `You approved it before. It waits for ${left} more.`)
  }

  /** Returns true if no further approval is needed once this person has approved. */
  isLast(stored: StoredConfirmation, person: KnownPerson, isAlone: boolean): boolean {
    return isEnough(stored, [...this.#counting(stored).filter(({ id }) => id !== person.id), { ...person, isAlone }])
  }

  /** Returns true if enough people have approved, judged by their present roles and keys. */
  isWhole(stored: Pick<StoredConfirmation, 'card' | 'bindingHash'>): boolean {
    return stored.card.approvals === undefined || isEnough(stored, this.#counting(stored))
  }

  /** Records an approval, in the caller's transaction. */
  record(
    stored: StoredConfirmation,
    person: KnownPerson,
    more: { note?: string | undefined; alone?: string | undefined; receipt?: Receipt | undefined },
  ): void {
    const { store, journal, clock, redact } = this.#parts
    const { card, sessionId, bindingHash } = stored
    const { toolUseId, toolName, target, requestedBy, approvals } = card
    if (approvals === undefined) return
    const at = clock.now()
    const before = this.#counting(stored).filter(({ id }) => id !== person.id)
    const said = new Map(approvals.by.map((one) => [one.person, one]))
    const by = before.map(({ id, name }) => said.get(id) ?? { person: id, name, at })
    const now = { ...approvals, by: [...by, { person: person.id, name: person.name, at }] }
    store.setApprovals(toolUseId, now)
    const about = {
      toolUseId,
      sessionId,
      toolName,
      target,
      requestedBy,
      bindingHash,
      by: person.id,
      role: person.role,
    }
    journal.append('approval', {
      ...about,
      number: now.by.length,
      of: approvals.needed,
      ...(more.note !== undefined && { note: redact(more.note) }),
      ...(more.alone !== undefined && { breakGlass: redact(more.alone) }),
      ...(more.receipt && { receipt: more.receipt }),
    })
  }

  /**
   * Lists the people whose approvals the journal holds and that still count. An approval no longer counts if the person was removed or has another
   * role now, or if the key of its signature was removed.
   */
  #counting({ card, bindingHash }: Pick<StoredConfirmation, 'card' | 'bindingHash'>): Counting[] {
    const { people, proof, decisions } = this.#parts
    if (card.approvals === undefined) return []
    const all =
      card.proof === undefined
        ? proof.approvals(card.toolUseId, bindingHash)
        : decisions.signedBy(card.toolUseId, bindingHash)
    const given = new Map(all.map((one) => [one.person, one]))
    const known = [...given.values()].flatMap(({ person, isAlone }) => {
      const found = people.find(person)
      return found === undefined || found.id !== person ? [] : [{ ...found, isAlone }]
    })
    const able = new Set(
      approversOf(quorumOf(card.approvals), known, askersOf(card.requestedBy, people)).map(({ id }) => id),
    )
    return known.filter(({ id, role, isAlone }) => (isAlone ? role === 'owner' : able.has(id)))
  }
}

const isEnough = ({ card }: Pick<StoredConfirmation, 'card'>, yes: readonly Counting[]): boolean =>
  yes.some(({ isAlone }) => isAlone) || yes.length >= (card.approvals?.needed ?? 0)
