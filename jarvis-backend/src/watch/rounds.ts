import type { ClusterState, Limits } from 'protocol'
import { isBlind } from 'protocol/facts'
import type { Clock } from '../lib/clock.ts'
import { firstOf } from '../lib/words.ts'
import type { CheckRun, CheckStore } from './alert.ts'
import { type Board, everyMsOf } from './board.ts'
import { CannotRun, type Check, type CheckPorts, type Looked } from './check.ts'
import { seenNow, unreadFor } from './present.ts'
import { pacedReader } from './reader.ts'

const minuteMs = 60_000
/** Sweeps that are due so soon after another go along with it. */
const togetherMs = 10 * minuteMs
const pauseMs = 100
const longestLookMs = 15 * minuteMs

/** What the checks read through, beside the state and the time. */
export type WatchedPorts = Omit<CheckPorts, 'state' | 'limits' | 'now' | 'signal'>

export type Rounds = ReturnType<typeof createRounds>

/** Lets the checks look: those of the state together, the sweeps one after another. */
export function createRounds(parts: {
  checks(): readonly Check[]
  store: CheckStore
  board: Board
  ports: WatchedPorts
  state(): ClusterState
  limits(): Limits
  clock: Clock
  atomically<T>(work: () => T): T
  report(error: unknown, message: string): void
  /** Told after looks that others see a difference of. */
  changed(): void
  /** Reads at each sweep what no check looks at. */
  survey?(ports: Pick<CheckPorts, 'api' | 'state' | 'now' | 'signal'>): Promise<void>
}) {
  const { store, board, clock } = parts
  const runs = new Map(store.list().map((run) => [run.id, run]))
  const stopping = new AbortController()
  let looking: Promise<void> | undefined
  let sweeping: Promise<void> | undefined
  /** Checks that somebody wants to sweep soon. */
  const wanted = new Set<string>()

  const runOf = (id: string): CheckRun => runs.get(id) ?? { id }
  function keep(run: CheckRun) {
    runs.set(run.id, run)
    store.save(run)
  }
  const isOn = ({ id }: Check) => runOf(id).isOff === undefined

  async function look(check: Check, ports: WatchedPorts): Promise<() => boolean> {
    const now = clock.now()
    const limits = parts.limits()
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(longestLookMs)])
    const state = parts.state()
    const seen = (looked: Looked | 'failed', facts: Pick<CheckRun, 'problem' | 'cannotRun'>) => () => {
      if (stopping.signal.aborted || !isOn(check)) return false
      const before = runOf(check.id)
      const run: CheckRun = { id: check.id, lastAt: now, durationMs: clock.now() - now, ...facts }
      // A look each minute is not worth a write, unless it tells something else.
      if (check.pace === 'state' && before.problem === run.problem && before.lastAt !== undefined) runs.set(run.id, run)
      else keep(run)
      const isNews = board.take(check, looked, limits, now)
      return isNews || before.problem !== run.problem || before.lastAt === undefined
    }
    const unread = unreadFor(check, state)
    if (unread !== undefined) return seen('failed', { problem: unread })
    try {
      const looked = await check.look({ ...ports, state, limits, now, signal })
      const problem = unseenIn(looked)
      return seen(looked, problem === undefined ? {} : { problem })
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (error instanceof CannotRun) return seen('failed', { problem, cannotRun: true })
      const isNamed = error instanceof Error && 'code' in error
      if (!isNamed && !signal.aborted) parts.report(error, `the check ${check.id} failed`)
      return seen('failed', { problem: problem === '' ? 'It failed without a reason.' : problem })
    }
  }

  const take = (taking: readonly (() => boolean)[]) => {
    const isNews = parts.atomically(() => taking.map((one) => one()).some(Boolean))
    if (isNews) parts.changed()
  }

  let lookedAt: ClusterState | undefined
  let lookedBy: Limits | undefined
  /** Lets those look that need no more than the state, where it, or a limit, is another one than they saw last. */
  function refresh() {
    const state = parts.state()
    const limits = parts.limits()
    if ((state === lookedAt && limits === lookedBy) || stopping.signal.aborted) return
    lookedAt = state
    lookedBy = limits
    const now = clock.now()
    const ports = { ...parts.ports, state, limits, now, signal: stopping.signal }
    const taking = parts.checks().flatMap((check) => {
      try {
        const looked = isOn(check) ? seenNow(check, ports) : undefined
        return looked === undefined ? [] : [() => board.take(check, looked, limits, now)]
      } catch {
        // The look of this minute says why.
        return []
      }
    })
    take(taking)
  }

  async function lookAtState() {
    lookedAt = parts.state()
    lookedBy = parts.limits()
    const checks = parts.checks().filter((check) => check.pace === 'state' && isOn(check))
    const ports = { ...parts.ports, api: pacedReader(parts.ports.api, clock, 0) }
    take(await Promise.all(checks.map((check) => look(check, ports))))
    board.forget(clock.now())
  }

  const isDue = (check: Check, slackMs: number) => {
    const { lastAt } = runOf(check.id)
    const now = clock.now()
    return wanted.has(check.id) || lastAt === undefined || lastAt > now || lastAt + everyMsOf(check) - slackMs <= now
  }

  async function sweep() {
    const sweeps = parts.checks().filter((check) => check.pace === 'sweep' && isOn(check))
    if (!sweeps.some((check) => isDue(check, 0))) return
    const state = parts.state()
    // Nothing can be read now; a minute later is soon enough to try again.
    if (isBlind(state) || state.unreachableSince !== undefined) {
      parts.atomically(() => sweeps.map((check) => board.take(check, 'failed', parts.limits(), clock.now())))
      return
    }
    // The demo answers from memory.
    const api = pacedReader(parts.ports.api, clock, state.isDemo ? 0 : pauseMs)
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(longestLookMs)])
    await parts.survey?.({ api, state, now: clock.now(), signal }).catch((error: unknown) => {
      if (!signal.aborted) parts.report(error, 'what stands on what could not be read')
    })
    for (const check of sweeps.filter((one) => isDue(one, togetherMs))) {
      if (stopping.signal.aborted) return
      wanted.delete(check.id)
      take([await look(check, { ...parts.ports, api })])
    }
  }

  const once = (work: () => Promise<void>) =>
    work().catch((error: unknown) => parts.report(error, 'the checks could not run'))

  const state = () => {
    looking ??= once(lookAtState).finally(() => {
      looking = undefined
    })
    return looking
  }
  const sweeps = () => {
    sweeping ??= once(sweep).finally(() => {
      sweeping = undefined
    })
    return sweeping
  }

  return {
    refresh,
    /** Lets the checks of the state look. */
    state,
    /** Lets the sweeps look that are due. */
    sweeps,
    /** Lets these sweeps look before their hour comes. */
    soon(ids: readonly string[]) {
      for (const check of parts.checks()) if (check.pace === 'sweep' && ids.includes(check.id)) wanted.add(check.id)
      void (sweeping ?? Promise.resolve()).then(sweeps)
    },
    /** Lets all checks look now. */
    async all() {
      for (const check of parts.checks()) if (check.pace === 'sweep') wanted.add(check.id)
      await state()
      await sweeping
      await sweeps()
    },
    runOf,
    isOn,
    setOff(id: string, isOff: boolean) {
      const { isOff: _before, ...run } = runOf(id)
      keep(isOff ? { ...run, isOff: true } : { id })
    },
    async stop() {
      stopping.abort(new Error('JARVIS stops'))
      await Promise.all([looking, sweeping])
    },
  }
}

/** What a look did not see, in words; undefined where it saw all. */
function unseenIn({ measures, unread }: Looked): string | undefined {
  const nodes = [...unread].map(([node, why]) => (node === '*' ? why : `${node}: ${why}`))
  const unseen = measures.filter(({ level }) => level === 'unseen').map(({ object }) => object.name ?? object.id)
  const lines = [...nodes.slice(0, 5), ...(unseen.length === 0 ? [] : [`not seen: ${firstOf(unseen, 5)}`])]
  return lines.length === 0 ? undefined : `${lines.join('; ').replace(/\.$/, '')}.`
}
