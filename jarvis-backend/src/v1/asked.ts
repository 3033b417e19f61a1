/**
 * A request of a program and the run that answers it. `token`: identifies the token, also from a later one of its name. `door`: which API.
 * `session`: the session that the program named; empty where it named none. `key`: its `Idempotency-Key`. `hash`: of its body.
 */
export type Asked = {
  runId: string
  sessionId: string
  token: string
  door: string
  session: string
  key?: string
  hash: string
  /** Unix ms. */
  at: number
  /** The program was sent the whole answer. */
  isDelivered: boolean
}

/** How long a key keeps its answer, ms. */
export const keyKeptMs = 24 * 60 * 60_000
/** How long a request without a key joins an earlier one of the same body, ms. */
export const repeatedWithinMs = 15 * 60_000

/** The requests of programs. A repeated request gets the first one's answer, after a restart too. */
export interface AskedStore {
  add(asked: Asked): void
  /** The newest of that key. */
  byKey(token: string, key: string): Asked | undefined
  /** The newest without a key that is the same request. */
  same(request: Pick<Asked, 'token' | 'door' | 'session' | 'hash'>): Asked | undefined
  delivered(runId: string): void
  /** Nothing joins this run any more. */
  forget(runId: string): void
  /** Forgets requests that are older. Of those that named no session, the session alone is still known. */
  forgetOld(before: number): void
  /**
   * Requests that named no session, oldest first, at most `limit`: those before `before`, and of each token those beyond its newest `most`
   * that came before `recent`. Times are Unix ms.
   */
  single(query: { before: number; recent: number; most: number; limit: number }): Pick<Asked, 'runId' | 'sessionId'>[]
}
