import { type Card, type ConfirmationRow, type DecisionChallenge, type DecisionTerms, JarvisError } from 'protocol'
import { rightsOf } from '../../agent/principal.ts'
import type { Decisions } from '../../signing/decisions.ts'
import type { ConfirmationStore, Resolution, StoredConfirmation } from '../ports.ts'
import type { Step } from '../states.ts'
import { type ApprovalParts, CardApprovals } from './approvals.ts'
import { type Attended, AttendedCards, type AttendedParts } from './attended.ts'
import { type DecideParts, Decider } from './decide.ts'
import type { DecideRequest } from './request.ts'

/** The cards of calls that ask, as the doors and the executor use them. */
export interface Confirmations {
  /**
   * An operator's screen shows the cards of this session, or all cards: their time to live begins.
   * @param toolUseId one card alone, of which a person pressed a button
   */
  seen(sessionId?: string, toolUseId?: string): void
  /** Waits until the call's card, or a card that replaced it, is decided. @returns the step that follows */
  wait(way: Attended): Promise<Step>
  /** Returns whether enough people have approved the card, by their roles and keys of now. */
  isWhole(stored: Pick<StoredConfirmation, 'card' | 'bindingHash'>): boolean
  /** Returns the newest card of a call. */
  ofCall(callId: string): (StoredConfirmation & { resolution?: Resolution }) | undefined
  /** Returns the newest denial of the same call, as `ConfirmationStore.denied`. */
  denied(...query: Parameters<ConfirmationStore['denied']>): Resolution | undefined
  /**
   * Decides a card. An approval is checked against the present state; a promise is returned when that state must be
   * read first.
   * @throws JarvisError `unknown_confirmation`, `already_decided`, `expired`, `invalid_request` (a grant or an alternative that cannot
   * be), `cluster_unreachable` (nothing can be approved now, and the card stays).
   */
  decide(request: DecideRequest): void | Promise<void>
  /** Returns the challenge that a person signs to approve a card. @throws JarvisError as `decide` */
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
  /** Lists the cards that wait: of one session, or all. */
  pending(sessionId?: string): Card[]
  /** Returns the number of waiting cards, by session. */
  pendingCounts(): Map<string, number>
  /** Lists cards that wait and cards that were decided since `since`, Unix ms. */
  list(since: number): ConfirmationRow[]
  /** Stops expiring cards. The next start takes over those that wait. */
  stop(): void
}

export type CardParts = AttendedParts &
  ApprovalParts &
  DecideParts & { decisions: Pick<Decisions, 'challenge' | 'check' | 'use' | 'signedBy'> }

/** Keeps the cards of calls that ask: the calls that wait for them, how they are decided, and the lists of them. */
export class Cards implements Confirmations {
  readonly #parts: CardParts
  readonly #attended: AttendedCards
  readonly #approvals: CardApprovals
  readonly #decider: Decider

  constructor(parts: CardParts) {
    this.#parts = parts
    this.#attended = new AttendedCards(parts)
    this.#approvals = new CardApprovals(parts)
    this.#decider = new Decider(parts, this.#attended, this.#approvals)
  }

  seen(sessionId?: string, toolUseId?: string): void {
    this.#attended.seen(sessionId, toolUseId)
  }

  wait(way: Attended): Promise<Step> {
    return this.#attended.wait(way)
  }

  isWhole(stored: Pick<StoredConfirmation, 'card' | 'bindingHash'>): boolean {
    return this.#approvals.isWhole(stored)
  }

  ofCall(callId: string) {
    return this.#parts.store.ofCall(callId)
  }

  denied(...query: Parameters<ConfirmationStore['denied']>): Resolution | undefined {
    return this.#parts.store.denied(...query)
  }

  decide(request: DecideRequest): void | Promise<void> {
    return this.#decider.decide(request)
  }

  challenge(request: { toolUseId: string; by: string; origin: string; terms: DecisionTerms }): DecisionChallenge {
    const { toolUseId, by: person, origin, terms } = request
    const { card, bindingHash } = this.#decider.openCard(toolUseId)
    return this.#parts.decisions.challenge({ card, bindingHash, person, terms }, origin)
  }

  lift(toolUseId: string, by: string): void {
    const { store, clock, journal, transactions, changed } = this.#parts
    const known = store.get(toolUseId)
    if (known === undefined) throw new JarvisError('unknown_confirmation', 'There is no such confirmation.')
    const { card, sessionId } = known
    const isLifted = transactions.durably(() => {
      if (!store.lift(toolUseId, clock.now())) return false
      const { toolName, target, requestedBy } = card
      const about = { toolUseId, sessionId, toolName, target, requestedBy, by }
      journal.append('grant', { change: 'denial_taken_back', ...about })
      return true
    })
    if (!isLifted) throw new JarvisError('conflict', 'The call was not denied, or its denial was taken back before.')
    changed(sessionId)
  }

  review(toolUseId: string): void {
    this.#attended.review(toolUseId)
  }

  cancel(toolUseId: string, by: string, note?: string): void {
    this.#attended.cancel(toolUseId, by, note)
  }

  pending(sessionId?: string): Card[] {
    return this.#parts.store.pending(sessionId).map(({ card }) => card)
  }

  pendingCounts(): Map<string, number> {
    return this.#parts.store.pendingCounts()
  }

  list(since: number): ConfirmationRow[] {
    const { store, clock } = this.#parts
    return store.list(since).map((row) => {
      const { deniedForMs = 0 } = rightsOf(row.requestedBy)
      const until = (row.decidedAt ?? 0) + deniedForMs
      const isRefused = row.decision === 'denied' && row.liftedAt === undefined && until > clock.now()
      return isRefused && deniedForMs > 0 ? { ...row, refusedUntil: until } : row
    })
  }

  stop(): void {
    this.#attended.stop()
  }
}
