import type { ServerResponse } from 'node:http'
import type { Clock } from '../lib/clock.ts'
import type { Verified } from './bearer.ts'

/** Time within which an expired token, or one that was revoked on the command line, ends its open requests, ms. */
const checkEveryMs = 5_000

type OpenRequest = Pick<Verified, 'stillCounts'> & { ended(): void; isStream?: true }

export interface OpenRequests {
  /** Ends the requests whose token is no longer valid. */
  look(): void
  /** Marks a request that stays open until its client leaves. */
  isStream(response: ServerResponse): void
  /** Resolves once all requests but streams have been answered. */
  answered(): Promise<void>
  /**
   * @param ended called when the token is no longer valid, before the response is cut @returns a signal that aborts when the response is closed
   * before its end
   */
  add(response: ServerResponse, verified: Pick<Verified, 'stillCounts'>, ended?: () => void): AbortSignal
}

/**
 * The unanswered requests of programs, at all doors. A request is aborted when the client hangs up, and ended when its token is revoked or expires.
 */
export function createOpenRequests({ clock }: { clock: Clock }): OpenRequests {
  const open = new Map<ServerResponse, OpenRequest>()
  let isArmed = false

  function look() {
    for (const [response, { stillCounts, ended }] of open) {
      try {
        stillCounts()
      } catch {
        ended()
        response.destroy()
      }
    }
  }
  function arm() {
    isArmed = true
    clock.after(checkEveryMs, () => {
      isArmed = false
      look()
      if (open.size > 0) arm()
    })
  }

  return {
    look,
    isStream(response: ServerResponse) {
      const request = open.get(response)
      if (request !== undefined) request.isStream = true
    },
    async answered() {
      const left = [...open].filter(([, { isStream }]) => isStream === undefined)
      await Promise.all(left.map(([response]) => new Promise((closed) => response.once('close', closed))))
    },
    add(
      response: ServerResponse,
      { stillCounts }: Pick<Verified, 'stillCounts'>,
      ended: () => void = () => {},
    ): AbortSignal {
      const gone = new AbortController()
      open.set(response, { stillCounts, ended })
      if (!isArmed) arm()
      response.once('close', () => {
        open.delete(response)
        if (!response.writableFinished) gone.abort()
      })
      return gone.signal
    },
  }
}
