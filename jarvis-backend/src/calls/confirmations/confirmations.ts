import { rightsOf } from '../../agent/principal.ts'
import { hashOf } from '../../lib/canonical.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import {
  type Alternative,
  type Card,
  type ConfirmationRow,
  type Decision,
  type DecisionChallenge,
  type DecisionProof,
  type DecisionTerms,
  type GrantRequest,
  JarvisError,
} from '../../protocol/index.ts'
import type { Decisions } from '../../signing/decisions.ts'
import type { Receipt } from '../../signing/receipt.ts'
import { askerOf, type CallContext, type Way } from '../call.ts'
import type { ChangeStore } from '../changes/change.ts'
import type { Judge } from '../judge.ts'
import type { LookAgain } from '../look-again.ts'
import type { KnownPerson, People } from '../people.ts'
import type {
  ConfirmationStore,
  Journal,
  JournalProof,
  Resolution,
  StoredConfirmation,
  Transactions,
} from '../ports.ts'
import { type Event, type Step, stateOf } from '../states.ts'
import type { Ways } from '../way.ts'
import { type ApprovalsOfCards, createApprovals } from './approvals.ts'
import { unseenForMs } from './card.ts'
import { type Replacing, type Standing, standingOf } from './drift.ts'
import type { Grants } from './grants.ts'

export type DecideRequest = {
  toolUseId: string
  /** Where given, it must be the confirmation's own. */
  sessionId?: string
  confirmed: boolean
  note?: string
  /** With an approval: lets the same call run again. */
  grant?: GrantRequest | undefined
  /** With a denial: the operator's own call in place of the denied one. */
  alternative?: Alternative | undefined
  /** With an approval: the change goes back by itself so many minutes after it began, unless it is kept. */
  goesBackAfterMin?: number | undefined
  by: string
  /** The channel that the decision came over. */
  via?: string
  /** With an approval: why an owner decides without the others who must approve. The door has asked for the password again. */
  breakGlass?: string | undefined
  /** With an approval: what the person signed. */
  proof?: DecisionProof | undefined
  /** What a device signed for a button of its notification, checked by its door. It serves no card that must be signed. */
  receipt?: Receipt | undefined
  /** For repeated requests; `remember` stores the answer in the decision's transaction. */
  once?: { isAnswered(): boolean; remember(): void }
}

export type Confirmations = {
  /** An operator's screen shows the cards of this session, or all cards: their time to live begins. */
  seen(sessionId?: string): void
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

/** An owner decided a card alone that others must approve too. */
export type BrokenGlass = { card: Card; person: KnownPerson; reason: string }

const retryEveryMs = 5_000

/** A call that waits for a card's decision. */
export type Attended = Way & { context: CallContext; asked: StoredConfirmation }
type Waiting = { way: Attended; wake(step: Step): void; disarm(): void }
type Decided = Extract<Event, { resolution: Resolution }>

export function createConfirmations(parts: {
  store: ConfirmationStore
  ways: Pick<Ways, 'tryTake'>
  judge: Judge
  grants: Pick<Grants, 'make'>
  proof: Pick<JournalProof, 'approvals'>
  people: People
  /** Whether the policy lets an owner decide alone what several people must approve. */
  mayBreakGlass(): boolean
  /** An owner decided alone; told after the commit. */
  glassBroken(told: BrokenGlass): void
  arm: ChangeStore['arm']
  journal: Journal
  transactions: Transactions
  clock: Clock
  ttlMs: number
  lookAgain: LookAgain
  /** Why the card's principal may no longer ask, because its token has expired or was revoked, also at the command line; undefined where it may. */
  goneBecause(card: Card): string | undefined
  /** Told after each change of the list. */
  changed(sessionId: string): void
  decisions: Pick<Decisions, 'challenge' | 'check' | 'use' | 'signedBy'>
  redact(text: string): string
  redactValue<T>(value: T): T
  isStopping(): boolean
  report(error: unknown, message: string): void
}): Confirmations {
  const { store, grants, journal, transactions, clock } = parts
  const waiting = new Map<string, Waiting>()
  const approvals = createApprovals(parts)

  /** Advances the card's call and wakes whoever waits for it. No-op when the card was decided before. */
  function resolve(toolUseId: string, event: Decided) {
    const waits = waiting.get(toolUseId)
    const way = waits?.way ?? unattended(toolUseId)
    if (way?.state !== 'asked') return
    const step = parts.ways.tryTake(way, event)
    if (step === undefined || waits === undefined) return
    waiting.delete(toolUseId)
    waits.disarm()
    if (step.then === 'wait') watch(waits.way, waits.wake)
    else waits.wake(step)
    // The call may be running already; its outcome is reported first.
    setImmediate(() => parts.isStopping() || parts.changed(waits.way.asked.sessionId))
  }

  /** A card that nobody waits for, because its run was not resumed yet or has ended. */
  function unattended(id: string): Way | undefined {
    const { resolution, ...asked } = store.get(id) ?? {}
    if (!('card' in asked)) return undefined
    const { toolUseId, callId = toolUseId, toolName, toolInput } = asked.card
    const call = { type: 'tool_call', toolUseId: callId, toolName, toolInput } as const
    return { state: stateOf(resolution?.decision), call, context: undefined, asked }
  }

  function watch(way: Attended, wake: Waiting['wake']) {
    const { toolUseId, expiresAt } = way.asked.card
    waiting.set(toolUseId, { way, wake, disarm: expireAt(toolUseId, expiresAt) })
  }

  const resolution = (decision: Decision, by = 'jarvis', note?: string): Resolution => {
    return { decision, by, at: clock.now(), ...(note !== undefined && { note: parts.redact(note) }) }
  }
  const cancel: Confirmations['cancel'] = (toolUseId, by, note) =>
    resolve(toolUseId, { type: 'withdraw', resolution: resolution('cancelled', by, note) })
  const expire = (toolUseId: string) => resolve(toolUseId, { type: 'expire', resolution: resolution('expired') })
  const withdrawn = ({ note, replacedBy }: Replacing) => ({ ...resolution('cancelled', 'jarvis', note), replacedBy })

  /** Withdraws other cards of the same answer for the same call, so that one denial is enough. */
  function cancelTwins({ card, sessionId, callKey }: StoredConfirmation, by: string) {
    for (const [toolUseId, { way }] of waiting) {
      const { asked } = way
      const isTwin = asked.sessionId === sessionId && asked.callKey === callKey
      if (isTwin && asked.card.requestedBy.kind === card.requestedBy.kind)
        cancel(toolUseId, by, 'The same call was denied.')
    }
  }

  /** Compares a card that somebody waits for with its call's present verdict. */
  function standingNow({ call, context, asked }: Attended): Standing {
    return standingOf(asked.card, parts.judge(call.toolName, call.toolInput, context.sources, askerOf(context)))
  }

  /** Expires the card at `at`, Unix ms. Tries again soon when the store cannot write. */
  function expireAt(toolUseId: string, at: number): () => void {
    return clock.after(Math.max(0, at - clock.now()), () => {
      try {
        expire(toolUseId)
      } catch (error) {
        parts.report(error, 'a card could not be expired')
        const waits = waiting.get(toolUseId)
        if (waits !== undefined) waits.disarm = expireAt(toolUseId, clock.now() + retryEveryMs)
      }
    })
  }

  /** Reads the present state before an approval; undefined when nothing must be awaited. */
  function lookAgain(toolUseId: string): Promise<void> | undefined {
    const known = store.get(toolUseId)
    if (known === undefined || known.resolution !== undefined) return undefined
    const { card, sessionId } = known
    return parts.lookAgain(card, card.target, 0, { ...card.requestedBy, sessionId })?.catch((error: unknown) => {
      if (!(error instanceof JarvisError)) throw error
      const why = error.message.replace(/\.$/, '')
      throw new JarvisError(
        error.code,
        `${why}. An approval needs to know what is so now: nothing was decided, the card still waits.`,
      )
    })
  }

  /** @throws JarvisError `invalid_request` where the call cannot be made in place of the denied one; nothing is decided then */
  function takeAlternative({ card }: StoredConfirmation, confirmed: boolean, { toolName, toolInput }: Alternative) {
    const no = (why: string) =>
      new JarvisError('invalid_request', `alternative: ${why.replace(/\.$/, '')}. Nothing was decided.`)
    if (confirmed) throw no('Another call is named with a denial')
    if (!card.mayHaveAlternative) throw no('Nobody would read its result: no model asked for this call')
    const judged = parts.judge(toolName, toolInput)
    if (judged.kind === 'invalid') throw no(judged.message)
    if (judged.kind === 'blocked') throw no(judged.verdict.reason)
    if (
      hashOf({ toolName, toolInput: judged.input }) === hashOf({ toolName: card.toolName, toolInput: card.toolInput })
    )
      throw no('It is the call that you deny')
    return { toolUseId: newId('tu'), toolName, toolInput: parts.redactValue(toolInput) }
  }

  /** @throws JarvisError `invalid_request`, `forbidden` */
  function requireGlass({ card }: StoredConfirmation, confirmed: boolean) {
    if (!confirmed || card.approvals === undefined)
      throw new JarvisError(
        'invalid_request',
        'Nobody else must approve this, so there is no glass to break. Nothing was decided.',
      )
    if (parts.mayBreakGlass()) return
    throw new JarvisError(
      'forbidden',
      'policy.yaml does not let an owner decide alone: it lacks breakGlass: true. Nothing was decided.',
    )
  }

  /** The card, where it can be decided now. @throws JarvisError */
  function openCard(toolUseId: string, sessionId?: string): StoredConfirmation {
    if (parts.isStopping()) throw new JarvisError('shutting_down', 'JARVIS is shutting down. Decide when it is back.')
    const known = store.get(toolUseId)
    if (known === undefined || (sessionId !== undefined && known.sessionId !== sessionId)) {
      throw new JarvisError('unknown_confirmation', 'There is no such confirmation in this session.')
    }
    const earlier = known.resolution
    if (earlier?.decision === 'expired') throw new JarvisError('expired', 'It expired before. Nothing was run.')
    if (earlier?.replacedBy !== undefined) throw replaced(earlier.note ?? '', known, earlier.replacedBy)
    if (earlier !== undefined) {
      throw new JarvisError('already_decided', `It was ${earlier.decision} before, by ${earlier.by}.`)
    }
    if (clock.now() >= known.card.expiresAt) {
      expire(toolUseId)
      throw new JarvisError('expired', 'It has expired. Nothing was run.')
    }
    return known
  }

  /** @returns what the approval was signed with; undefined where it need not be. @throws JarvisError `proof_required`, `proof_refused` */
  function receiptOf({ card, bindingHash }: StoredConfirmation, request: DecideRequest, mustBeSigned: boolean) {
    const { proof, by: person, grant, goesBackAfterMin } = request
    const terms = { grant, goesBackAfterMin, ...(request.breakGlass !== undefined && { alone: true as const }) }
    if (proof !== undefined) return parts.decisions.check(proof, { card, bindingHash, person, terms })
    if (!mustBeSigned) return request.receipt
    const how =
      'Approve it in the dashboard with a passkey, or with jarvis decide ID --sign KEY. Denying needs no signature.'
    throw new JarvisError('proof_required', `This approval must be signed. ${how}`)
  }

  function decideNow(request: DecideRequest) {
    const { toolUseId, sessionId, confirmed, note: said, grant, alternative, goesBackAfterMin, by, once } = request
    const { breakGlass: alone, via } = request
    const over = via === undefined ? {} : { via }
    if (once?.isAnswered()) return
    const note = said === '' ? undefined : said
    const known = openCard(toolUseId, sessionId)
    const why = confirmed ? parts.goneBecause(known.card) : undefined
    if (why !== undefined) {
      cancel(toolUseId, 'jarvis', why)
      throw new JarvisError('expired', `${why} Nothing was run.`)
    }
    if (grant !== undefined && !(confirmed && known.card.isGrantable)) {
      const why = confirmed ? 'This call must be asked for each time' : 'A grant is made with an approval'
      throw new JarvisError('invalid_request', `grant: ${why}. Nothing was decided.`)
    }
    if (goesBackAfterMin !== undefined && !(confirmed && known.card.mayGoBack)) {
      const why = confirmed ? 'This change cannot go back by itself' : 'Only an approved change goes back'
      throw new JarvisError('invalid_request', `goesBackAfterMin: ${why}. Nothing was decided.`)
    }
    const other = alternative && takeAlternative(known, confirmed, alternative)
    const isAlone = alone !== undefined
    if (isAlone) requireGlass(known, confirmed)
    const person = confirmed ? approvals.approver(known, by, isAlone) : undefined
    const yes = { ...(note !== undefined && { note }), ...(isAlone && { alone }) }
    const isLast = person === undefined || approvals.isLast(known, person, isAlone)
    const besides = (receipt?: Receipt) => {
      // An earlier card of the call may have been approved otherwise.
      const afterMs = goesBackAfterMin === undefined ? undefined : goesBackAfterMin * 60_000
      const isSaid = afterMs !== undefined || known.card.approvals === undefined
      if (known.card.mayGoBack && isSaid) parts.arm(known.card.callId ?? toolUseId, afterMs)
      if (person !== undefined) approvals.record(known, person, { ...yes, receipt })
      if (grant !== undefined) grants.make(known, grant, by)
      once?.remember()
    }
    if (confirmed) {
      const way = waiting.get(toolUseId)?.way
      const standing = way && standingNow(way)
      const isNext = way?.isNext === true && !way.context.isRehearsal()
      if (standing !== undefined && standing.kind !== 'stands') {
        resolve(toolUseId, { type: 'approve', standing, isNext, resolution: withdrawn(standing) })
        throw replaced(parts.redact(standing.note), known, standing.replacedBy)
      }
      const mustBeSigned = (standing?.ready.verdict ?? known.card).proof !== undefined
      const receipt = receiptOf(known, request, mustBeSigned)
      const approval = { ...resolution('approved', by, note), ...over, ...(receipt && { receipt }) }
      if (isLast)
        resolve(toolUseId, { type: 'approve', standing, isNext, resolution: approval, besides: () => besides(receipt) })
      else {
        transactions.durably(() => {
          if (receipt !== undefined) parts.decisions.use(receipt)
          besides(receipt)
        })
        parts.changed(known.sessionId)
      }
      if (isAlone && person !== undefined) parts.glassBroken({ card: known.card, person, reason: parts.redact(alone) })
      return
    }
    const byButton = request.receipt && { receipt: request.receipt }
    const denial = { ...resolution('denied', by, note), ...byButton, ...over, ...(other && { alternative: other }) }
    resolve(toolUseId, { type: 'deny', resolution: denial, besides })
    try {
      cancelTwins(known, by)
    } catch (error) {
      parts.report(error, 'cards for the same call could not be withdrawn')
    }
  }

  return {
    seen(sessionId) {
      const at = clock.now()
      for (const { card } of store.unseen(sessionId)) {
        const expiresAt = Math.min(at, card.createdAt + unseenForMs) + parts.ttlMs
        store.see(card.toolUseId, at, expiresAt)
        const waits = waiting.get(card.toolUseId)
        if (waits === undefined) continue
        waits.disarm()
        waits.disarm = expireAt(card.toolUseId, expiresAt)
      }
    },
    wait(way) {
      const { signal } = way.context
      let withdraw = () => {}
      return new Promise<Step>((resolve, reject) => {
        watch(way, resolve)
        withdraw = () => {
          try {
            cancel(way.asked.card.toolUseId, way.context.abortedBy())
          } catch (error) {
            reject(error)
          }
        }
        if (signal.aborted) withdraw()
        else signal.addEventListener('abort', withdraw, { once: true })
      }).finally(() => signal.removeEventListener('abort', withdraw))
    },
    isWhole: approvals.isWhole,
    ofCall: store.ofCall,
    denied: store.denied,
    review(toolUseId) {
      const way = waiting.get(toolUseId)?.way
      const standing = way && standingNow(way)
      if (standing === undefined || standing.kind === 'stands') return
      resolve(toolUseId, { type: 'drift', standing, resolution: withdrawn(standing) })
    },
    decide(request) {
      const looking = request.confirmed ? lookAgain(request.toolUseId) : undefined
      return looking === undefined ? decideNow(request) : looking.then(() => decideNow(request))
    },
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
        journal.append('grant', { change: 'denial_taken_back', ...about })
        return true
      })
      if (!isLifted) throw new JarvisError('conflict', 'It was not denied, or the denial was taken back before.')
      parts.changed(sessionId)
    },
    cancel,
    pending: (sessionId) => store.pending(sessionId).map(({ card }) => card),
    pendingCounts: store.pendingCounts,
    list: (since) =>
      store.list(since).map((row) => {
        const { deniedForMs = 0 } = rightsOf(row.requestedBy)
        const until = (row.decidedAt ?? 0) + deniedForMs
        const isRefused = row.decision === 'denied' && row.liftedAt === undefined && until > clock.now()
        return isRefused && deniedForMs > 0 ? { ...row, refusedUntil: until } : row
      }),
    stop() {
      for (const { disarm } of waiting.values()) disarm()
      waiting.clear()
    },
  }
}

function replaced(changed: string, { card }: StoredConfirmation, replacedBy: string): JarvisError {
  const isOver = replacedBy === (card.callId ?? card.toolUseId)
  return new JarvisError('expired', `${changed} Nothing was run.${isOver ? '' : ' A new card shows how it is now.'}`)
}
