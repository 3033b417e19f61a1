import type { CallContext } from '../agent/tool-runner.ts'
import { type Limits, rateOfChanges } from '../gate/index.ts'

type Caller = Pick<CallContext, 'principal' | 'sessionId'>

/** Pairs of caller and tool that are remembered. */
const mostKept = 1_000

/** Counts calls by who makes them and which tool; in memory only. */
export function createRateLimit(rates: () => Limits['rates'], now: () => number) {
  /** When the calls were made, oldest first. */
  const madeAt = new Map<string, number[]>()

  return {
    /**
     * Counts a call.
     * @param isChange it does more than read cluster and memory
     * @returns why it must wait; undefined where it may go on.
     */
    take(caller: Caller, toolName: string, isChange: boolean): string | undefined {
      const own = rates().get(toolName) ?? []
      const limits = isChange ? [rateOfChanges, ...own] : own
      if (limits.length === 0) return undefined
      const at = now()
      const key = `${countedBy(caller)} ${toolName}`
      const longestMs = Math.max(...limits.map(({ perMs }) => perMs))
      const recent = (madeAt.get(key) ?? []).filter((time) => time > at - longestMs)
      for (const { calls, perMs } of limits) {
        const freeAt = (recent.at(-calls) ?? Number.NEGATIVE_INFINITY) + perMs
        if (freeAt <= at) continue
        const most = `${calls} ${calls === 1 ? 'time' : 'times'} in ${perMs / 1000} s`
        return `${toolName} may be called ${most} here, and was. Call it again in ${Math.ceil((freeAt - at) / 1000)} s. Nothing was run.`
      }
      madeAt.delete(key)
      madeAt.set(key, [...recent, at])
      // The one that was quiet for longest is forgotten first.
      const [quietest] = madeAt.keys()
      if (madeAt.size > mostKept && quietest !== undefined) madeAt.delete(quietest)
      return undefined
    },
  }
}

/** Calls with a token count by it, in whatever session; a person's calls, and those of a client whose token is not known, by session. */
const countedBy = ({ principal: { token }, sessionId }: Caller) => (token === undefined ? sessionId : `token ${token}`)
