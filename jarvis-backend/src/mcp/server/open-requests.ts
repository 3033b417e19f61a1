import type { ServerResponse } from 'node:http'
import type { Clock } from '../../lib/clock.ts'

/** How soon a revoked or expired token ends its open requests, ms. */
const checkEveryMs = 5_000

/** Unanswered requests: aborted when the client hangs up, ended when the token is revoked or expires. */
export function createOpenRequests({ clock, refused }: { clock: Clock; refused(tokenName: string): void }) {
  const open = new Map<ServerResponse, { tokenName: string; authenticate(): unknown; isStream?: true }>()
  let isArmed = false

  function arm() {
    isArmed = true
    clock.after(checkEveryMs, () => {
      isArmed = false
      for (const [response, { tokenName, authenticate }] of open) {
        try {
          authenticate()
        } catch {
          refused(tokenName)
          response.destroy()
        }
      }
      if (open.size > 0) arm()
    })
  }

  return {
    /** Marks a request that stays open until its client leaves. */
    isStream(response: ServerResponse) {
      const request = open.get(response)
      if (request !== undefined) request.isStream = true
    },
    /** Resolves once all requests but streams have been answered. */
    async answered() {
      const left = [...open].filter(([, { isStream }]) => isStream === undefined)
      await Promise.all(left.map(([response]) => new Promise((closed) => response.once('close', closed))))
    },
    /** @returns a signal that aborts when the response is closed before its end. */
    add(response: ServerResponse, tokenName: string, authenticate: () => unknown): AbortSignal {
      const gone = new AbortController()
      open.set(response, { tokenName, authenticate })
      if (!isArmed) arm()
      response.once('close', () => {
        open.delete(response)
        if (!response.writableFinished) gone.abort()
      })
      return gone.signal
    },
  }
}
