import { join } from 'node:path'
import type { Shown } from '../auth/closed-words.ts'
import type { Drills } from '../drill/drills.ts'
import { Mistake } from '../gate/index.ts'
import { alertRoutes } from '../http/alerts.ts'
import { checkRoutes } from '../http/checks.ts'
import { windowRoutes } from '../http/windows.ts'
import { oldBefore } from '../lib/clock.ts'
import { type AlertObject, type Change, type PersonRef, readAs, type ToolInput } from '../protocol/index.ts'
import type { Library } from '../runbooks/library.ts'
import { createAlertStore, createCheckStore, createWindowStore } from '../store/sqlite/alerts.ts'
import { createExecutionStore } from '../store/sqlite/calls/confirmations.ts'
import { createLeaningStore } from '../store/sqlite/leaning.ts'
import type { Catalog } from '../tools/catalog.ts'
import type { StoredAlert } from '../watch/alert.ts'
import { createBoard } from '../watch/board.ts'
import type { SeenPool } from '../watch/check.ts'
import { makeChecks } from '../watch/checks/index.ts'
import type { DetailPorts } from '../watch/detail.ts'
import { createHints } from '../watch/hint.ts'
import { reachedWords } from '../watch/message.ts'
import { createOwnChecks } from '../watch/own-checks.ts'
import { createLeaningReader } from '../watch/read-leaning.ts'
import { recordedIn } from '../watch/recorded.ts'
import { createRounds, type WatchedPorts } from '../watch/rounds.ts'
import type { Surroundings } from '../watch/shown.ts'
import { createTeller } from '../watch/teller.ts'
import { startTicker } from '../watch/ticker.ts'
import { createWatch } from '../watch/watch.ts'
import type { Foundation } from './foundation.ts'
import type { Gate } from './gate.ts'
import type { ComposedHomelab } from './homelab.ts'
import type { Tellers } from './tellers.ts'

const historyMs = 365 * 24 * 3_600_000

const askMs = 60_000
const tasksForMs = 10_000
/** A task begins a little before or after its call, by the cluster's clock, ms. */
const slackMs = 5 * 60_000
const poolsKey = 'zfs_pools'
const noticed = new Set(['cluster-away', 'node-away', 'quorum', 'storage-full', 'backup-old', 'backup-failed'])

/** Wires the checks, their rounds and the alerts. */
export function composeWatch(
  foundation: Foundation,
  parts: {
    homelab: ComposedHomelab
    drills: Pick<Drills, 'proofs'>
    gate: Pick<Gate, 'changes' | 'executor' | 'world'>
    catalog: Pick<Catalog, 'get'>
    push: Pick<Tellers, 'tell'>
    runbooks: Pick<Library, 'offers'>
    shown(person: PersonRef): Pick<Shown, 'change'>
    /** The tokens that JARVIS asks the cluster with: tasks of theirs are its own. */
    tokens: readonly (string | undefined)[]
  },
) {
  const { clock, now, dataDir, database, journal, redactor, report, activity, settings } = foundation
  const { cluster, limits, samples, homelab } = parts.homelab
  const store = createAlertStore(database)
  const windows = createWindowStore(database)
  const shipped = makeChecks()
  function toolProblem(name: string, input: ToolInput): string | undefined {
    const tool = parts.catalog.get(name)
    if (tool === undefined) return 'is the name of no tool'
    if (tool.tier !== 'green') return 'changes something, and a check only reads'
    const read = readAs(tool.input, input)
    return read.ok ? undefined : `cannot be asked so: ${read.problem.replace(/\.$/, '')}`
  }
  const own = createOwnChecks(join(dataDir, 'checks.yaml'), {
    taken: new Set(shipped.map(({ id }) => id)),
    toolProblem,
  })
  const checks = () => [...shipped, ...own.checks()]
  const shown = () => activity.changed({ what: 'alerts' })
  const changed = () => {
    shown()
    teller.consider()
  }
  const recorded = recordedIn(samples, now)
  const board = createBoard({ store, now, samples: recorded })
  const seenPools = () => JSON.parse(settings.get(poolsKey) ?? '{}') as Record<string, SeenPool>
  const ports: WatchedPorts = {
    api: homelab.api,
    pools: {
      get: (id) => seenPools()[id],
      keep: (id, pool) => settings.set(poolsKey, JSON.stringify({ ...seenPools(), [id]: pool })),
    },
    ...(homelab.pbs && { pbs: homelab.pbs }),
    cluster,
    shell: homelab.shell,
    get proofs() {
      return new Map(parts.drills.proofs().items.map((proof) => [proof.vmid, proof]))
    },
    samples: recorded,
    async ask(toolName, toolInput) {
      const signal = AbortSignal.timeout(askMs)
      const principal = { kind: 'check', name: 'checks.yaml' }
      try {
        const { output } = await parts.gate.executor.read({ toolName, toolInput }, { principal, signal })
        return output.isError === true ? { problem: output.summary } : { data: output.data }
      } catch (error) {
        if (!(error instanceof Mistake)) throw error
        return { problem: error.message }
      }
    },
    own(vmid, snapshot) {
      const later = parts.gate.changes
        .later()
        .find(({ toolName, input }) => toolName === 'delete_snapshot' && input.vmid === vmid && input.name === snapshot)
      return later && { until: later.at }
    },
  }
  const leaning = createLeaningReader({
    store: createLeaningStore(database),
    named: () => parts.gate.world().policy.topology.storage ?? [],
  })
  const around = (): Surroundings => ({
    now: now(),
    state: cluster.state(),
    limits: limits.current(),
    windows: windows.list(now()),
    checkOf: (id) => checks().find((check) => check.id === id),
    leaning: leaning.now(),
  })
  const teller = createTeller({
    ...{ board, around, clock, announce, changed: shown },
    durably: database.durably,
    untilFree: database.untilFree,
    report,
    send: async (message) => foundation.redact(reachedWords(await parts.push.tell({ ...message, kind: 'alert' }))),
  })
  const rounds = createRounds({
    ...{ checks, board, ports, clock, report, changed },
    store: createCheckStore(database),
    state: cluster.state,
    limits: limits.current,
    atomically: database.atomically,
    survey: leaning.look,
  })
  const executions = createExecutionStore(database)
  const detail = (shown: (change: Change) => Change): DetailPorts => ({
    samples: ports.samples,
    async changes(targets, from, to) {
      const found = targets.flatMap((target) => parts.gate.changes.list({ target, limit: 20, before: to + 1 }))
      return Promise.all(
        found
          .filter(({ at }) => at >= from)
          .map(shown)
          .map(async ({ id, at, sentence, requestedBy }) => {
            const [entry] = (await journal.page({ toolUseId: id, limit: 1 })).items
            return { at, sentence, by: requestedBy.name, isOurs: true, ...(entry && { entry: entry.seq }) }
          }),
      )
    },
    tasks: (node) =>
      cluster.tasks({ limit: 200, ...(node !== undefined && { node }) }, { signal: AbortSignal.timeout(tasksForMs) }),
    isOurs: ({ upid, user, startedAt }) =>
      parts.tokens.includes(user) || executions.upids(startedAt - slackMs).has(upid),
    offers: ({ check, object, inputs }, names) =>
      parts.runbooks.offers(check, { object: offerable(object), runbooks: names, ...(inputs && { inputs }) }),
  })
  const watch = createWatch({
    hint: createHints({ checks, clock, soon: rounds.soon }),
    detail,
    ...{ checks, board, rounds, store, windows, around, now, changed },
    problems: own.problems,
    record: (body, work) =>
      database.durably(() => {
        work()
        journal.append('alert', redactor.value(body))
      }),
  })
  /** Ends the alerts of checks that are there no more. */
  function closeGone() {
    const known = new Set(checks().map(({ id }) => id))
    board.close(({ check }) => !known.has(check), 'The check is no longer there.')
  }
  /** The activity does not repeat what the cluster's own notices have said. */
  function announce(alerts: readonly StoredAlert[]) {
    for (const { check, sentence, severity, due, object, ending = '' } of alerts) {
      if (noticed.has(check)) continue
      const isOver = due?.what === 'resolved'
      activity.record({
        ...{ at: now(), kind: 'alert', level: isOver ? 'info' : severity === 'failed' ? 'error' : 'warning' },
        text: isOver ? `Resolved: ${sentence} ${ending}` : sentence,
        ...(object.node !== undefined && { node: object.node }),
        ...(object.vmid !== undefined && { vmid: object.vmid }),
      })
    }
  }
  let ticker: ReturnType<typeof startTicker> | undefined

  return {
    ...watch,
    routes: { alerts: alertRoutes(watch, parts.shown), checks: checkRoutes(watch), windows: windowRoutes(watch) },
    /** Reads `checks.yaml` again. A broken one changes nothing. */
    reload() {
      if (!own.reload()) return
      closeGone()
      changed()
    },
    /** Another cluster is connected, where the same names are other things. */
    leaveCluster() {
      database.durably(() => {
        board.leave('Another cluster is connected.')
        leaning.forget()
        settings.set(poolsKey, '{}')
        for (const { id } of windows.list(now())) {
          windows.remove(id)
          journal.append('alert', { change: 'window_removed', window: id, by: 'jarvis' })
        }
      })
    },
    /** Begins to look. */
    start() {
      store.prune(oldBefore(clock, historyMs))
      closeGone()
      teller.resume()
      // Time alone ends a silence or a window.
      const look = async () => {
        await rounds.state()
        teller.consider()
      }
      ticker = startTicker({
        ...{ clock, state: cluster.state, look, sweep: rounds.sweeps, nextFires: board.nextFires },
        watch: (listener) => cluster.watch(listener, 'idle'),
      })
    },
    async stop() {
      ticker?.stop()
      teller.stop()
      await rounds.stop()
    },
  }
}

/** Without what is not known of it. */
const offerable = ({ id, name, node, vmid }: AlertObject) => ({
  id,
  ...(name !== undefined && { name }),
  ...(node !== undefined && { node }),
  ...(vmid !== undefined && { vmid }),
})

export type ComposedWatch = ReturnType<typeof composeWatch>
