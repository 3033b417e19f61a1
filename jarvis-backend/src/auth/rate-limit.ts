import { JarvisError } from 'protocol'

const mostKeys = 10_000

/** Limits the calls of a key, such as an address or a token, within `perMs`. Only the newest 10,000 keys are kept. */
export function createRateLimit({ perMs, now }: { perMs: number; now(): number }) {
  const seen = new Map<string, { count: number; since: number }>()
  /** @throws JarvisError `too_many_requests` with `retryAfterS` if `key` was used more than `most` times */
  return (key: string, most: number, says = (s: number) => `Too many requests. Try again in ${s} s.`): void => {
    const known = seen.get(key)
    const current = known !== undefined && known.since + perMs > now() ? known : { count: 0, since: now() }
    current.count += 1
    seen.delete(key)
    seen.set(key, current)
    for (const oldest of seen.keys()) {
      if (seen.size <= mostKeys) break
      seen.delete(oldest)
    }
    if (current.count <= most) return
    const retryAfterS = Math.max(1, Math.ceil((current.since + perMs - now()) / 1000))
    throw new JarvisError('too_many_requests', says(retryAfterS), { retryAfterS })
  }
}
