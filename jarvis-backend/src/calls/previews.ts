import { hashOf } from 'node-kit/canonical'
import { JarvisError, type Principal, readAs, type ToolInput } from 'protocol'
import { rightsOf } from '../agent/principal.ts'
import { Mistake } from '../gate/index.ts'
import type { Clock } from '../lib/clock.ts'
import type { Catalog } from '../tools/catalog.ts'
import type { Preview, Whose } from '../tools/tool.ts'

/** The state that a tool read before a change; or `problem`: why the change cannot work, or why the state could not be read. */
export type Previewed = { preview: Preview } | { problem: string }

/** The principal that asks, and the session that the call belongs to. */
export type Asking = Partial<Pick<Principal, 'kind' | 'token'>> & Whose & { sessionId?: string }

export type LookHow = {
  /** A report or preview of at most this age is used instead of a new read, because the verdict was just made from it. Default 0. */
  maxAgeMs?: number | undefined
  /** The principal for which the state is read; absent: the main agent. */
  whose?: Asking | undefined
}

const whoseOf = ({ kind, token, agent, for: asking, person, sessionId }: Asking = {}): Asking => ({
  sessionId,
  agent,
  for: asking,
  person,
  ...(kind !== undefined && !rightsOf({ kind, token }).mayUseAttached && { isClient: true }),
})

/** The previews of changes: the state that tools read before a change is judged. */
export interface Previews {
  /** Returns a preview of the last minute; undefined if there is none. */
  seen(toolName: string, input: ToolInput, whose?: Asking): Previewed | undefined
  /**
   * Prepares a call: lets its tool read the state that the call would change. Returns undefined if the tool reads nothing. A mistake in the call is
   * stored as a problem.
   * @param how `maxAgeMs`: a preview of at most this age is used, and nothing is read. `whose`: the principal for which the state is read; absent:
   * main. State that its agent may not read is not read for it
   * @throws JarvisError `cluster_unreachable` and others, if the cluster could not be read; the error is stored as a problem too
   */
  look(toolName: string, input: ToolInput, how?: LookHow): Promise<void> | undefined
}

const keptForMs = 60_000
const patienceMs = 15_000
const mostKept = 200

/** Keeps the newest previews in memory. */
export class KeptPreviews implements Previews {
  readonly #catalog: Catalog
  readonly #clock: Clock
  readonly #kept = new Map<string, { at: number; seen: Previewed }>()

  constructor(catalog: Catalog, clock: Clock) {
    this.#catalog = catalog
    this.#clock = clock
  }

  seen(toolName: string, input: ToolInput, whose?: Asking): Previewed | undefined {
    const { sessionId: _, ...elsewhere } = whose ?? {}
    // The second key has no session: the steps of a plan are read before the plan has one.
    return (
      this.#within(keyOf(toolName, input, whose), keptForMs) ??
      this.#within(keyOf(toolName, input, elsewhere), keptForMs)
    )
  }

  look(toolName: string, rawInput: ToolInput, { maxAgeMs = 0, whose }: LookHow = {}): Promise<void> | undefined {
    const tool = this.#catalog.get(toolName)
    const { prepare } = tool ?? {}
    const read = tool && prepare && readAs(tool.input, rawInput)
    if (prepare === undefined || read?.ok !== true) return undefined
    const input = read.value as ToolInput
    const key = keyOf(toolName, input, whose)
    if (maxAgeMs > 0 && this.#within(key, maxAgeMs) !== undefined) return undefined
    return prepare(input, { signal: AbortSignal.timeout(patienceMs), ...whoseOf(whose) }).then(
      (preview) => this.#keep(key, { preview }),
      (error: unknown) => {
        const problem = error instanceof Error ? error.message : String(error)
        const isMistake = error instanceof Mistake || (error instanceof JarvisError && mistakes.includes(error.code))
        this.#keep(key, { problem: isMistake ? problem : `What it would change could not be read: ${problem}` })
        if (!isMistake) throw error
      },
    )
  }

  #within(key: string, ms: number): Previewed | undefined {
    const found = this.#kept.get(key)
    return found !== undefined && Math.abs(this.#clock.now() - found.at) <= ms ? found.seen : undefined
  }

  #keep(key: string, seen: Previewed): void {
    this.#kept.delete(key)
    this.#kept.set(key, { at: this.#clock.now(), seen })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest)
  }
}

const keyOf = (toolName: string, input: ToolInput, whose: Asking = {}) => hashOf({ toolName, input, ...whoseOf(whose) })

const mistakes: readonly string[] = ['not_found', 'invalid_request', 'conflict']
