import { type Card, JarvisError } from 'protocol'
import type { Receipt } from 'signing/receipt'
import type { Decisions } from '../../access/decisions.ts'
import { noQuorumRule, type Scope } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ChangeStore } from '../changes/change.ts'
import type { LookAgain } from '../look-again.ts'
import type { KnownPerson } from '../people.ts'
import type { ConfirmationStore, Resolution, StoredConfirmation, Transactions } from '../ports.ts'
import type { CardApprovals } from './approvals.ts'
import type { AttendedCards } from './attended.ts'
import type { Grants } from './grants.ts'
import { type DecideRequest, RequestChecks, type RequestParts } from './request.ts'

/** An owner's decision, made alone, on a card that others must approve too. */
export type BrokenGlass = { card: Card; person: KnownPerson; reason: string }

export type DecideParts = RequestParts & {
  store: ConfirmationStore
  grants: Pick<Grants, 'make'>
  /** Called after the commit when an owner has decided alone. */
  glassBroken(told: BrokenGlass): void
  arm: ChangeStore['arm']
  transactions: Transactions
  clock: Clock
  lookAgain: LookAgain
  /** Returns why the state on which an approval rests is unknown even after `lookAgain`; undefined if it is known. */
  whyUnknown(card: Card): string | undefined
  /** Returns why the card's principal may no longer ask, for example because its token expired or was revoked; undefined if it may. */
  goneBecause(card: Card): string | undefined
  decisions: Pick<Decisions, 'check' | 'use'>
  changed(sessionId: string): void
  redact(text: string): string
  isStopping(): boolean
  report(error: unknown, message: string): void
}

/** Decides cards: checks the request, records the decision in one transaction, and lets the call continue. */
export class Decider {
  readonly #parts: DecideParts
  readonly #attended: AttendedCards
  readonly #approvals: CardApprovals
  readonly #checks: RequestChecks

  constructor(parts: DecideParts, attended: AttendedCards, approvals: CardApprovals) {
    this.#parts = parts
    this.#attended = attended
    this.#approvals = approvals
    this.#checks = new RequestChecks(parts)
  }

  decide(request: DecideRequest): void | Promise<void> {
    const looking = request.confirmed ? this.#lookAgain(request.toolUseId) : undefined
    return looking === undefined ? this.#decideNow(request) : looking.then(() => this.#decideNow(request))
  }

  /** Returns the card if it can be decided now. @throws JarvisError */
  openCard(toolUseId: string, sessionId?: string): StoredConfirmation {
    const { store, clock, isStopping } = this.#parts
    if (isStopping()) throw new JarvisError('shutting_down', 'JARVIS is shutting down. Decide when it is back.')
    const known = store.get(toolUseId)
    if (known === undefined || (sessionId !== undefined && known.sessionId !== sessionId)) {
      throw new JarvisError('unknown_confirmation', 'There is no such confirmation in this session.')
    }
    const earlier = known.resolution
    if (earlier?.decision === 'expired')
      throw new JarvisError('expired', 'The card has expired. Nothing was run. Ask for the call again.')
    if (earlier?.replacedBy !== undefined) throw replaced(earlier.note ?? '', known, earlier.replacedBy)
    if (earlier !== undefined) {
      throw new JarvisError('already_decided', `The card was ${earlier.decision} before, by ${earlier.by}.`)
    }
    if (clock.now() >= known.card.expiresAt) {
      this.#attended.expire(toolUseId)
      throw new JarvisError('expired', 'The card has expired. Nothing was run. Ask for the call again.')
    }
    return known
  }

  /** Reads the present state before an approval; undefined if nothing needs to be read. */
  #lookAgain(toolUseId: string): Promise<void> | undefined {
    const known = this.#parts.store.get(toolUseId)
    if (known === undefined || known.resolution !== undefined) return undefined
    const { card, sessionId } = known
    const whose = { ...card.requestedBy, sessionId }
    return this.#parts.lookAgain(card, card.target, { whose })?.catch((error: unknown) => {
      if (!(error instanceof JarvisError)) throw error
      throw undecidable(error.code, error.message.replace(/\.$/, ''))
    })
  }

  #decideNow(request: DecideRequest): void {
    const { toolUseId, confirmed } = request
    if (request.once?.isAnswered()) return
    const known = this.openCard(toolUseId, request.sessionId)
    const why = confirmed ? this.#parts.goneBecause(known.card) : undefined
    if (why !== undefined) {
      this.#attended.cancel(toolUseId, 'jarvis', why)
      throw new JarvisError('expired', `${why} Nothing was run.`)
    }
    const { other, scope } = this.#checks.check(known, request)
    if (confirmed) this.#approve(known, request, scope)
    else this.#deny(known, request, other)
  }

  #approve(known: StoredConfirmation, request: DecideRequest, scope: Scope | undefined): void {
    const { whyUnknown, redact, glassBroken } = this.#parts
    const { toolUseId, by, breakGlass: alone } = request
    const isAlone = alone !== undefined
    const approver = this.#approvals.approver(known, by, isAlone)
    const { standing, isNext = false } = this.#attended.standing(toolUseId) ?? {}
    const isOver = standing?.kind === 'over' && standing.judgement.verdict.rule !== noQuorumRule
    const unknown = isOver ? undefined : whyUnknown(known.card)
    if (unknown !== undefined) throw undecidable('cluster_unreachable', unknown)
    if (standing !== undefined && standing.kind !== 'stands') {
      const resolution = this.#attended.withdrawn(standing)
      this.#attended.resolve(toolUseId, { type: 'approve', standing, isNext, resolution })
      throw replaced(redact(standing.note), known, standing.replacedBy)
    }
    const mustBeSigned = (standing?.ready.verdict ?? known.card).proof !== undefined
    const receipt = this.#checks.receiptOf(known, request, mustBeSigned)
    const more = { approver, receipt, scope }
    if (approver === undefined || this.#approvals.isLast(known, approver, isAlone)) {
      const resolution = {
        ...this.#attended.resolution('approved', by, noteOf(request)),
        ...over(request),
        ...(receipt && { receipt }),
      }
      const besides = () => this.#write(known, request, more)
      this.#attended.resolve(toolUseId, { type: 'approve', standing, isNext, resolution, besides })
    } else this.#approveInPart(known, request, more)
    if (isAlone && approver !== undefined) glassBroken({ card: known.card, person: approver, reason: redact(alone) })
  }

  /** Records one of several required approvals. The card still waits for the others. */
  #approveInPart(known: StoredConfirmation, request: DecideRequest, more: WrittenBesides): void {
    const { transactions, decisions, changed } = this.#parts
    transactions.durably(() => {
      if (more.receipt !== undefined) decisions.use(more.receipt)
      this.#write(known, request, more)
    })
    changed(known.sessionId)
  }

  #deny(known: StoredConfirmation, request: DecideRequest, alternative: Resolution['alternative']): void {
    const { toolUseId, by, receipt } = request
    const resolution = {
      ...this.#attended.resolution('denied', by, noteOf(request)),
      ...over(request),
      ...(receipt && { receipt }),
      ...(alternative && { alternative }),
    }
    const besides = () => this.#write(known, request, {})
    this.#attended.resolve(toolUseId, { type: 'deny', resolution, besides })
    try {
      this.#attended.cancelTwins(known, by)
    } catch (error) {
      this.#parts.report(error, 'cards for the same call could not be withdrawn')
    }
  }

  /** Writes everything else that a decision causes, in the transaction of the decision. */
  #write(known: StoredConfirmation, request: DecideRequest, { approver, receipt, scope }: WrittenBesides): void {
    const { toolUseId, grant, goesBackAfterMin, by, once, breakGlass: alone } = request
    const { arm, grants } = this.#parts
    // Also write an undefined time: an earlier card of the same call may have been approved with a time to go back.
    const afterMs = goesBackAfterMin === undefined ? undefined : goesBackAfterMin * 60_000
    const isSaid = afterMs !== undefined || known.card.approvals === undefined
    if (known.card.mayGoBack && isSaid) arm(known.card.callId ?? toolUseId, afterMs)
    if (approver !== undefined) this.#approvals.record(known, approver, { note: noteOf(request), alone, receipt })
    if (grant !== undefined) grants.make({ ...known, by, scope }, grant)
    once?.remember()
  }
}

/** Further facts that are written with a decision. `approver`: the person whose approval is recorded; undefined if one operator decides. */
type WrittenBesides = {
  approver?: KnownPerson | undefined
  receipt?: Receipt | undefined
  scope?: Scope | undefined
}

const undecidable = (code: JarvisError['code'], why: string) =>
  new JarvisError(code, `${why}. An approval needs to know what is so now: nothing was decided, the card still waits.`)

const noteOf = ({ note }: DecideRequest) => (note === '' ? undefined : note)
const over = ({ via }: DecideRequest) => (via === undefined ? {} : { via })

function replaced(changed: string, { card }: StoredConfirmation, replacedBy: string): JarvisError {
  const isOver = replacedBy === (card.callId ?? card.toolUseId)
  return new JarvisError('expired', `${changed} Nothing was run.${isOver ? '' : ' A new card shows how it is now.'}`)
}
