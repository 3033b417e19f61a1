import { type Card, JarvisError } from 'protocol'
import { noQuorumRule, type Scope } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Decisions } from '../../signing/decisions.ts'
import type { Receipt } from '../../signing/receipt.ts'
import type { ChangeStore } from '../changes/change.ts'
import type { LookAgain } from '../look-again.ts'
import type { KnownPerson } from '../people.ts'
import type { ConfirmationStore, StoredConfirmation, Transactions } from '../ports.ts'
import type { ApprovalsOfCards } from './approvals.ts'
import type { AttendedCards } from './attended.ts'
import type { Grants } from './grants.ts'
import { createRequestChecks, type DecideRequest } from './request.ts'

/** An owner decided a card alone that others must approve too. */
export type BrokenGlass = { card: Card; person: KnownPerson; reason: string }

/** Decides cards: checks what a person asks for, writes it down in one transaction, and hands the call on. */
export function createDecide(
  parts: {
    store: ConfirmationStore
    grants: Pick<Grants, 'make'>
    /** An owner decided alone; told after the commit. */
    glassBroken(told: BrokenGlass): void
    arm: ChangeStore['arm']
    transactions: Transactions
    clock: Clock
    lookAgain: LookAgain
    /** Why the state that an approval rests on is not known, also after `lookAgain`; undefined where it is known. */
    whyUnknown(card: Card): string | undefined
    /** Why the card's principal may no longer ask, because its token has expired or was revoked, also at the command line; undefined where it may. */
    goneBecause(card: Card): string | undefined
    decisions: Pick<Decisions, 'check' | 'use'>
    changed(sessionId: string): void
    redact(text: string): string
    isStopping(): boolean
    report(error: unknown, message: string): void
  } & Parameters<typeof createRequestChecks>[0],
  attended: AttendedCards,
  approvals: ApprovalsOfCards,
) {
  const { store, clock } = parts
  const { resolution } = attended
  const checks = createRequestChecks(parts)
  type Checked = ReturnType<typeof checks.check>

  /** Reads the present state before an approval; undefined when nothing must be awaited. */
  function lookAgain(toolUseId: string): Promise<void> | undefined {
    const known = store.get(toolUseId)
    if (known === undefined || known.resolution !== undefined) return undefined
    const { card, sessionId } = known
    return parts.lookAgain(card, card.target, 0, { ...card.requestedBy, sessionId })?.catch((error: unknown) => {
      if (!(error instanceof JarvisError)) throw error
      throw undecidable(error.code, error.message.replace(/\.$/, ''))
    })
  }

  /** The card, where it can be decided now. @throws JarvisError */
  function openCard(toolUseId: string, sessionId?: string): StoredConfirmation {
    if (parts.isStopping()) throw new JarvisError('shutting_down', 'JARVIS is shutting down. Decide when it is back.')
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
      attended.expire(toolUseId)
      throw new JarvisError('expired', 'The card has expired. Nothing was run. Ask for the call again.')
    }
    return known
  }

  /** What is written together with the decision. @param approver undefined where one operator decides */
  function besides(
    known: StoredConfirmation,
    request: DecideRequest,
    approver: KnownPerson | undefined,
    scope?: Scope,
  ) {
    const { toolUseId, grant, goesBackAfterMin, by, once, breakGlass: alone } = request
    const note = noteOf(request)
    return (receipt?: Receipt) => {
      // An earlier card of the call may have been approved otherwise.
      const afterMs = goesBackAfterMin === undefined ? undefined : goesBackAfterMin * 60_000
      const isSaid = afterMs !== undefined || known.card.approvals === undefined
      if (known.card.mayGoBack && isSaid) parts.arm(known.card.callId ?? toolUseId, afterMs)
      const yes = { ...(note !== undefined && { note }), alone, receipt }
      if (approver !== undefined) approvals.record(known, approver, yes)
      if (grant !== undefined) parts.grants.make(known, grant, by, scope)
      once?.remember()
    }
  }

  function approve(known: StoredConfirmation, request: DecideRequest, scope: Scope | undefined): void {
    const { toolUseId, by, breakGlass: alone } = request
    const isAlone = alone !== undefined
    const person = approvals.approver(known, by, isAlone)
    const { standing, isNext = false } = attended.standing(toolUseId) ?? {}
    const isOver = standing?.kind === 'over' && standing.judgement.verdict.rule !== noQuorumRule
    const unknown = isOver ? undefined : parts.whyUnknown(known.card)
    if (unknown !== undefined) throw undecidable('cluster_unreachable', unknown)
    if (standing !== undefined && standing.kind !== 'stands') {
      attended.resolve(toolUseId, { type: 'approve', standing, isNext, resolution: attended.withdrawn(standing) })
      throw replaced(parts.redact(standing.note), known, standing.replacedBy)
    }
    const mustBeSigned = (standing?.ready.verdict ?? known.card).proof !== undefined
    const receipt = checks.receiptOf(known, request, mustBeSigned)
    const write = besides(known, request, person, scope)
    if (person === undefined || approvals.isLast(known, person, isAlone)) {
      const approval = { ...resolution('approved', by, noteOf(request)), ...over(request), ...(receipt && { receipt }) }
      const event = { type: 'approve', standing, isNext, resolution: approval } as const
      attended.resolve(toolUseId, { ...event, besides: () => write(receipt) })
    } else {
      parts.transactions.durably(() => {
        if (receipt !== undefined) parts.decisions.use(receipt)
        write(receipt)
      })
      parts.changed(known.sessionId)
    }
    if (isAlone && person !== undefined) parts.glassBroken({ card: known.card, person, reason: parts.redact(alone) })
  }

  function deny(known: StoredConfirmation, request: DecideRequest, other: Checked['other']): void {
    const { toolUseId, by, receipt } = request
    const denial = {
      ...resolution('denied', by, noteOf(request)),
      ...over(request),
      ...(receipt && { receipt }),
      ...(other && { alternative: other }),
    }
    attended.resolve(toolUseId, { type: 'deny', resolution: denial, besides: besides(known, request, undefined) })
    try {
      attended.cancelTwins(known, by)
    } catch (error) {
      parts.report(error, 'cards for the same call could not be withdrawn')
    }
  }

  function decideNow(request: DecideRequest): void {
    const { toolUseId, confirmed } = request
    if (request.once?.isAnswered()) return
    const known = openCard(toolUseId, request.sessionId)
    const why = confirmed ? parts.goneBecause(known.card) : undefined
    if (why !== undefined) {
      attended.cancel(toolUseId, 'jarvis', why)
      throw new JarvisError('expired', `${why} Nothing was run.`)
    }
    const { other, scope } = checks.check(known, request)
    if (confirmed) approve(known, request, scope)
    else deny(known, request, other)
  }

  return {
    openCard,
    decide(request: DecideRequest): void | Promise<void> {
      const looking = request.confirmed ? lookAgain(request.toolUseId) : undefined
      return looking === undefined ? decideNow(request) : looking.then(() => decideNow(request))
    },
  }
}

const undecidable = (code: JarvisError['code'], why: string) =>
  new JarvisError(code, `${why}. An approval needs to know what is so now: nothing was decided, the card still waits.`)

const noteOf = ({ note }: DecideRequest) => (note === '' ? undefined : note)
const over = ({ via }: DecideRequest) => (via === undefined ? {} : { via })

function replaced(changed: string, { card }: StoredConfirmation, replacedBy: string): JarvisError {
  const isOver = replacedBy === (card.callId ?? card.toolUseId)
  return new JarvisError('expired', `${changed} Nothing was run.${isOver ? '' : ' A new card shows how it is now.'}`)
}
