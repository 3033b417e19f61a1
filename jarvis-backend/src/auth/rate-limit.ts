import { JarvisError } from '../protocol/index.ts'

const mostAddresses = 10_000

/** Allows `most` calls per address within `perMs`. The returned function @throws JarvisError `too_many_requests` with `retryAfterS` */
export function createRateLimit({ most, perMs, now }: { most: number; perMs: number; now(): number }) {
  const seen = new Map<string, { count: number; since: number }>()
  return (address: string): void => {
    const known = seen.get(address)
    const current = known !== undefined && known.since + perMs > now() ? known : { count: 0, since: now() }
    current.count += 1
    seen.delete(address)
    seen.set(address, current)
    for (const oldest of seen.keys()) {
      if (seen.size <= mostAddresses) break
      seen.delete(oldest)
    }
    if (current.count <= most) return
    const retryAfterS = Math.ceil((current.since + perMs - now()) / 1000)
    throw new JarvisError('too_many_requests', `Too many requests. Try again in ${retryAfterS} s.`, { retryAfterS })
  }
}
