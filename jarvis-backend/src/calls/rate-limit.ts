import type { CallContext } from '../agent/tool-runner.ts'
import { type Limits, rateOfChanges } from '../gate/index.ts'

type Caller = Pick<CallContext, 'principal' | 'sessionId'>

/** Maximum number of remembered pairs of caller and tool. */
const mostKept = 1_000

/** Counts calls by caller and tool. The counts are kept only in memory. */
export class RateLimit {
  readonly #rates: () => Limits['rates']
  readonly #now: () => number
  /** The times of the calls by caller and tool, Unix ms, oldest first. */
  readonly #madeAt = new Map<string, number[]>()

  constructor(rates: () => Limits['rates'], now: () => number) {
    this.#rates = rates
    this.#now = now
  }

  /**
   * Counts a call.
   * @param isChange true if the call does more than read cluster and memory
   * @returns why the call must wait; undefined if it may run
   */
  take(caller: Caller, toolName: string, isChange: boolean): string | undefined {
    const own = this.#rates().get(toolName) ?? []
    const limits = isChange ? [rateOfChanges, ...own] : own
    if (limits.length === 0) return undefined
    const at = this.#now()
    const key = `${countedBy(caller)} ${toolName}`
    const longestMs = Math.max(...limits.map(({ perMs }) => perMs))
    const recent = (this.#madeAt.get(key) ?? []).filter((time) => time > at - longestMs)
    for (const { calls, perMs } of limits) {
      const freeAt = (recent.at(-calls) ?? Number.NEGATIVE_INFINITY) + perMs
      if (freeAt <= at) continue
      const most = `${calls} ${calls === 1 ? 'time' : 'times'} in ${perMs / 1000} s`
      return `${toolName} may be called ${most} here, and was. Call it again in ${Math.ceil((freeAt - at) / 1000)} s. Nothing was run.`
    }
    this.#madeAt.delete(key)
    this.#madeAt.set(key, [...recent, at])
    // If there are too many pairs, the one without calls for the longest time is dropped.
    const [quietest] = this.#madeAt.keys()
    if (this.#madeAt.size > mostKept && quietest !== undefined) this.#madeAt.delete(quietest)
    return undefined
  }
}

/**
 * Returns the key by which a caller is counted: calls with a token by the token, over all sessions; calls of people, and of clients without a known
 * token, by session.
 */
const countedBy = ({ principal: { token }, sessionId }: Caller) => (token === undefined ? sessionId : `token ${token}`)
