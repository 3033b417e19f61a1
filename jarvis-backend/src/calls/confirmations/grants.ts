import { hashOf } from 'node-kit/canonical'
import { type Card, type Grant, type GrantRequest, JarvisError } from 'protocol'
import type { Scope } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { grantKey, grantKeys, scopeKey } from '../keys.ts'
import type { GrantStore, Journal, JournalProof, StoredConfirmation, StoredGrant, Transactions } from '../ports.ts'

/** One use of a grant, reserved for a call. The call takes the use in the transaction of its claim. */
export interface Reservation {
  readonly grant: Pick<Grant, 'id' | 'by' | 'createdAt' | 'scope'> & Partial<Pick<Grant, 'target'>>
  /** The id of the call whose approved card allows this one; absent for a change that goes back by itself, because its own card approved that. */
  readonly approval?: string | undefined
  /** Takes the use, in the transaction of the claim. @returns false if the grant has ended since */
  take(toolUseId: string, sessionId: string): boolean
  /** Ends the reservation. Call it even if the use was taken. */
  release(): void
}

/** One call that a person allows in advance. `for`: an id of its purpose, in place of a card's id. */
export type Standing = Pick<Card, 'toolName' | 'toolInput' | 'target' | 'rule' | 'requestedBy'> & {
  callKey: string
  uses: number
  for: string
}

/**
 * The approval from which a grant is made. `by`: the person who approved. `scope`: if set, the grant covers calls of the scope's kind in its folder
 * or on its website.
 */
export type GrantSource = Pick<StoredConfirmation, 'card' | 'callKey' | 'sessionId'> & {
  by: string
  scope?: Scope | undefined
}

export type GrantParts = {
  store: GrantStore
  journal: Journal
  proof: Pick<JournalProof, 'grant'>
  transactions: Transactions
  clock: Clock
  /** Called after each change of the list. */
  changed(): void
  report(error: unknown, message: string): void
}

const minuteMs = 60_000
/** Longest timer that is set, ms. `setTimeout` with more than 24.8 days fires at once, which would end a long grant immediately. */
const longestTimerMs = 24 * 60 * minuteMs
const defaults = { minutes: 60, uses: 10 }

/** Grants: bounded permissions that people give in advance. They are made, reserved for calls, revoked, and expired when their time is over. */
export class Grants {
  readonly #parts: GrantParts
  /** The number of reserved uses, by grant. */
  readonly #reserved = new Map<string, number>()
  readonly #disarms = new Map<string, () => void>()

  constructor(parts: GrantParts) {
    this.#parts = parts
  }

  /**
   * Makes a grant: the same call may run again, or with a scope, calls of that kind in that folder or on that website. Runs in the transaction of
   * the approval.
   */
  make({ card, callKey, sessionId, by, scope }: GrantSource, wanted: GrantRequest): void {
    const { minutes = defaults.minutes, uses = defaults.uses, forHelpers } = wanted
    const { toolUseId, toolName, toolInput, target, rule, requestedBy } = card
    const createdAt = this.#parts.clock.now()
    const expiresAt = createdAt + minutes * minuteMs
    const helpers = forHelpers && { forHelpers }
    const about = {
      toolName,
      toolInput,
      target,
      rule,
      requestedBy,
      by,
      toolUseId,
      createdAt,
      expiresAt,
      uses,
      ...helpers,
      ...(scope && { scope: { id: scope.id, words: scope.words } }),
    }
    const key = scope === undefined ? callKey : scopeKey(scope, sessionId)
    this.#add(about, grantKey(key, card, forHelpers), { sessionId })
  }

  /**
   * Makes grants by a person's order and without a card: one principal may make these calls later, each up to its number of uses. Done in one
   * transaction.
   */
  makeStanding(wanted: readonly Standing[], { by, expiresAt }: { by: string; expiresAt: number }): void {
    const createdAt = this.#parts.clock.now()
    this.#parts.transactions.durably(() => {
      for (const { callKey, for: toolUseId, ...call } of wanted)
        this.#add({ ...call, by, toolUseId, createdAt, expiresAt }, grantKey(callKey, call), {})
    })
  }

  /**
   * Reserves one use, so that concurrent calls cannot exceed the grant's uses.
   * @param keys first the key of exactly this call, then those of its scopes; the first key that a grant covers counts
   */
  reserve(keys: readonly string[], card: Pick<Card, 'rule' | 'target' | 'requestedBy'>): Reservation | undefined {
    const { store, clock, report } = this.#parts
    const all = keys.flatMap((key) => grantKeys(key, card))
    const found = firstFound(all, (key) => store.covering(key, clock.now(), (id) => this.#reservedOf(id)))
    if (found === undefined) return undefined
    if (!this.#isJournalled(found)) {
      report(undefined, `The journal has no such grant as ${found.id}, so it does not count.`)
      this.#end(found.id, 'revoked', 'jarvis')
      return undefined
    }
    return this.#reservationOf(found)
  }

  /** Lists grants that have not ended, oldest first. */
  list(): Grant[] {
    const { store, clock } = this.#parts
    return store
      .live()
      .filter(({ expiresAt }) => expiresAt > clock.now())
      .map(shown)
  }

  /** @throws JarvisError `not_found` */
  revoke(id: string, by: string): void {
    if (!this.#end(id, 'revoked', by)) throw new JarvisError('not_found', 'There is no such grant. It may have ended.')
  }

  /** Sets the timers again for grants that were made before a restart. */
  resume(): void {
    for (const { id, expiresAt } of this.#parts.store.live()) this.#expireAt(id, expiresAt)
  }

  /** Stops the timers. The next start of JARVIS sets them again. */
  stop(): void {
    for (const disarm of this.#disarms.values()) disarm()
    this.#disarms.clear()
  }

  #reservedOf(id: string): number {
    return this.#reserved.get(id) ?? 0
  }

  #reservationOf(stored: StoredGrant): Reservation {
    const { store, journal, transactions, clock } = this.#parts
    const { key, toolUseId: approval } = stored
    const grant = shown(stored)
    const { id, by, toolName, scope } = grant
    this.#reserved.set(id, this.#reservedOf(id) + 1)
    let isHeld = true
    return {
      grant,
      approval,
      take: (toolUseId, sessionId) => {
        const usesLeft = store.use(id, key, clock.now())
        if (usesLeft === undefined) return false
        const about = { toolUseId, sessionId, toolName, ...(scope && { scope }) }
        journal.append('grant', { change: 'used', grantId: id, ...about, by, usesLeft })
        if (usesLeft === 0) this.#over(id)
        else transactions.afterCommit(this.#parts.changed)
        return true
      },
      release: () => {
        if (!isHeld) return
        isHeld = false
        const left = this.#reservedOf(id) - 1
        if (left > 0) this.#reserved.set(id, left)
        else this.#reserved.delete(id)
      },
    }
  }

  #add(about: Omit<StoredGrant, 'id' | 'key' | 'usesLeft'>, key: string, of: { sessionId?: string }): void {
    const { store, journal, transactions } = this.#parts
    const id = newId('gr')
    store.add({ id, key, ...about, usesLeft: about.uses })
    journal.append('grant', { change: 'made', grantId: id, ...of, ...about, key })
    transactions.afterCommit(() => {
      this.#expireAt(id, about.expiresAt)
      this.#parts.changed()
    })
  }

  #end(id: string, change: 'revoked' | 'expired', by: string): boolean {
    const { store, journal, transactions, clock } = this.#parts
    return transactions.durably(() => {
      const grant = store.end(id, clock.now())
      if (grant === undefined) return false
      const { toolName, target, usesLeft, scope } = grant
      journal.append('grant', { change, grantId: id, toolName, target, by, usesLeft, ...(scope && { scope }) })
      this.#over(id)
      return true
    })
  }

  #over(id: string): void {
    this.#parts.transactions.afterCommit(() => {
      this.#disarms.get(id)?.()
      this.#disarms.delete(id)
      this.#parts.changed()
    })
  }

  #expireAt(id: string, at: number): void {
    const { clock, report } = this.#parts
    const leftMs = Math.max(0, at - clock.now())
    const disarm = clock.after(Math.min(leftMs, longestTimerMs), () => {
      if (leftMs > longestTimerMs) {
        this.#expireAt(id, at)
        return
      }
      try {
        this.#end(id, 'expired', 'jarvis')
      } catch (error) {
        // The grant's time is over, so it covers nothing. The next start records its end.
        report(error, 'a grant could not be expired')
      }
    })
    this.#disarms.set(id, disarm)
  }

  /**
   * Returns true if the journal's record of this grant is the same as the stored row. A row alone lets nothing run, because anybody with access to
   * the database could have written it. Older journal entries have no key.
   */
  #isJournalled({ id, key, toolName, createdAt, expiresAt, uses, usesLeft, scope }: StoredGrant): boolean {
    const made = this.#parts.proof.grant(id)
    if (made === undefined || (made.key !== undefined && made.key !== key) || usesLeft > uses) return false
    if (hashOf(made.scope ?? null) !== hashOf(scope ?? null)) return false
    const row = { toolName, createdAt, expiresAt, uses }
    return Object.entries(row).every(([name, value]) => made[name] === value)
  }
}

const shown = ({ key: _, ...grant }: StoredGrant): Grant => grant

function firstFound(keys: readonly string[], find: (key: string) => StoredGrant | undefined): StoredGrant | undefined {
  for (const key of keys) {
    const found = find(key)
    if (found !== undefined) return found
  }
  return undefined
}
