import type { Clock } from '../lib/clock.ts'
import type { ApiToken, ApiTokenStore } from './api-tokens.ts'
import { createRateLimit } from './rate-limit.ts'

/** Minimum time between two writes of a token's use, ms, so that most read-only requests need no write. */
const writeEveryMs = 60_000

type Counted = Pick<ApiToken, 'name' | 'createdAt'>
type Use = { token: Counted; calls: number; at: number; writtenAt: number }

export interface TokenUse {
  /** Counts a request. @throws JarvisError `too_many_requests` with `retryAfterS` if the token's rate is used up; the request is then not counted */
  count(token: Counted & Pick<ApiToken, 'requestsPerMinute'>): void
  /** Writes the requests that are counted only in memory so far. */
  flush(): void
}

/**
 * Counts the requests of programs' tokens, and limits each token to its rate. A crash loses the count of the last minute. At each start of JARVIS
 * the minute of the rate begins again.
 */
export function createTokenUse(parts: {
  store: Pick<ApiTokenStore, 'used'>
  clock: Clock
  report(error: unknown, message: string): void
}): TokenUse {
  const { store, clock } = parts
  const limit = createRateLimit({ perMs: 60_000, now: clock.now })
  const uses = new Map<string, Use>()
  let disarm: (() => void) | undefined

  function write(key: string, use: Use) {
    store.used(use.token, use.at, use.calls)
    uses.set(key, { ...use, calls: 0, writtenAt: use.at })
  }
  /** Writes the requests that are counted only in memory so far. */
  function flush() {
    disarm?.()
    disarm = undefined
    for (const [key, use] of uses) if (use.calls > 0) write(key, use)
  }
  function arm() {
    disarm ??= clock.after(writeEveryMs, () => {
      disarm = undefined
      try {
        flush()
      } catch (error) {
        parts.report(error, 'the use of tokens could not be written')
        arm()
      }
    })
  }

  return {
    count({ name, createdAt, requestsPerMinute }: Counted & Pick<ApiToken, 'requestsPerMinute'>): void {
      // A token that was made again under the same name is a different token.
      const key = `${name} ${createdAt}`
      if (requestsPerMinute !== undefined) {
        limit(
          key,
          requestsPerMinute,
          (s) =>
            `The token ${name} may make ${requestsPerMinute} requests a minute, and made them. Try again in ${s} s.`,
        )
      }
      const { calls = 0, writtenAt = 0 } = uses.get(key) ?? {}
      const use = { token: { name, createdAt }, calls: calls + 1, at: clock.now(), writtenAt }
      uses.set(key, use)
      const isSoon = use.at - writtenAt <= writeEveryMs
      if (isSoon) arm()
      try {
        if (!isSoon) write(key, use)
      } catch (error) {
        // The request is counted and written later, because a failing database must not refuse requests.
        parts.report(error, 'the use of a token could not be written')
        arm()
      }
    },
    flush,
  }
}
