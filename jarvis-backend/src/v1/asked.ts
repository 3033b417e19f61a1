/**
 * A request of a program and the run that answers it. `token`: key of the token; a later token of the same name has another key. `door`: the API
 * that was used. `session`: the session that the program named; empty if it named none. `key`: its `Idempotency-Key`. `hash`: hash of its body.
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
  /** True if the whole answer was sent to the program. */
  isDelivered: boolean
}

/** Time for which a request with the same `Idempotency-Key` gets the same answer, ms. */
export const keyKeptMs = 24 * 60 * 60_000
/** Time for which a request without a key gets the answer of an earlier request with the same body, ms. */
export const repeatedWithinMs = 15 * 60_000

/** Stores the requests of programs. A repeated request gets the first request's answer, even after a restart. */
export interface AskedStore {
  add(asked: Asked): void
  /** Returns the newest request with this key. */
  byKey(token: string, key: string): Asked | undefined
  /** Returns the newest equal request without a key. */
  same(request: Pick<Asked, 'token' | 'door' | 'session' | 'hash'>): Asked | undefined
  delivered(runId: string): void
  /** Removes the request of a run, so that no later request gets this run's answer. */
  forget(runId: string): void
  /** Removes the data of requests before `before`, Unix ms. For requests that named no session, their run and session stay known. */
  forgetOld(before: number): void
  /**
   * Returns requests that named no session, oldest first, at most `limit`. A request is returned if it is older than `before`. It is also returned
   * if it is older than `recent` and not among the newest `most` of its token. Times are Unix ms.
   */
  single(query: { before: number; recent: number; most: number; limit: number }): Pick<Asked, 'runId' | 'sessionId'>[]
}
