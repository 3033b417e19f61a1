import { type Effect, type SeenUnit, unitAsked } from '../gate/index.ts'
import type { Cluster } from '../homelab/ports.ts'
import type { Clock } from '../lib/clock.ts'

/** What nodes said of services, for the verdicts on calls that change them. */
export type Units = {
  /** What was said within the last minute; undefined where nothing was. */
  seen(node: string, service: string): SeenUnit | undefined
  /**
   * Asks the node about the service that a call would change; undefined where it changes none. Never rejects: why the
   * node did not say is kept in place of the answer.
   * @param maxAgeMs an answer that is no older serves, and nothing is asked
   */
  look(effects: readonly Effect[], maxAgeMs?: number): Promise<void> | undefined
}

const keptForMs = 60_000
const patienceMs = 5_000
const mostKept = 200

export function createUnits(cluster: Pick<Cluster, 'unit'>, clock: Clock): Units {
  const kept = new Map<string, { at: number; seen: SeenUnit }>()
  const keyOf = (node: string, service: string) => JSON.stringify([node, service.replace(/\.service$/, '')])
  const within = (key: string, ms: number) => {
    const found = kept.get(key)
    return found !== undefined && Math.abs(clock.now() - found.at) <= ms ? found.seen : undefined
  }

  async function ask(node: string, service: string): Promise<SeenUnit> {
    const late = AbortSignal.timeout(patienceMs)
    try {
      return { unit: await cluster.unit(node, service, { signal: late }) }
    } catch (error) {
      if (late.aborted) return { missing: `${node} did not answer within ${patienceMs / 1000} s` }
      return { missing: error instanceof Error ? error.message : String(error) }
    }
  }

  return {
    seen: (node, service) => within(keyOf(node, service), keptForMs),
    look(effects, maxAgeMs = 0) {
      const asked = unitAsked(effects)
      if (asked === undefined) return undefined
      const { node, service } = asked
      const key = keyOf(node, service)
      if (maxAgeMs > 0 && within(key, maxAgeMs) !== undefined) return undefined
      return ask(node, service).then((seen) => {
        kept.delete(key)
        kept.set(key, { at: clock.now(), seen })
        const [oldest] = kept.keys()
        if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
      })
    },
  }
}
