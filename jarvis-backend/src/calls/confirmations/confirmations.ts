import { type Card, type ConfirmationRow, type DecisionChallenge, type DecisionTerms, JarvisError } from 'protocol'
import { rightsOf } from '../../agent/principal.ts'
import type { Decisions } from '../../signing/decisions.ts'
import type { ConfirmationStore, Journal } from '../ports.ts'
import type { Step } from '../states.ts'
import { type ApprovalsOfCards, createApprovals } from './approvals.ts'
import { type Attended, createAttended } from './attended.ts'
import { createDecide } from './decide.ts'
import type { DecideRequest } from './request.ts'

export type Confirmations = {
  /**
   * An operator's screen shows the cards of this session, or all cards: their time to live begins.
   * @param toolUseId one card alone: a person has pressed a button of it
   */
  seen(sessionId?: string, toolUseId?: string): void
  /** Waits until the call's card, or a card that replaced it, is decided. @returns the step that follows */
  wait(way: Attended): Promise<Step>
  /** Whether enough of those who must approve a card have done so, as they stand now. */
  isWhole: ApprovalsOfCards['isWhole']
  ofCall: ConfirmationStore['ofCall']
  denied: ConfirmationStore['denied']
  /**
   * Decides a card. An approval is checked against the present state; a promise is returned when that state must be
   * read first.
   * @throws JarvisError `unknown_confirmation`, `already_decided`, `expired`, `invalid_request` (a grant or an alternative that cannot
   * be), `cluster_unreachable` (nothing can be approved now, and the card stays).
   */
  decide(request: DecideRequest): void | Promise<void>
  /** What a person signs to approve a card. @throws JarvisError as `decide` */
  challenge(request: { toolUseId: string; by: string; origin: string; terms: DecisionTerms }): DecisionChallenge
  /**
   * Takes a denial back: the same call of the same session is asked for again.
   * @throws JarvisError `unknown_confirmation`, `conflict` (it was not denied, or was taken back before).
   */
  lift(toolUseId: string, by: string): void
  /** Withdraws the card when it no longer shows what would run. */
  review(toolUseId: string): void
  /** Withdraws a card that still waits; no-op when it was decided. */
  cancel(toolUseId: string, by: string, note?: string): void
  pending(sessionId?: string): Card[]
  pendingCounts(): Map<string, number>
  list(since: number): ConfirmationRow[]
  /** Stops expiring cards. The next start takes over those that wait. */
  stop(): void
}

/** Keeps the cards of calls that ask: who waits for them, how they are decided, and which there are. */
export function createConfirmations(
  parts: {
    store: ConfirmationStore
    journal: Journal
    decisions: Pick<Decisions, 'challenge' | 'check' | 'use' | 'signedBy'>
  } & Parameters<typeof createAttended>[0] &
    Parameters<typeof createApprovals>[0] &
    Parameters<typeof createDecide>[0],
): Confirmations {
  const { store, transactions, clock } = parts
  const attended = createAttended(parts)
  const approvals = createApprovals(parts)
  const { openCard, decide } = createDecide(parts, attended, approvals)
  const { seen, wait, review, cancel, stop } = attended
  return {
    seen,
    wait,
    review,
    cancel,
    stop,
    decide,
    isWhole: approvals.isWhole,
    ofCall: store.ofCall,
    denied: store.denied,
    challenge({ toolUseId, by: person, origin, terms }) {
      const { card, bindingHash } = openCard(toolUseId)
      return parts.decisions.challenge({ card, bindingHash, person, terms }, origin)
    },
    lift(toolUseId, by) {
      const known = store.get(toolUseId)
      if (known === undefined) throw new JarvisError('unknown_confirmation', 'There is no such confirmation.')
      const { card, sessionId } = known
      const isLifted = transactions.durably(() => {
        if (!store.lift(toolUseId, clock.now())) return false
        const { toolName, target, requestedBy } = card
        const about = { toolUseId, sessionId, toolName, target, requestedBy, by }
        parts.journal.append('grant', { change: 'denial_taken_back', ...about })
        return true
      })
      if (!isLifted) throw new JarvisError('conflict', 'The call was not denied, or its denial was taken back before.')
      parts.changed(sessionId)
    },
    pending: (sessionId) => store.pending(sessionId).map(({ card }) => card),
    pendingCounts: store.pendingCounts,
    list: (since) =>
      store.list(since).map((row) => {
        const { deniedForMs = 0 } = rightsOf(row.requestedBy)
        const until = (row.decidedAt ?? 0) + deniedForMs
        const isRefused = row.decision === 'denied' && row.liftedAt === undefined && until > clock.now()
        return isRefused && deniedForMs > 0 ? { ...row, refusedUntil: until } : row
      }),
  }
}
