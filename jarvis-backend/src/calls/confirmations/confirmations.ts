import { type Card, type ConfirmationRow, type DecisionChallenge, type DecisionTerms, JarvisError } from 'protocol'
import type { Decisions } from '../../access/decisions.ts'
import { rightsOf } from '../../agent/principal.ts'
import type { ConfirmationStore, Resolution, StoredConfirmation } from '../ports.ts'
import type { Step } from '../states.ts'
import { type ApprovalParts, CardApprovals } from './approvals.ts'
import { type Attended, AttendedCards, type AttendedParts } from './attended.ts'
import { type DecideParts, Decider } from './decide.ts'
import type { DecideRequest } from './request.ts'

/** The cards of calls that ask a person, as the doors and the executor use them. */
export interface Confirmations {
  /**
   * Call it when an operator's screen shows the cards of this session, or all cards: their time to live begins.
   * @param toolUseId if given, only this card, whose button a person pressed
   */
  seen(sessionId?: string, toolUseId?: string): void
  /** Waits until the call's card, or a card that replaced it, is decided. @returns the step that follows */
  wait(way: Attended): Promise<Step>
  /** Returns true if enough people have approved the card, judged by their present roles and keys. */
  isWhole(stored: Pick<StoredConfirmation, 'card' | 'bindingHash'>): boolean
  /** Returns the newest card of a call. */
  ofCall(callId: string): (StoredConfirmation & { resolution?: Resolution }) | undefined
  /** Returns the newest denial of the same call, like `ConfirmationStore.denied`. */
  denied(...query: Parameters<ConfirmationStore['denied']>): Resolution | undefined
  /**
   * Decides a card. An approval is checked against the present state. If that state must be read first, returns a promise.
   * @throws JarvisError `unknown_confirmation`, `already_decided`, `expired`, `invalid_request` (the grant or alternative is not allowed),
   * `cluster_unreachable` (nothing can be approved now, and the card still waits).
   */
  decide(request: DecideRequest): void | Promise<void>
  /** Returns the challenge that a person signs to approve a card. @throws JarvisError as `decide` */
  challenge(request: { toolUseId: string; by: string; origin: string; terms: DecisionTerms }): DecisionChallenge
  /**
   * Takes a denial back: the same call of the same session may ask again.
   * @throws JarvisError `unknown_confirmation`, `conflict` (the card was not denied, or the denial was taken back before).
   */
  lift(toolUseId: string, by: string): void
  /** Withdraws the card if it no longer shows the call that would run. */
  review(toolUseId: string): void
  /** Withdraws a card that still waits. Does nothing if it was decided. */
  cancel(toolUseId: string, by: string, note?: string): void
  /** Lists the waiting cards of one session, or of all. */
  pending(sessionId?: string): Card[]
  /** Returns the number of waiting cards, by session. */
  pendingCounts(): Map<string, number>
  /** Lists cards that wait and cards that were decided since `since`, Unix ms. */
  list(since: number): ConfirmationRow[]
  /** Stops the timers. The next start of JARVIS continues with the waiting cards. */
  stop(): void
}

export type CardParts = AttendedParts &
  ApprovalParts &
  DecideParts & { decisions: Pick<Decisions, 'challenge' | 'check' | 'use' | 'signedBy'> }

/** The cards of calls that ask a person: keeps the waiting calls, decides cards, and lists them. */
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
