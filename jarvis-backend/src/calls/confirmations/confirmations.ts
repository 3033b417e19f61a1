import type { Clock } from '../../lib/clock.ts'
import { type Card, type ConfirmationRow, type GrantRequest, JarvisError } from '../../protocol/index.ts'
import type { LookAgain } from '../look-again.ts'
import type {
  Claim,
  ConfirmationStore,
  ExecutionStore,
  Journal,
  Resolution,
  StoredConfirmation,
  Transactions,
} from '../ports.ts'
import { rightsOf } from '../rights.ts'
import type { Grants } from './grants.ts'

/** What the call that waits wants to be asked and told. All are called synchronously. */
export type Waiter = {
  /** Looks at the world again. @returns what differs from what the card shows, and what takes the card's place. */
  recheck(): { note: string; replacedBy: string } | undefined
  /** The claim to commit with an approval; absent where the call must wait for another one first. */
  claim(): Claim | undefined
  /** What the journal says of the call besides: who asked, by which rule, the hash of its arguments. */
  about(): Record<string, unknown>
  /** Writes the decision into the transcript, and that the call runs where it was claimed, in the same transaction. */
  record(resolution: Resolution, claimed: boolean): void
  /** Goes on, after the commit. */
  resolved(resolution: Resolution, claimed: boolean): void
}

export type DecideRequest = {
  toolUseId: string
  /** Where given, it must be the confirmation's own. */
  sessionId?: string
  confirmed: boolean
  note?: string
  /** With an approval: lets the same call run again. */
  grant?: GrantRequest | undefined
  by: string
  /** A client that may ask twice: whether it was answered before, and what keeps the answer in the decision's transaction. */
  once?: { isAnswered(): boolean; remember(): void }
}

export type Confirmations = {
  /** When a card asked now expires: its time counts from when an operator's screen has it, at the latest in a day. */
  firstExpiry(sessionId: string, at: number): number
  /** An operator's screen has the cards of this session, or all cards: the time of those not seen before begins. */
  seen(sessionId?: string): void
  /** Puts the call before the operators, in the transaction that writes it down. */
  add(confirmation: StoredConfirmation): void
  /** Waits for the answer to a card that was added, now or before a restart. */
  wait(confirmation: StoredConfirmation, waiter: Waiter): void
  ofCall: ConfirmationStore['ofCall']
  denied: ConfirmationStore['denied']
  /**
   * Decides a card. An approval is held against what is so now: where that must be read first, a promise is returned.
   * @throws JarvisError `unknown_confirmation`, `already_decided`, `expired`, `invalid_request` (a grant that cannot be),
   * `cluster_unreachable` (nothing can be approved now, and the card stays).
   */
  decide(request: DecideRequest): void | Promise<void>
  /**
   * Takes a denial back: the same call of the same session is asked for again.
   * @throws JarvisError `unknown_confirmation`, `conflict` (it was not denied, or was taken back before).
   */
  lift(toolUseId: string, by: string): void
  /** Withdraws the card where it does not show any more what would run. */
  review(toolUseId: string): void
  /** Withdraws what still waits; no-op where it was decided. */
  cancel(toolUseId: string, by: string, note?: string): void
  pending(sessionId?: string): Card[]
  pendingCounts(): Map<string, number>
  list(since: number): ConfirmationRow[]
  /** Expires nothing from now on: what waits is the next start's. */
  rest(): void
}

const retryEveryMs = 5_000
const unseenForMs = 24 * 60 * 60_000

export function createConfirmations(parts: {
  store: ConfirmationStore
  executions: ExecutionStore
  grants: Pick<Grants, 'make'>
  journal: Journal
  transactions: Transactions
  clock: Clock
  ttlMs: number
  lookAgain: LookAgain
  /** Whether who asked may still ask: an MCP token may have expired, or been revoked, by the command line too. */
  isAskerKnown(card: Card): boolean
  /** Whether an operator's screen shows this session. */
  isWatched(sessionId: string): boolean
  /** Told after each change of the list. */
  changed(sessionId: string): void
  redact(text: string): string
  isStopping(): boolean
  report(error: unknown, message: string): void
}): Confirmations {
  const { store, executions, grants, journal, transactions, clock } = parts
  const waiting = new Map<string, { asked: StoredConfirmation; waiter: Waiter; disarm: () => void }>()

  /** First wins. @returns false when another decision came before. */
  function resolve(toolUseId: string, resolution: Resolution, besides?: () => void): boolean {
    const waits = waiting.get(toolUseId)
    let claimed = false
    const won = transactions.durably(() => {
      if (!store.resolve(toolUseId, resolution)) return false
      const { at: _, ...decided } = resolution
      const { sessionId, bindingHash, card } = waits?.asked ?? store.get(toolUseId) ?? {}
      const { toolName, target, requestedBy } = card ?? {}
      journal.append('decision', { toolUseId, sessionId, toolName, target, requestedBy, bindingHash, ...decided })
      const claim = resolution.decision === 'approved' ? waits?.waiter.claim() : undefined
      if (claim !== undefined) {
        executions.claim(claim)
        journal.append('execution', { ...waits?.waiter.about(), ...claim })
        claimed = true
      }
      waits?.waiter.record(resolution, claimed)
      besides?.()
      return true
    })
    if (!won) return false
    if (waits !== undefined) {
      waiting.delete(toolUseId)
      waits.disarm()
      waits.waiter.resolved(resolution, claimed)
      // The call may be running already, and what came of it goes first.
      setImmediate(() => parts.isStopping() || parts.changed(waits.asked.sessionId))
    }
    return true
  }

  function cancel(toolUseId: string, by: string, note?: string) {
    const noted = note === undefined ? {} : { note: parts.redact(note) }
    resolve(toolUseId, { decision: 'cancelled', by, at: clock.now(), ...noted })
  }

  /** What is denied once is not to be denied again for each time that one answer asked for it. */
  function cancelTwins({ card, sessionId, callKey }: StoredConfirmation, by: string) {
    for (const [toolUseId, { asked }] of waiting) {
      const isTwin = asked.sessionId === sessionId && asked.callKey === callKey
      if (isTwin && asked.card.requestedBy.kind === card.requestedBy.kind)
        cancel(toolUseId, by, 'The same call was denied.')
    }
  }

  const expire = (toolUseId: string) => resolve(toolUseId, { decision: 'expired', by: 'jarvis', at: clock.now() })

  /** Withdraws the card where it does not show any more what would run. */
  function review(toolUseId: string): ReturnType<Waiter['recheck']> {
    const drift = waiting.get(toolUseId)?.waiter.recheck()
    if (drift === undefined) return undefined
    const changed = { note: parts.redact(drift.note), replacedBy: drift.replacedBy }
    resolve(toolUseId, { decision: 'cancelled', by: 'jarvis', ...changed, at: clock.now() })
    return changed
  }

  /** Expires the card when its time has come; a store that cannot write now is asked again soon. */
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

  /** Reads what is so now, before an approval; undefined where nothing must be awaited. */
  function lookAgain(toolUseId: string): Promise<void> | undefined {
    const known = store.get(toolUseId)
    if (known === undefined || known.resolution !== undefined) return undefined
    return parts.lookAgain(known.card, known.card.target)?.catch((error: unknown) => {
      if (!(error instanceof JarvisError)) throw error
      const why = error.message.replace(/\.$/, '')
      throw new JarvisError(
        error.code,
        `${why}. An approval needs to know what is so now: nothing was decided, the card still waits.`,
      )
    })
  }

  function decideNow({ toolUseId, sessionId, confirmed, note = '', grant, by, once }: DecideRequest) {
    if (once?.isAnswered()) return
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
    const at = clock.now()
    if (at >= known.card.expiresAt) {
      expire(toolUseId)
      throw new JarvisError('expired', 'It has expired. Nothing was run.')
    }
    if (confirmed && !parts.isAskerKnown(known.card)) {
      const note = 'Its MCP token was revoked or has expired.'
      resolve(toolUseId, { decision: 'cancelled', by: 'jarvis', note, at })
      throw new JarvisError('expired', `${note} Nothing was run.`)
    }
    if (grant !== undefined && !(confirmed && known.card.isGrantable)) {
      const why = confirmed ? 'This call must be asked for each time' : 'A grant is made with an approval'
      throw new JarvisError('invalid_request', `grant: ${why}. Nothing was decided.`)
    }
    const drift = confirmed ? review(toolUseId) : undefined
    if (drift !== undefined) throw replaced(drift.note, known, drift.replacedBy)
    const decision = confirmed ? 'approved' : 'denied'
    resolve(toolUseId, { decision, by, at, ...(note === '' ? {} : { note: parts.redact(note) }) }, () => {
      if (grant !== undefined) grants.make(known, grant, by)
      once?.remember()
    })
    try {
      if (!confirmed) cancelTwins(known, by)
    } catch (error) {
      parts.report(error, 'cards for the same call could not be withdrawn')
    }
  }

  return {
    firstExpiry: (sessionId, at) => at + parts.ttlMs + (parts.isWatched(sessionId) ? 0 : unseenForMs),
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
    add(confirmation) {
      const { card, sessionId } = confirmation
      store.add({ ...confirmation, ...(parts.isWatched(sessionId) && { seenAt: card.createdAt }) })
      transactions.afterCommit(() => parts.changed(sessionId))
    },
    wait(asked, waiter) {
      const { card } = asked
      waiting.set(card.toolUseId, { asked, waiter, disarm: expireAt(card.toolUseId, card.expiresAt) })
    },
    ofCall: store.ofCall,
    denied: store.denied,
    review,
    decide(request) {
      const looking = request.confirmed ? lookAgain(request.toolUseId) : undefined
      return looking === undefined ? decideNow(request) : looking.then(() => decideNow(request))
    },
    lift(toolUseId, by) {
      const known = store.get(toolUseId)
      if (known === undefined) throw new JarvisError('unknown_confirmation', 'There is no such confirmation.')
      const { card, sessionId } = known
      const isLifted = transactions.durably(() => {
        if (!store.lift(toolUseId, clock.now())) return false
        const { toolName, target, requestedBy } = card
        journal.append('grant', {
          change: 'denial_taken_back',
          toolUseId,
          sessionId,
          toolName,
          target,
          requestedBy,
          by,
        })
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
        const { deniedForMs = 0 } = rightsOf(row.requestedBy.kind)
        const until = (row.decidedAt ?? 0) + deniedForMs
        const isRefused = row.decision === 'denied' && row.liftedAt === undefined && until > clock.now()
        return isRefused && deniedForMs > 0 ? { ...row, refusedUntil: until } : row
      }),
    rest() {
      for (const { disarm } of waiting.values()) disarm()
      waiting.clear()
    },
  }
}

function replaced(changed: string, { card }: StoredConfirmation, replacedBy: string): JarvisError {
  const isOver = replacedBy === (card.callId ?? card.toolUseId)
  return new JarvisError('expired', `${changed} Nothing was run.${isOver ? '' : ' A new card shows how it is now.'}`)
}
