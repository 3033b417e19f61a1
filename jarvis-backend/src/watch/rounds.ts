import { firstOf } from 'node-kit/words'
import type { ClusterState, Limits } from 'protocol'
import { isBlind } from 'protocol/facts'
import type { Clock } from '../lib/clock.ts'
import type { CheckRun, CheckStore } from './alert.ts'
import { type Board, everyMsOf } from './board.ts'
import { CannotRun, type Check, type CheckPorts, type Looked } from './check.ts'
import { seenNow, unreadFor } from './present.ts'
import { pacedReader } from './reader.ts'

const minuteMs = 60_000
/** A sweep also runs the checks that would be due within this time, ms. */
const togetherMs = 10 * minuteMs
const pauseMs = 100
const longestLookMs = 15 * minuteMs

/** The ports of checks, without the state, the limits, the time and the signal. */
export type WatchedPorts = Omit<CheckPorts, 'state' | 'limits' | 'now' | 'signal'>

export type RoundsParts = {
  checks(): readonly Check[]
  store: CheckStore
  board: Board
  ports: WatchedPorts
  state(): ClusterState
  limits(): Limits
  clock: Clock
  atomically<T>(work: () => T): T
  report(error: unknown, message: string): void
  /** Called after looks that changed an alert or a check's row. */
  changed(): void
  /** Reads at each sweep which objects depend on which, because no check reads that. */
  survey?(ports: Pick<CheckPorts, 'api' | 'state' | 'now' | 'signal'>): Promise<void>
}

/** Stores the result of a look. @returns true if an alert or the check's row changed */
type Take = () => boolean

/** Runs the checks: those of the pace `state` together, the sweeps one after another. */
export class Rounds {
  readonly #parts: RoundsParts
  readonly #runs: Map<string, CheckRun>
  readonly #stopping = new AbortController()
  /** Sweeps that were requested before they are due. */
  readonly #wanted = new Set<string>()
  #looking: Promise<void> | undefined
  #sweeping: Promise<void> | undefined
  /** The cluster state and the limits that the checks with pace `state` used last. */
  #lookedAt: ClusterState | undefined
  #lookedBy: Limits | undefined

  constructor(parts: RoundsParts) {
    this.#parts = parts
    this.#runs = new Map(parts.store.list().map((run) => [run.id, run]))
  }

  /** Runs the checks that need only the state, if the state or a limit changed since the last look. */
  refresh(): void {
    const { ports, board, clock } = this.#parts
    const state = this.#parts.state()
    const limits = this.#parts.limits()
    const { signal } = this.#stopping
    if ((state === this.#lookedAt && limits === this.#lookedBy) || signal.aborted) return
    this.#lookedAt = state
    this.#lookedBy = limits
    const now = clock.now()
    const taking = this.#parts.checks().flatMap((check) => {
      try {
        const looked = this.isOn(check) ? seenNow(check, { ...ports, state, limits, now, signal }) : undefined
        return looked === undefined ? [] : [() => board.take(check, looked, { limits, now })]
      } catch {
        // The next look of the minute reports the reason why the check cannot run.
        return []
      }
    })
    this.#take(taking)
  }

  /** Runs the checks of the pace `state`. */
  state(): Promise<void> {
    this.#looking ??= this.#reported(() => this.#lookAtState()).finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  /** Runs the sweeps that are due. */
  sweeps(): Promise<void> {
    this.#sweeping ??= this.#reported(() => this.#sweep()).finally(() => {
      this.#sweeping = undefined
    })
    return this.#sweeping
  }

  /** Runs these sweeps before they are due. */
  soon(ids: readonly string[]): void {
    this.#want((check) => ids.includes(check.id))
    void (this.#sweeping ?? Promise.resolve()).then(() => this.sweeps())
  }

  /** Runs all checks now. */
  async all(): Promise<void> {
    this.#want(() => true)
    await this.state()
    await this.#sweeping
    await this.sweeps()
  }

  /** The last run of a check. */
  runOf(id: string): CheckRun {
    return this.#runs.get(id) ?? { id }
  }

  isOn({ id }: Pick<Check, 'id'>): boolean {
    return this.runOf(id).isOff === undefined
  }

  setOff(id: string, isOff: boolean): void {
    const { isOff: _before, ...run } = this.runOf(id)
    this.#keep(isOff ? { ...run, isOff: true } : { id })
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('JARVIS stops'))
    await Promise.all([this.#looking, this.#sweeping])
  }

  #want(isWanted: (check: Check) => boolean): void {
    for (const check of this.#parts.checks()) {
      if (check.pace === 'sweep' && isWanted(check)) this.#wanted.add(check.id)
    }
  }

  #keep(run: CheckRun): void {
    this.#runs.set(run.id, run)
    this.#parts.store.save(run)
  }

  /** Stores the results of looks in one transaction. */
  #take(taking: readonly Take[]): void {
    const isNews = this.#parts.atomically(() => taking.map((one) => one()).some(Boolean))
    if (isNews) this.#parts.changed()
  }

  #reported(work: () => Promise<void>): Promise<void> {
    return work().catch((error: unknown) => this.#parts.report(error, 'the checks could not run'))
  }

  async #lookAtState(): Promise<void> {
    const { ports, clock, board } = this.#parts
    this.#lookedAt = this.#parts.state()
    this.#lookedBy = this.#parts.limits()
    const checks = this.#parts.checks().filter((check) => check.pace === 'state' && this.isOn(check))
    const unpaced = { ...ports, api: pacedReader(ports.api, clock) }
    this.#take(await Promise.all(checks.map((check) => this.#look(check, unpaced))))
    board.forget(clock.now())
  }

  async #sweep(): Promise<void> {
    const { ports, clock, board } = this.#parts
    const sweeps = this.#parts.checks().filter((check) => check.pace === 'sweep' && this.isOn(check))
    if (!sweeps.some((check) => this.#isDue(check, 0))) return
    const state = this.#parts.state()
    // Nothing can be read now. The next try is a minute later.
    if (isBlind(state) || state.unreachableSince !== undefined) {
      this.#parts.atomically(() =>
        sweeps.map((check) => board.take(check, 'failed', { limits: this.#parts.limits(), now: clock.now() })),
      )
      return
    }
    // The demo answers from memory, so the reader needs no pauses.
    const api = pacedReader(ports.api, clock, state.isDemo ? 0 : pauseMs)
    const signal = this.#limitedSignal()
    await this.#parts.survey?.({ api, state, now: clock.now(), signal }).catch((error: unknown) => {
      if (!signal.aborted) this.#parts.report(error, 'what stands on what could not be read')
    })
    for (const check of sweeps.filter((one) => this.#isDue(one, togetherMs))) {
      if (this.#stopping.signal.aborted) return
      this.#wanted.delete(check.id)
      this.#take([await this.#look(check, { ...ports, api })])
    }
  }

  #isDue(check: Check, slackMs: number): boolean {
    const { lastAt } = this.runOf(check.id)
    const now = this.#parts.clock.now()
    const isWanted = this.#wanted.has(check.id)
    return isWanted || lastAt === undefined || lastAt > now || lastAt + everyMsOf(check) - slackMs <= now
  }

  #limitedSignal(): AbortSignal {
    return AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(longestLookMs)])
  }

  async #look(check: Check, ports: WatchedPorts): Promise<Take> {
    const now = this.#parts.clock.now()
    const limits = this.#parts.limits()
    const state = this.#parts.state()
    const signal = this.#limitedSignal()
    const taken = (looked: Looked | 'failed', facts: Pick<CheckRun, 'problem' | 'cannotRun'>) => () =>
      this.#taken(check, { looked, facts, limits, now })
    const unread = unreadFor(check, state)
    if (unread !== undefined) return taken('failed', { problem: unread })
    try {
      const looked = await check.look({ ...ports, state, limits, now, signal })
      const problem = unseenIn(looked)
      return taken(looked, problem === undefined ? {} : { problem })
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (error instanceof CannotRun) return taken('failed', { problem, cannotRun: true })
      const isNamed = error instanceof Error && 'code' in error
      if (!isNamed && !signal.aborted) this.#parts.report(error, `the check ${check.id} failed`)
      return taken('failed', { problem: problem === '' ? 'It failed without a reason.' : problem })
    }
  }

  #taken(
    check: Check,
    look: { looked: Looked | 'failed'; facts: Pick<CheckRun, 'problem' | 'cannotRun'>; limits: Limits; now: number },
  ): boolean {
    const { now } = look
    if (this.#stopping.signal.aborted || !this.isOn(check)) return false
    const before = this.runOf(check.id)
    const durationMs = this.#parts.clock.now() - now
    const run: CheckRun = { id: check.id, lastAt: now, durationMs, ...look.facts }
    // A check that looks each minute is written only if its problem changed.
    if (check.pace === 'state' && before.problem === run.problem && before.lastAt !== undefined)
      this.#runs.set(run.id, run)
    else this.#keep(run)
    const isNews = this.#parts.board.take(check, look.looked, look)
    return isNews || before.problem !== run.problem || before.lastAt === undefined
  }
}

/** The nodes and objects that a look could not see, in words; undefined if it saw everything. */
function unseenIn({ measures, unread }: Looked): string | undefined {
  const nodes = [...unread].map(([node, why]) => (node === '*' ? why : `${node}: ${why}`))
  const unseen = measures.filter(({ level }) => level === 'unseen').map(({ object }) => object.name ?? object.id)
  const lines = [...nodes.slice(0, 5), ...(unseen.length === 0 ? [] : [`not seen: ${firstOf(unseen, 5)}`])]
  return lines.length === 0 ? undefined : `${lines.join('; ').replace(/\.$/, '')}.`
}
