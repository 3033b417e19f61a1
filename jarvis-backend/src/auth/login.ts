import { createHash } from 'node:crypto'
import { JarvisError } from 'protocol'
import { type ClientAddress, networkOf } from './client-address.ts'

/** The first `free` failures cause no wait; each further one doubles it, from `firstMs` to `longestMs`. */
type Brake = { free: number; firstMs: number; longestMs: number }
const narrow: Brake = { free: 5, firstMs: 2_000, longestMs: 15 * 60_000 }
/**
 * The brake for a network, whichever accounts are tried. A successful sign-in does not reset its count; otherwise a person with an account could
 * guess at others without end.
 */
const wide: Brake = { free: 20, firstMs: 2_000, longestMs: 15 * 60_000 }
/** The brake for one account, for tries from all addresses together. It only slows guessing, and never locks the account's person out. */
const shared: Brake = { free: 10, firstMs: 1_000, longestMs: 30_000 }
/** Time without a failure after which a count starts again, ms. */
const calmMs = 60 * 60_000
const mostKept = 10_000

/** `outlives`: a success removes only its own try from the count, not the failures before it. */
export type Budget = { key: string; brake: Brake; outlives?: true }

/**
 * Keys and brakes for a sign-in: those of its network and of the account. A browser in which this person signed in before, and a program on this
 * machine, have budgets of their own, so that guessing strangers cannot keep the person out. @param account the name as it was typed; a person with
 * this name need not exist @param deviceId id from a device cookie that is valid for this person
 */
export function signInBudgets(from: ClientAddress, account: string, deviceId: string | undefined): Budget[] {
  // The name is hashed, so that a name of any length takes the same memory.
  const name = createHash('sha256').update(account.toLowerCase()).digest('base64url')
  if (deviceId !== undefined) return [{ key: `device ${deviceId} ${name}`, brake: narrow }]
  if (from.isThisMachine) return [{ key: `this machine ${name}`, brake: narrow }]
  const network = networkOf(from.address)
  return [
    { key: `network ${network} ${name}`, brake: narrow },
    { key: `network ${network}`, brake: wide, outlives: true },
    { key: `account ${name}`, brake: shared },
  ]
}

/** Keys and brakes for a password from somebody who is signed in. Failures of strangers do not count here. */
export const signedInBudgets = ({ address }: ClientAddress, tokenHash: string): Budget[] => [
  { key: `token ${tokenHash}`, brake: narrow },
  { key: `signed in ${networkOf(address)}`, brake: narrow },
]

/** The key and brake for secrets of links. A secret has 128 bits, so nobody guesses one. */
export const linkBudgets = ({ address }: ClientAddress): Budget[] => [
  { key: `links ${networkOf(address)}`, brake: wide, outlives: true },
]

export interface LoginGuard {
  /**
   * Counts a failure in each budget before the password is checked, so that parallel tries cannot pass together. @returns a function to call if
   * the password was right; with `false` if something else is still missing: then only this try is removed from the count. @throws JarvisError
   * `too_many_requests` with `retryAfterS`
   */
  enter(budgets: readonly Budget[]): (isDone?: boolean) => void
}

/** Counts wrong passwords for each budget, in memory. */
export function createLoginGuard(now: () => number): LoginGuard {
  const failures = new Map<string, { count: number; at: number; until: number }>()

  function fail({ key, brake: { free, firstMs, longestMs } }: Budget) {
    const known = failures.get(key)
    const count = (known !== undefined && known.at + calmMs > now() ? known.count : 0) + 1
    const waitMs = count < free ? 0 : Math.min(longestMs, firstMs * 2 ** (count - free))
    failures.delete(key)
    failures.set(key, { count, at: now(), until: now() + waitMs })
    // Drops the oldest keys, so that a flood of addresses cannot use up memory.
    for (const oldest of failures.keys()) {
      if (failures.size <= mostKept) break
      failures.delete(oldest)
    }
  }
  function forgive({ key, outlives }: Budget) {
    const known = failures.get(key)
    if (outlives !== true || known === undefined || known.count <= 1) failures.delete(key)
    else failures.set(key, { ...known, count: known.count - 1, until: now() })
  }
  return {
    enter(budgets: readonly Budget[]): (isDone?: boolean) => void {
      const waitMs = Math.max(...budgets.map(({ key }) => failures.get(key)?.until ?? 0)) - now()
      if (waitMs > 0) {
        const retryAfterS = Math.ceil(waitMs / 1000)
        throw new JarvisError('too_many_requests', `Too many wrong passwords. Try again in ${retryAfterS} s.`, {
          retryAfterS,
        })
      }
      for (const budget of budgets) fail(budget)
      return (isDone = true) => {
        for (const budget of budgets) forgive(isDone ? budget : { ...budget, outlives: true })
      }
    },
  }
}
