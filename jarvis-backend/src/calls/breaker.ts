import type { Limits } from '../gate/index.ts'

type Circuit = {
  /** The times of failed calls, Unix ms, oldest first. Times older than the window are dropped. */
  failedAt: number[]
  lastError: string
  /** Calls are refused until this time, Unix ms. */
  openUntil?: number
  /** True while the one call runs that tries the tool again after `openUntil`. */
  isProbed: boolean
}

/** The end of a call. `isFault`: true for a fault of the tool, false for none; undefined if the outcome says nothing about the tool. */
type Ended = { node: string | undefined; isFault: boolean | undefined; error: string }

export interface Breaker {
  /** @returns why calls of the tool on this node are refused now; undefined when it may run. */
  refusal(toolName: string, node: string | undefined): string | undefined
  /** Call it when a call begins to run. */
  began(toolName: string, node: string | undefined): void
  /** Call it when a call has ended. */
  ended(toolName: string, end: Ended): void
}

/** Refuses calls of a tool on a node where it keeps failing, and lets one call try again later. Kept in memory only. */
export class CircuitBreaker implements Breaker {
  readonly #limits: () => Limits['breaker']
  readonly #now: () => number
  readonly #circuits = new Map<string, Circuit>()

  constructor(limits: () => Limits['breaker'], now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  refusal(toolName: string, node: string | undefined): string | undefined {
    const circuit = this.#circuitOf(toolName, node)
    if (circuit?.openUntil === undefined) return undefined
    const where = `${toolName}${node === undefined ? '' : ` on ${node}`}`
    const left = circuit.openUntil - this.#now()
    if (left <= 0 && !circuit.isProbed) return undefined
    const when =
      left <= 0
        ? 'One call tries it just now; ask again when that has ended.'
        : `It may be tried again in ${Math.ceil(left / 1000)} s.`
    return `${where} failed ${this.#limits().failures} times in a row, at last: ${circuit.lastError} It is left alone for a while. ${when} Nothing was run.`
  }

  began(toolName: string, node: string | undefined): void {
    const circuit = this.#circuitOf(toolName, node)
    if (circuit?.openUntil !== undefined) circuit.isProbed = true
  }

  ended(toolName: string, { node, isFault, error }: Ended): void {
    if (isFault !== true && this.#circuits.size === 0) return
    const key = keyOf(toolName, node)
    const known = this.#circuits.get(key)
    if (isFault === false) this.#circuits.delete(key)
    else if (isFault === undefined) {
      if (known !== undefined) known.isProbed = false
    } else {
      const { failures, withinMs, pauseMs } = this.#limits()
      const at = this.#now()
      const failedAt = [...(known?.failedAt ?? []).filter((time) => time > at - withinMs), at].slice(-failures)
      const isOpen = failedAt.length >= failures || known?.openUntil !== undefined
      const lastError = error.slice(0, 200)
      this.#circuits.set(key, { failedAt, lastError, isProbed: false, ...(isOpen && { openUntil: at + pauseMs }) })
    }
  }

  #circuitOf(toolName: string, node: string | undefined): Circuit | undefined {
    return this.#circuits.size === 0 ? undefined : this.#circuits.get(keyOf(toolName, node))
  }
}

const keyOf = (toolName: string, node = '') => `${toolName} ${node}`
