import type { CallContext } from '../agent/tool-runner.ts'
import { type Limits, rateOfChanges } from '../gate/index.ts'

type Caller = Pick<CallContext, 'principal' | 'sessionId'>

/** The most pairs of caller and tool that are remembered. */
const mostKept = 1_000

/** Counts calls by asker and tool. In memory only. */
export class RateLimit {
  readonly #rates: () => Limits['rates']
  readonly #now: () => number
  /** The times of the calls, oldest first. */
  readonly #madeAt = new Map<string, number[]>()

  constructor(rates: () => Limits['rates'], now: () => number) {
    this.#rates = rates
    this.#now = now
  }

  /**
   * Counts a call.
   * @param isChange it does more than read cluster and memory
   * @returns why it must wait; undefined when it may go on.
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
    // The pair that was quiet for longest is forgotten first.
    const [quietest] = this.#madeAt.keys()
    if (this.#madeAt.size > mostKept && quietest !== undefined) this.#madeAt.delete(quietest)
    return undefined
  }
}

/** Calls with a token count by the token in all sessions. Calls of people, and of clients without a known token, count by session. */
const countedBy = ({ principal: { token }, sessionId }: Caller) => (token === undefined ? sessionId : `token ${token}`)
