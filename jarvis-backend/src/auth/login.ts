import { JarvisError } from '../protocol/index.ts'

/** Counts failures by address: five are free, then each doubles the wait, from 2 s to 15 min. */
export function createLoginGuard(now: () => number) {
  const failures = new Map<string, { count: number; until: number }>()
  const free = 5
  const longestMs = 15 * 60_000
  return {
    /** @throws JarvisError `too_many_requests` with `retryAfterS`. */
    check(address: string) {
      const waitMs = (failures.get(address)?.until ?? 0) - now()
      if (waitMs <= 0) return
      const retryAfterS = Math.ceil(waitMs / 1000)
      throw new JarvisError('too_many_requests', `Too many wrong passwords. Try again in ${retryAfterS} s.`, {
        retryAfterS,
      })
    },
    failed(address: string) {
      const count = (failures.get(address)?.count ?? 0) + 1
      const waitMs = count < free ? 0 : Math.min(longestMs, 2_000 * 2 ** (count - free))
      failures.delete(address)
      failures.set(address, { count, until: now() + waitMs })
      // The oldest goes first, so that a flood of addresses cannot grow it for ever.
      for (const key of failures.keys()) {
        if (failures.size <= 10_000) break
        failures.delete(key)
      }
    },
    succeeded: (address: string) => void failures.delete(address),
  }
}
export type LoginGuard = ReturnType<typeof createLoginGuard>
