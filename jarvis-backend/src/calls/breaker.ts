import type { Limits } from '../gate/index.ts'

type Circuit = {
  /** When it failed, oldest first; none older than the window. */
  failedAt: number[]
  lastError: string
  /** Until when calls are refused, Unix ms. */
  openUntil?: number
  /** Whether the one call that tries again after `openUntil` has begun. */
  isProbed: boolean
}

export type Breaker = {
  /** @returns why calls of the tool on this node are refused now; undefined when it may run. */
  refusal(toolName: string, node: string | undefined): string | undefined
  /** A call begins to run. */
  began(toolName: string, node: string | undefined): void
  /** A call has ended. @param isFault undefined when the outcome says nothing about the tool */
  ended(toolName: string, node: string | undefined, isFault: boolean | undefined, error: string): void
}

/** Refuses calls of a tool on a node where it keeps failing, and lets one call try again later. Kept in memory only. */
export function createBreaker(limits: () => Limits['breaker'], now: () => number): Breaker {
  const circuits = new Map<string, Circuit>()
  const keyOf = (toolName: string, node = '') => `${toolName} ${node}`

  return {
    refusal(toolName, node) {
      const circuit = circuits.size === 0 ? undefined : circuits.get(keyOf(toolName, node))
      if (circuit?.openUntil === undefined) return undefined
      const where = `${toolName}${node === undefined ? '' : ` on ${node}`}`
      const left = circuit.openUntil - now()
      if (left <= 0 && !circuit.isProbed) return undefined
      const when =
        left <= 0
          ? 'One call tries it just now; ask again when that has ended.'
          : `It may be tried again in ${Math.ceil(left / 1000)} s.`
      return `${where} failed ${limits().failures} times in a row, at last: ${circuit.lastError} It is left alone for a while. ${when} Nothing was run.`
    },
    began(toolName, node) {
      const circuit = circuits.size === 0 ? undefined : circuits.get(keyOf(toolName, node))
      if (circuit?.openUntil !== undefined) circuit.isProbed = true
    },
    ended(toolName, node, isFault, error) {
      if (isFault !== true && circuits.size === 0) return
      const key = keyOf(toolName, node)
      const known = circuits.get(key)
      if (isFault === false) circuits.delete(key)
      else if (isFault === undefined) {
        if (known !== undefined) known.isProbed = false
      } else {
        const { failures, withinMs, pauseMs } = limits()
        const at = now()
        const failedAt = [...(known?.failedAt ?? []).filter((time) => time > at - withinMs), at].slice(-failures)
        const isOpen = failedAt.length >= failures || known?.openUntil !== undefined
        const lastError = error.slice(0, 200)
        circuits.set(key, { failedAt, lastError, isProbed: false, ...(isOpen && { openUntil: at + pauseMs }) })
      }
    },
  }
}
