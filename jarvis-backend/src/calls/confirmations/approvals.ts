import { type Approvals, type Approve, JarvisError, type Principal } from 'protocol'
import { unknownWriter } from '../../agent/principal.ts'
import { approversOf, mayApprove, unmet, usualApprovers } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Decisions } from '../../signing/decisions.ts'
import type { Receipt } from '../../signing/receipt.ts'
import type { KnownPerson, People } from '../people.ts'
import type { ConfirmationStore, Journal, JournalProof, StoredConfirmation } from '../ports.ts'

/** Who counts as having asked: the person in whose name, and whoever else caused it. */
const askersOf = (
  { person, causedBy = [] }: Pick<Principal, 'person' | 'causedBy'>,
  people: Pick<People, 'find'>,
): string[] => [people.find(person)?.id ?? '', ...causedBy]

/** What a card says of those who must approve it; undefined where one operator decides. @param people who may sign in now */
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
    ...(problem !== undefined && { problem }),
  }
}

/** What a rule asks for here. Where nobody knows who wrote the text that a call follows, one of those who approve may have. */
export const neededBy = (approve: Approve, { causedBy = [] }: Pick<Principal, 'causedBy'> = {}): Approve => ({
  ...approve,
  count: approve.count + (approve.notAsker && causedBy.includes(unknownWriter) ? 1 : 0),
})

/** A yes that counts. `isAlone`: an owner broke the glass, and nobody else is needed. */
type Counting = KnownPerson & { isAlone: boolean }

/** Several people approve one call: who may, whose yes counts, and what is written of it. */
export function createApprovals(parts: {
  store: Pick<ConfirmationStore, 'setApprovals'>
  journal: Journal
  proof: Pick<JournalProof, 'approvals'>
  decisions: Pick<Decisions, 'signedBy'>
  people: People
  clock: Clock
  redact(text: string): string
}) {
  const { people } = parts
  const approveOf = ({ needed: count, roles: by, notAsker }: Approvals): Approve => ({
    count,
    by,
    notAsker: notAsker ?? false,
  })

  /** Whose yes stands in the journal and still counts: not of somebody who was removed or has another role now, nor a signature of a key that is gone. */
  function counting({ card, bindingHash }: Pick<StoredConfirmation, 'card' | 'bindingHash'>): Counting[] {
    if (card.approvals === undefined) return []
    const all = card.proof === undefined ? parts.proof.approvals : parts.decisions.signedBy
    const given = new Map(all(card.toolUseId, bindingHash).map((one) => [one.person, one]))
    const known = [...given.values()].flatMap(({ person, isAlone }) => {
      const found = people.find(person)
      return found === undefined || found.id !== person ? [] : [{ ...found, isAlone }]
    })
    const able = new Set(
      approversOf(approveOf(card.approvals), known, askersOf(card.requestedBy, people)).map(({ id }) => id),
    )
    return known.filter(({ id, role, isAlone }) => (isAlone ? role === 'owner' : able.has(id)))
  }

  const isEnough = ({ card }: Pick<StoredConfirmation, 'card'>, yes: readonly Counting[]): boolean =>
    yes.some(({ isAlone }) => isAlone) || yes.length >= (card.approvals?.needed ?? 0)

  return {
    /**
     * The person whose yes is written down; undefined where one operator decides.
     * @throws JarvisError `forbidden` where theirs does not count, such as a member's, `already_decided` where they said it before
     */
    approver(stored: StoredConfirmation, by: string, isAlone: boolean): KnownPerson | undefined {
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
      const yes = counting(stored)
      if (!yes.some(({ id }) => id === person.id)) return person
      const left = approvals.needed - yes.length
      throw new JarvisError('already_decided', `You approved it before. It waits for ${left} more.`)
    },
    /** Whether nobody else is needed once this person has said yes. */
    isLast: (stored: StoredConfirmation, person: KnownPerson, isAlone: boolean): boolean =>
      isEnough(stored, [...counting(stored).filter(({ id }) => id !== person.id), { ...person, isAlone }]),
    /** Whether enough people have said yes, as they stand now. */
    isWhole: (stored: Pick<StoredConfirmation, 'card' | 'bindingHash'>): boolean =>
      stored.card.approvals === undefined || isEnough(stored, counting(stored)),
    /** Writes a yes down, within the caller's transaction. @returns how the card shows it */
    record(
      stored: StoredConfirmation,
      person: KnownPerson,
      more: { note?: string; alone?: string; receipt?: Receipt | undefined },
    ): Approvals | undefined {
      const { card, sessionId, bindingHash } = stored
      const { toolUseId, toolName, target, requestedBy, approvals } = card
      if (approvals === undefined) return undefined
      const at = parts.clock.now()
      const before = counting(stored).filter(({ id }) => id !== person.id)
      const said = new Map(approvals.by.map((one) => [one.person, one]))
      const by = before.map(({ id, name }) => said.get(id) ?? { person: id, name, at })
      const now = { ...approvals, by: [...by, { person: person.id, name: person.name, at }] }
      parts.store.setApprovals(toolUseId, now)
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
      parts.journal.append('approval', {
        ...about,
        number: now.by.length,
        of: approvals.needed,
        ...(more.note !== undefined && { note: parts.redact(more.note) }),
        ...(more.alone !== undefined && { breakGlass: parts.redact(more.alone) }),
        ...(more.receipt && { receipt: more.receipt }),
      })
      return now
    },
  }
}

export type ApprovalsOfCards = ReturnType<typeof createApprovals>
