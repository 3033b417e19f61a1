import { hashOf } from 'node-kit/canonical'
import { type Card, type Grant, type GrantRequest, JarvisError } from 'protocol'
import type { Scope } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { grantKey, grantKeys, scopeKey } from '../keys.ts'
import type { GrantStore, Journal, JournalProof, StoredConfirmation, StoredGrant, Transactions } from '../ports.ts'

/** One use of a grant, reserved for a call that takes it in the transaction of its claim. */
export type Reservation = {
  grant: Pick<Grant, 'id' | 'by' | 'createdAt' | 'scope'> & Partial<Pick<Grant, 'target'>>
  /** The call whose card’s approval carries it; absent: what goes back by itself, as was approved. */
  approval?: string
  /** Takes the use, in the transaction of the claim. @returns false when the grant has ended since. */
  take(toolUseId: string, sessionId: string): boolean
  /** Ends the reservation, whether the use was taken or not. */
  release(): void
}

/** One call that a person allows beforehand. `for`: what it is for, in place of a card's id. */
export type Standing = Pick<Card, 'toolName' | 'toolInput' | 'target' | 'rule' | 'requestedBy'> & {
  callKey: string
  uses: number
  for: string
}

export type Grants = {
  /** Lets the same call run again, or with `scope` calls of its kind there, from an approval, in its transaction. */
  make(
    from: Pick<StoredConfirmation, 'card' | 'callKey' | 'sessionId'>,
    wanted: GrantRequest,
    by: string,
    scope?: Scope,
  ): void
  /** Lets one principal make some calls later, each as often as it says, by a person's order and no card. In one transaction. */
  makeStanding(wanted: readonly Standing[], until: { by: string; expiresAt: number }): void
  /**
   * Reserves one use, so that concurrent calls cannot exceed the grant's uses.
   * @param keys of exactly the call, then of its scopes; the first that is covered counts
   */
  reserve(keys: readonly string[], card: Pick<Card, 'rule' | 'target' | 'requestedBy'>): Reservation | undefined
  /** Those that have not ended, oldest first. */
  list(): Grant[]
  /** @throws JarvisError `not_found` */
  revoke(id: string, by: string): void
  /** Resumes the expiry of grants made before a restart. */
  resume(): void
  /** Stops expiring grants. The next start resumes their expiry. */
  stop(): void
}

const minuteMs = 60_000
/** `setTimeout` beyond 24.8 days fires at once, which would end a long grant as it begins. */
const longestTimerMs = 24 * 60 * minuteMs
const defaults = { minutes: 60, uses: 10 }

export function createGrants(parts: {
  store: GrantStore
  journal: Journal
  proof: Pick<JournalProof, 'grant'>
  transactions: Transactions
  clock: Clock
  /** Told after each change of the list. */
  changed(): void
  report(error: unknown, message: string): void
}): Grants {
  const { store, journal, transactions, clock } = parts
  const reserved = new Map<string, number>()
  const disarms = new Map<string, () => void>()
  const reservedOf = (id: string) => reserved.get(id) ?? 0

  function end(id: string, change: 'revoked' | 'expired', by: string): boolean {
    return transactions.durably(() => {
      const grant = store.end(id, clock.now())
      if (grant === undefined) return false
      const { toolName, target, usesLeft, scope } = grant
      journal.append('grant', { change, grantId: id, toolName, target, by, usesLeft, ...(scope && { scope }) })
      over(id)
      return true
    })
  }

  const over = (id: string) =>
    transactions.afterCommit(() => {
      disarms.get(id)?.()
      disarms.delete(id)
      parts.changed()
    })

  function expireAt(id: string, at: number) {
    const leftMs = Math.max(0, at - clock.now())
    const disarm = clock.after(Math.min(leftMs, longestTimerMs), () => {
      if (leftMs > longestTimerMs) {
        expireAt(id, at)
        return
      }
      try {
        end(id, 'expired', 'jarvis')
      } catch (error) {
        // The grant is over and covers nothing; the next start records its end.
        parts.report(error, 'a grant could not be expired')
      }
    })
    disarms.set(id, disarm)
  }

  /** Whether the journal holds this grant; otherwise a row lets nothing run. Older entries have no key. */
  function isJournalled({ id, key, toolName, createdAt, expiresAt, uses, usesLeft, scope }: StoredGrant): boolean {
    const made = parts.proof.grant(id)
    if (made === undefined || (made.key !== undefined && made.key !== key) || usesLeft > uses) return false
    if (hashOf(made.scope ?? null) !== hashOf(scope ?? null)) return false
    const row = { toolName, createdAt, expiresAt, uses }
    return Object.entries(row).every(([name, value]) => made[name] === value)
  }

  function add(about: Omit<StoredGrant, 'id' | 'key' | 'usesLeft'>, key: string, of: { sessionId?: string }) {
    const id = newId('gr')
    store.add({ id, key, ...about, usesLeft: about.uses })
    journal.append('grant', { change: 'made', grantId: id, ...of, ...about, key })
    transactions.afterCommit(() => {
      expireAt(id, about.expiresAt)
      parts.changed()
    })
  }

  return {
    make({ card, callKey, sessionId }, wanted, by, scope) {
      const { minutes = defaults.minutes, uses = defaults.uses, forHelpers } = wanted
      const { toolUseId, toolName, toolInput, target, rule, requestedBy } = card
      const createdAt = clock.now()
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
      add(about, grantKey(key, card, forHelpers), { sessionId })
    },
    makeStanding(wanted, { by, expiresAt }) {
      const createdAt = clock.now()
      transactions.durably(() => {
        for (const { callKey, for: toolUseId, ...call } of wanted)
          add({ ...call, by, toolUseId, createdAt, expiresAt }, grantKey(callKey, call), {})
      })
    },
    reserve(keys, card) {
      const all = keys.flatMap((key) => grantKeys(key, card))
      const found = firstFound(all, (key) => store.covering(key, clock.now(), reservedOf))
      if (found === undefined) return undefined
      const { key } = found
      if (!isJournalled(found)) {
        parts.report(undefined, `The journal has no such grant as ${found.id}, so it does not count.`)
        end(found.id, 'revoked', 'jarvis')
        return undefined
      }
      const grant = shown(found)
      const { id, by, toolName, scope } = grant
      reserved.set(id, reservedOf(id) + 1)
      let isHeld = true
      return {
        grant,
        approval: found.toolUseId,
        take(toolUseId, sessionId) {
          const usesLeft = store.use(id, key, clock.now())
          if (usesLeft === undefined) return false
          const about = { toolUseId, sessionId, toolName, ...(scope && { scope }) }
          journal.append('grant', { change: 'used', grantId: id, ...about, by, usesLeft })
          if (usesLeft === 0) over(id)
          else transactions.afterCommit(parts.changed)
          return true
        },
        release() {
          if (!isHeld) return
          isHeld = false
          const left = reservedOf(id) - 1
          if (left > 0) reserved.set(id, left)
          else reserved.delete(id)
        },
      }
    },
    list: () =>
      store
        .live()
        .filter(({ expiresAt }) => expiresAt > clock.now())
        .map(shown),
    revoke(id, by) {
      if (!end(id, 'revoked', by)) throw new JarvisError('not_found', 'There is no such grant. It may have ended.')
    },
    resume() {
      for (const { id, expiresAt } of store.live()) expireAt(id, expiresAt)
    },
    stop() {
      for (const disarm of disarms.values()) disarm()
      disarms.clear()
    },
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
