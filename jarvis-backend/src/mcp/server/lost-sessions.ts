import type { Caller } from './authenticate.ts'

type Message = { id?: string | number; method?: string; params?: { requestId?: string | number } }

/** Methods that need a session, because changes can be sent only to a session. */
const wantSession: readonly unknown[] = ['resources/subscribe', 'resources/unsubscribe']

/**
 * Serves requests of clients whose session no longer exists, for example after a restart. Many clients never begin a new session by themselves. The
 * token alone determines the caller and its rights, so such a request can be served without a session.
 */
export function createLostSessions() {
  const running = new Map<string, AbortController>()
  const ends = new WeakMap<Caller, () => void>()

  return {
    /**
     * Returns the caller of one request; a later request of the same client can cancel it.
     * @param id the session that the client names
     * @returns undefined if the request needs its session: a stream, the end of the session, or a subscription
     */
    callerOf(caller: Caller, id: string, body: unknown): Caller | undefined {
      if (body === undefined) return undefined
      const messages = [body].flat() as (Message | null)[]
      if (messages.some((message) => wantSession.includes(message?.method))) return undefined
      const keyOf = (request: string | number | undefined) => JSON.stringify([caller.token.name, id, request])
      for (const message of messages)
        if (message?.method === 'notifications/cancelled') running.get(keyOf(message.params?.requestId))?.abort()
      const cancelled = new AbortController()
      const keys = messages.flatMap((message) => (message?.id === undefined ? [] : keyOf(message.id)))
      for (const key of keys) running.set(key, cancelled)
      const served: Caller = {
        token: caller.token,
        gone: AbortSignal.any([caller.gone, cancelled.signal]),
        hasLostSession: true,
      }
      ends.set(served, () => {
        for (const key of keys) if (running.get(key) === cancelled) running.delete(key)
      })
      return served
    },
    /** Forgets a request that was answered. */
    over: (caller: Caller) => ends.get(caller)?.(),
  }
}
