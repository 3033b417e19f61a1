import type { Clock } from '../lib/clock.ts'
import { type Card, type ConfirmationRow, JarvisError } from '../protocol/index.ts'
import type { Claim, ConfirmationStore, ExecutionStore, Journal, Resolution, Transactions } from './ports.ts'

/** What the call that waits wants to be asked and told. All are called synchronously. */
export type Waiter = {
  /** Looks at the world again. @returns why the call must not run any more, in plain words. */
  recheck(): string | undefined
  /** The claim to commit with an approval; absent where the call must wait for another one first. */
  claim(): Claim | undefined
  /** What the journal says of the call besides: who asked, by which rule, the hash of its arguments. */
  about(): Record<string, unknown>
  /** Writes the decision into the transcript, in the same transaction. */
  record(resolution: Resolution): void
  /** Goes on, after the commit. */
  resolved(resolution: Resolution, claimed: boolean): void
}

export type DecideRequest = {
  toolUseId: string
  /** Where given, it must be the confirmation's own. */
  sessionId?: string
  confirmed: boolean
  note?: string
  by: string
  /** Called inside the transaction that keeps the decision, to remember the reply with it. */
  remember?: () => void
}

export type Confirmations = {
  /** When a card asked now expires: its time counts from when an operator's screen has it, at the latest in a day. */
  firstExpiry(sessionId: string, at: number): number
  /** An operator's screen has the cards of this session, or all cards: the time of those not seen before begins. */
  seen(sessionId?: string): void
  /** Puts the call before the operators, or goes on waiting for an answer asked for before a restart. */
  ask(confirmation: { card: Card; sessionId: string; runId: string; bindingHash: string }, waiter: Waiter): void
  get: ConfirmationStore['get']
  /** @throws JarvisError `unknown_confirmation`, `already_decided`, `expired`. */
  decide(request: DecideRequest): void
  /** Withdraws what still waits; no-op where it was decided. */
  cancel(toolUseId: string, by: string, note?: string): void
  pending(sessionId?: string): Card[]
  pendingCounts(): Map<string, number>
  list(since: number): ConfirmationRow[]
}

const retryEveryMs = 5_000
const unseenForMs = 24 * 60 * 60_000

export function createConfirmations(parts: {
  store: ConfirmationStore
  executions: ExecutionStore
  journal: Journal
  transactions: Transactions
  clock: Clock
  ttlMs: number
  /** Whether an operator's screen shows this session. */
  isWatched(sessionId: string): boolean
  /** Told after each change of the list. */
  changed(sessionId: string): void
  redact(text: string): string
  isStopping(): boolean
  report(error: unknown, message: string): void
}): Confirmations {
  const { store, executions, journal, transactions, clock } = parts
  const waiting = new Map<string, { waiter: Waiter; sessionId: string; disarm: () => void }>()

  /** First wins. @returns false when another decision came before. */
  function resolve(toolUseId: string, resolution: Resolution, remember?: () => void): boolean {
    const waits = waiting.get(toolUseId)
    let claimed = false
    const won = transactions.durably(() => {
      if (!store.resolve(toolUseId, resolution)) return false
      const { at: _, ...decided } = resolution
      const { sessionId, bindingHash, card } = store.get(toolUseId) ?? {}
      journal.append('decision', { toolUseId, sessionId, toolName: card?.toolName, bindingHash, ...decided })
      const claim = resolution.decision === 'approved' ? waits?.waiter.claim() : undefined
      if (claim !== undefined) {
        executions.claim(claim)
        journal.append('execution', { ...waits?.waiter.about(), ...claim })
        claimed = true
      }
      waits?.waiter.record(resolution)
      remember?.()
      return true
    })
    if (!won) return false
    if (waits !== undefined) {
      waiting.delete(toolUseId)
      waits.disarm()
      waits.waiter.resolved(resolution, claimed)
      parts.changed(waits.sessionId)
    }
    return true
  }

  const expire = (toolUseId: string) => resolve(toolUseId, { decision: 'expired', by: 'jarvis', at: clock.now() })

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
    ask(confirmation, waiter) {
      const { card, sessionId } = confirmation
      const known = store.get(card.toolUseId)
      if (known === undefined) {
        store.add({ ...confirmation, ...(parts.isWatched(sessionId) && { seenAt: card.createdAt }) })
      }
      const expiresAt = known?.card.expiresAt ?? card.expiresAt
      waiting.set(card.toolUseId, { waiter, sessionId, disarm: expireAt(card.toolUseId, expiresAt) })
      transactions.afterCommit(() => parts.changed(sessionId))
    },
    get: store.get,
    decide({ toolUseId, sessionId, confirmed, note = '', by, remember }) {
      if (parts.isStopping()) throw new JarvisError('shutting_down', 'JARVIS is shutting down. Decide when it is back.')
      const known = store.get(toolUseId)
      if (known === undefined || (sessionId !== undefined && known.sessionId !== sessionId)) {
        throw new JarvisError('unknown_confirmation', 'There is no such confirmation in this session.')
      }
      const earlier = known.resolution
      if (earlier?.decision === 'expired') throw new JarvisError('expired', 'It expired before. Nothing was run.')
      if (earlier !== undefined) {
        throw new JarvisError('already_decided', `It was ${earlier.decision} before, by ${earlier.by}.`)
      }
      const at = clock.now()
      if (at >= known.card.expiresAt) {
        expire(toolUseId)
        throw new JarvisError('expired', 'It has expired. Nothing was run.')
      }
      const drift = confirmed ? waiting.get(toolUseId)?.waiter.recheck() : undefined
      if (drift !== undefined) {
        resolve(toolUseId, { decision: 'cancelled', by: 'jarvis', note: parts.redact(drift), at })
        throw new JarvisError('expired', `${drift} Nothing was run.`)
      }
      const decision = confirmed ? 'approved' : 'denied'
      resolve(toolUseId, { decision, by, at, ...(note === '' ? {} : { note: parts.redact(note) }) }, remember)
    },
    cancel(toolUseId, by, note) {
      resolve(toolUseId, {
        decision: 'cancelled',
        by,
        at: clock.now(),
        ...(note === undefined ? {} : { note: parts.redact(note) }),
      })
    },
    pending: (sessionId) => store.pending(sessionId).map(({ card }) => card),
    pendingCounts: store.pendingCounts,
    list: store.list,
  }
}
