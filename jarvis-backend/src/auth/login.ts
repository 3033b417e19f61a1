import { JarvisError } from '../protocol/index.ts'
import { type ClientAddress, networkOf } from './client-address.ts'

/** `free` failures cost nothing; each one more doubles the wait, from `firstMs` to `longestMs`. */
type Brake = { free: number; firstMs: number; longestMs: number }
const narrow: Brake = { free: 5, firstMs: 2_000, longestMs: 15 * 60_000 }
/** Shared by everybody, so it slows and never locks. There is one account: its brake is the one for all addresses together. */
const shared: Brake = { free: 10, firstMs: 1_000, longestMs: 30_000 }
/** After so long without a failure a count begins anew. */
const calmMs = 60 * 60_000
const mostKept = 10_000

export type Budget = { key: string; brake: Brake }

/**
 * What a sign-in is counted by: its network and the account. A browser that signed in before and a program on this
 * machine have a budget of their own, so that strangers who guess cannot keep the operator out.
 * @param deviceId of a device cookie that JARVIS issued
 */
export function signInBudgets({ address, isThisMachine }: ClientAddress, deviceId: string | undefined): Budget[] {
  if (deviceId !== undefined) return [{ key: `device ${deviceId}`, brake: narrow }]
  const network = { key: `network ${networkOf(address)}`, brake: narrow }
  return isThisMachine ? [{ ...network, key: 'this machine' }] : [network, { key: 'account operator', brake: shared }]
}

/** What a password is counted by that somebody gives who is signed in: no stranger's failure counts there. */
export const signedInBudgets = ({ address }: ClientAddress, tokenHash: string): Budget[] => [
  { key: `token ${tokenHash}`, brake: narrow },
  { key: `signed in ${networkOf(address)}`, brake: narrow },
]

/** Counts wrong passwords by budget. */
export function createLoginGuard(now: () => number) {
  const failures = new Map<string, { count: number; at: number; until: number }>()

  function fail({ key, brake: { free, firstMs, longestMs } }: Budget) {
    const known = failures.get(key)
    const count = (known !== undefined && known.at + calmMs > now() ? known.count : 0) + 1
    const waitMs = count < free ? 0 : Math.min(longestMs, firstMs * 2 ** (count - free))
    failures.delete(key)
    failures.set(key, { count, at: now(), until: now() + waitMs })
    // The oldest goes first, so that a flood of addresses cannot grow it for ever.
    for (const oldest of failures.keys()) {
      if (failures.size <= mostKept) break
      failures.delete(oldest)
    }
  }
  return {
    /**
     * Counts a try as failed in each budget before the password is looked at, so that many at once are not all let through.
     * @returns what to call when the password was right. @throws JarvisError `too_many_requests` with `retryAfterS`.
     */
    enter(budgets: readonly Budget[]): () => void {
      const waitMs = Math.max(...budgets.map(({ key }) => failures.get(key)?.until ?? 0)) - now()
      if (waitMs > 0) {
        const retryAfterS = Math.ceil(waitMs / 1000)
        throw new JarvisError('too_many_requests', `Too many wrong passwords. Try again in ${retryAfterS} s.`, {
          retryAfterS,
        })
      }
      for (const budget of budgets) fail(budget)
      return () => {
        for (const { key } of budgets) failures.delete(key)
      }
    },
  }
}
export type LoginGuard = ReturnType<typeof createLoginGuard>
