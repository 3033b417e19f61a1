import type { Caller } from './authenticate.ts'

type Message = { id?: string | number; method?: string; params?: { requestId?: string | number } }

/** Only a session can hear what changes. */
const wantSession: readonly unknown[] = ['resources/subscribe', 'resources/unsubscribe']

/**
 * Requests of clients whose session is gone, as after a restart. Many clients never begin a new one by themselves. Who calls and what is allowed
 * come from the token alone, so such a request is served without a session.
 */
export function createLostSessions() {
  const running = new Map<string, AbortController>()
  const ends = new WeakMap<Caller, () => void>()

  return {
    /**
     * The caller of one request, which a later request of the same client may cancel.
     * @param id the session that the client names
     * @returns undefined where the request needs its session: a stream, the session's end, or a subscription
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
    /** The request was answered. */
    over: (caller: Caller) => ends.get(caller)?.(),
  }
}
