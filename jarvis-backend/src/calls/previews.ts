import { hashOf } from 'node-kit/canonical'
import { JarvisError, type Principal, readAs, type ToolInput } from 'protocol'
import { rightsOf } from '../agent/principal.ts'
import { Mistake } from '../gate/index.ts'
import type { Clock } from '../lib/clock.ts'
import type { Catalog } from '../tools/catalog.ts'
import type { Preview, Whose } from '../tools/tool.ts'

/** `problem`: why the change cannot work, or what it would change could not be read. */
export type Previewed = { preview: Preview } | { problem: string }

/** Who asks, and the session that the call belongs to. */
export type Asking = Partial<Pick<Principal, 'kind' | 'token'>> & Whose & { sessionId?: string }
const whoseOf = ({ kind, token, agent, for: asking, person, sessionId }: Asking = {}): Asking => ({
  ...(sessionId !== undefined && { sessionId }),
  ...(agent !== undefined && { agent }),
  ...(asking !== undefined && { for: asking }),
  ...(person !== undefined && { person }),
  ...(kind !== undefined &&
    !rightsOf({ kind, ...(token !== undefined && { token }) }).mayUseAttached && { isClient: true }),
})

/** What was read of changes before they were judged. */
export type Previews = {
  /** What was read within the last minute; undefined where nothing was. */
  seen(toolName: string, input: ToolInput, whose?: Asking): Previewed | undefined
  /**
   * Prepares a call; undefined where its tool reads nothing before. A mistake in the call is kept as a problem.
   * @param maxAgeMs what was read no longer ago serves, and nothing is read
   * @param whose in whose name it is asked for: what that agent may not read is not read for it; absent: main
   * @throws JarvisError `cluster_unreachable` and others, where the cluster could not be read; that is kept as well
   */
  look(toolName: string, input: ToolInput, maxAgeMs?: number, whose?: Asking): Promise<void> | undefined
}

const keptForMs = 60_000
const patienceMs = 15_000
const mostKept = 200

export function createPreviews(catalog: Catalog, clock: Clock): Previews {
  const kept = new Map<string, { at: number; seen: Previewed }>()
  const keyOf = (toolName: string, input: ToolInput, whose: Asking = {}) =>
    hashOf({ toolName, input, ...whoseOf(whose) })
  const within = (key: string, ms: number) => {
    const found = kept.get(key)
    return found !== undefined && Math.abs(clock.now() - found.at) <= ms ? found.seen : undefined
  }
  function keep(key: string, seen: Previewed) {
    kept.delete(key)
    kept.set(key, { at: clock.now(), seen })
    const [oldest] = kept.keys()
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
  }

  return {
    seen(toolName, input, whose) {
      const { sessionId: _, ...elsewhere } = whose ?? {}
      // The steps of a plan are read before the plan has a session.
      return within(keyOf(toolName, input, whose), keptForMs) ?? within(keyOf(toolName, input, elsewhere), keptForMs)
    },
    look(toolName, rawInput, maxAgeMs = 0, whose) {
      const tool = catalog.get(toolName)
      const { prepare } = tool ?? {}
      const read = tool && prepare && readAs(tool.input, rawInput)
      if (prepare === undefined || read?.ok !== true) return undefined
      const input = read.value as ToolInput
      const key = keyOf(toolName, input, whose)
      if (maxAgeMs > 0 && within(key, maxAgeMs) !== undefined) return undefined
      return prepare(input, { signal: AbortSignal.timeout(patienceMs), ...whoseOf(whose) }).then(
        (preview) => keep(key, { preview }),
        (error: unknown) => {
          const problem = error instanceof Error ? error.message : String(error)
          const isMistake = error instanceof Mistake || (error instanceof JarvisError && mistakes.includes(error.code))
          keep(key, { problem: isMistake ? problem : `What it would change could not be read: ${problem}` })
          if (!isMistake) throw error
        },
      )
    },
  }
}

const mistakes: readonly string[] = ['not_found', 'invalid_request', 'conflict']
