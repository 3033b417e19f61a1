import type { Cluster } from 'homelab-ports/ports'
import { type Effect, type SeenUnit, unitAsked } from '../gate/index.ts'
import type { Clock } from '../lib/clock.ts'

/** The nodes' reports on services, which verdicts on changes of services use. */
export interface Units {
  /** Returns a report of the last minute; undefined if there is none. */
  seen(node: string, service: string): SeenUnit | undefined
  /**
   * Asks the node about the service that a call would change; undefined if the call changes none. Never rejects: if the node does not answer, the
   * reason is stored in place of the report.
   * @param maxAgeMs a report of at most this age is used, and nothing is asked
   */
  look(effects: readonly Effect[], maxAgeMs?: number): Promise<void> | undefined
}

const keptForMs = 60_000
const patienceMs = 5_000
const mostKept = 200

/** Keeps the newest reports in memory. */
export class SeenUnits implements Units {
  readonly #cluster: Pick<Cluster, 'unit'>
  readonly #clock: Clock
  readonly #kept = new Map<string, { at: number; seen: SeenUnit }>()

  constructor(cluster: Pick<Cluster, 'unit'>, clock: Clock) {
    this.#cluster = cluster
    this.#clock = clock
  }

  seen(node: string, service: string): SeenUnit | undefined {
    return this.#within(keyOf(node, service), keptForMs)
  }

  look(effects: readonly Effect[], maxAgeMs = 0): Promise<void> | undefined {
    const asked = unitAsked(effects)
    if (asked === undefined) return undefined
    const { node, service } = asked
    const key = keyOf(node, service)
    if (maxAgeMs > 0 && this.#within(key, maxAgeMs) !== undefined) return undefined
    return this.#ask(node, service).then((seen) => {
      this.#kept.delete(key)
      this.#kept.set(key, { at: this.#clock.now(), seen })
      const [oldest] = this.#kept.keys()
      if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest)
    })
  }

  async #ask(node: string, service: string): Promise<SeenUnit> {
    const late = AbortSignal.timeout(patienceMs)
    try {
      return { unit: await this.#cluster.unit(node, service, { signal: late }) }
    } catch (error) {
      if (late.aborted) return { missing: `${node} did not answer within ${patienceMs / 1000} s` }
      return { missing: error instanceof Error ? error.message : String(error) }
    }
  }

  #within(key: string, ms: number): SeenUnit | undefined {
    const found = this.#kept.get(key)
    return found !== undefined && Math.abs(this.#clock.now() - found.at) <= ms ? found.seen : undefined
  }
}

const keyOf = (node: string, service: string) => JSON.stringify([node, service.replace(/\.service$/, '')])
