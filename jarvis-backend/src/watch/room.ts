import { join } from 'node:path'
import type { Registry } from 'house'
import { type AlertObject, type Change, type PersonRef, readAs, type ToolInput } from 'protocol'
import type { Shown } from '../auth/closed-words.ts'
import type { Gate } from '../calls/room.ts'
import type { Drills } from '../drill/drills.ts'
import type { Foundation } from '../foundation.ts'
import { Mistake } from '../gate/index.ts'
import type { ComposedHomelab } from '../homelab/room.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'
import { alertRoutes } from '../http/alerts.ts'
import { checkRoutes } from '../http/checks.ts'
import { windowRoutes } from '../http/windows.ts'
import { oldBefore } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Library } from '../runbooks/library.ts'
import { createAlertStore, createCheckStore, createWindowStore } from '../store/sqlite/alerts.ts'
import { SqliteExecutionStore } from '../store/sqlite/calls/confirmations.ts'
import { createLeaningStore } from '../store/sqlite/leaning.ts'
import type { Catalog } from '../tools/catalog.ts'
import { withPorts } from '../tools/tool.ts'
import { watchTools } from '../tools/watch/index.ts'
import type { StoredAlert } from './alert.ts'
import { Board } from './board.ts'
import type { Check, CheckPorts, SeenPool } from './check.ts'
import { makeChecks } from './checks/index.ts'
import type { DetailPorts } from './detail.ts'
import { createHints } from './hint.ts'
import type { AlertMessage } from './message.ts'
import { createOwnChecks } from './own-checks.ts'
import { createLeaningReader } from './read-leaning.ts'
import { recordedIn } from './recorded.ts'
import { Rounds, type WatchedPorts } from './rounds.ts'
import type { Surroundings } from './shown.ts'
import { Teller } from './teller.ts'
import { startTicker } from './ticker.ts'
import { Watch } from './watch.ts'

/** How long ended alerts are kept, ms. */
const historyMs = 365 * 24 * 3_600_000
/** Longest time that an own check's tool may take, ms. */
const askMs = 60_000
/** Longest time that the tasks around an alert are waited for, ms. */
const tasksForMs = 10_000
/** By the cluster's clock, a task may begin this much before or after its call, ms. */
const slackMs = 5 * 60_000
const poolsKey = 'zfs_pools'
/** Checks that the cluster's own notices tell of in the activity. */
const noticed = new Set(['cluster-away', 'node-away', 'quorum', 'storage-full', 'backup-old', 'backup-failed'])

/** Everything that the watch needs of earlier rooms. */
export type WatchNeeds = {
  foundation: Foundation
  homelab: ComposedHomelab
  drills: Pick<Drills, 'proofs'>
  gate: Pick<Gate, 'changes' | 'executor' | 'world'>
  catalog: Pick<Catalog, 'get'>
  /** The checks of all rooms. */
  checks: Pick<Registry<Check>, 'list'>
  /** Checks in place of the shipped ones. */
  shipped?: readonly Check[] | undefined
  runbooks: Pick<Library, 'offers'>
  /** Limits a change to the words that a person may read. */
  shown(person: PersonRef): Pick<Shown, 'change'>
  /** The tokens that JARVIS uses at the cluster: their tasks are JARVIS's own. */
  tokens: readonly (string | undefined)[]
  facts: JarvisFacts
}

/** The watch: checks, their rounds, alerts, silences and windows. Tells `alert.due`; hears `alert.told`, `cluster.left` and `files.changed`. */
export const watchRoom = defineRoom({
  name: 'watch',
  open(needs: WatchNeeds) {
    const { foundation, facts, drills, gate } = needs
    const { clock, now, dataDir, database, journal, redactor, report, activity, settings } = foundation
    const { cluster, limits, samples } = needs.homelab
    const store = createAlertStore(database)
    const windows = createWindowStore(database)
    const own = createOwnChecks(join(dataDir, 'checks.yaml'), () => ({
      taken: new Set(needs.checks.list().map(({ id }) => id)),
      toolProblem: (name, input) => toolProblem(needs.catalog, name, input),
    }))
    const checks = () => [...needs.checks.list(), ...own.checks()]
    const shown = () => activity.changed({ what: 'alerts' })
    const recorded = recordedIn(samples, now)
    const board = new Board({ store, now, samples: recorded })
    const leaning = createLeaningReader({
      store: createLeaningStore(database),
      named: () => gate.world().policy.topology.storage ?? [],
    })
    const around = (): Surroundings => ({
      now: now(),
      state: cluster.state(),
      limits: limits.current(),
      windows: windows.list(now()),
      checkOf: (id) => checks().find((check) => check.id === id),
      leaning: leaning.now(),
    })
    const teller = new Teller({
      board,
      around,
      clock,
      changed: shown,
      announce: (alerts) => announce(alerts, foundation),
      durably: database.durably,
      untilFree: database.untilFree,
      report,
      send: sendAsFact(facts, foundation.redact),
    })
    const changed = () => {
      shown()
      teller.consider()
    }
    const rounds = new Rounds({
      checks,
      board,
      clock,
      report,
      changed,
      ports: watchedPorts({ homelab: needs.homelab, foundation, drills, gate, samples: recorded }),
      store: createCheckStore(database),
      state: cluster.state,
      limits: limits.current,
      atomically: database.atomically,
      survey: leaning.look,
    })
    const watch = new Watch({
      hint: createHints({ checks, clock, soon: (ids) => rounds.soon(ids) }),
      detail: (shownChange) => detailPorts(needs, recorded, shownChange),
      checks,
      board,
      rounds,
      store,
      windows,
      around,
      now,
      changed,
      problems: own.problems,
      record: (body, work) =>
        database.durably(() => {
          work()
          journal.append('alert', redactor.value(body))
        }),
    })
    /** Ends the alerts of checks that no longer exist. */
    function closeGone() {
      const known = new Set(checks().map(({ id }) => id))
      board.close(({ check }) => !known.has(check), 'The check is no longer there.')
    }
    // A broken checks.yaml changes nothing.
    facts.on('files.changed', () => {
      if (!own.reload()) return
      closeGone()
      changed()
    })
    facts.on('cluster.left', () =>
      database.durably(() => {
        board.leave('Another cluster is connected.')
        leaning.forget()
        settings.set(poolsKey, '{}')
        for (const { id } of windows.list(now())) {
          windows.remove(id)
          journal.append('alert', { change: 'window_removed', window: id, by: 'jarvis' })
        }
      }),
    )
    let ticker: ReturnType<typeof startTicker> | undefined
    return {
      watch,
      contributes: {
        checks: needs.shipped ?? makeChecks(),
        tools: withPorts(watchTools, {
          alerts: () => watch.list(),
          ended: (limit: number) => watch.history({ limit }).items,
        }),
        routes: [...alertRoutes(watch, needs.shown), ...checkRoutes(watch), ...windowRoutes(watch)],
      },
      resume: () => void own.reload(),
      start() {
        store.prune(oldBefore(clock, historyMs))
        closeGone()
        teller.resume()
        ticker = startTicker({
          clock,
          state: cluster.state,
          sweep: () => rounds.sweeps(),
          nextFires: () => board.nextFires(),
          async look() {
            await rounds.state()
            // Time alone ends a silence or a window.
            teller.consider()
          },
          watch: (listener) => cluster.watch(listener, 'idle'),
        })
      },
      async stop() {
        ticker?.stop()
        teller.stop()
        await rounds.stop()
      },
    }
  },
})

/** The reason why a check cannot use a tool; undefined if it can. */
function toolProblem(catalog: Pick<Catalog, 'get'>, name: string, input: ToolInput): string | undefined {
  const tool = catalog.get(name)
  if (tool === undefined) return 'is the name of no tool'
  if (tool.tier !== 'green') return 'changes something, and a check only reads'
  const read = readAs(tool.input, input)
  return read.ok ? undefined : `cannot be asked so: ${read.problem.replace(/\.$/, '')}`
}

/** Sends a message of alerts as the fact `alert.due`, and resolves with the words of its `alert.told`. */
function sendAsFact(facts: JarvisFacts, redact: (text: string) => string) {
  const due = facts.teller('alert.due')
  const waiting = new Map<string, (words: string) => void>()
  facts.on('alert.told', ({ id, words }) => {
    waiting.get(id)?.(redact(words))
    waiting.delete(id)
  })
  return (message: AlertMessage) =>
    new Promise<string>((resolve) => {
      const id = newId('tell')
      waiting.set(id, resolve)
      due({ id, message })
    })
}

/** Writes alerts to the activity feed, except those that the cluster's own notices tell of. */
function announce(alerts: readonly StoredAlert[], { activity, now }: Pick<Foundation, 'activity' | 'now'>) {
  for (const { check, sentence, severity, due, object, ending = '' } of alerts) {
    if (noticed.has(check)) continue
    const isOver = due?.what === 'resolved'
    activity.record({
      at: now(),
      kind: 'alert',
      level: isOver ? 'info' : severity === 'failed' ? 'error' : 'warning',
      text: isOver ? `Resolved: ${sentence} ${ending}` : sentence,
      ...(object.node !== undefined && { node: object.node }),
      ...(object.vmid !== undefined && { vmid: object.vmid }),
    })
  }
}

/** The reads that checks may use beside the state of the cluster. */
function watchedPorts({
  foundation: { settings },
  homelab: { cluster, homelab },
  drills,
  gate,
  samples,
}: Pick<WatchNeeds, 'foundation' | 'homelab' | 'drills' | 'gate'> & Pick<CheckPorts, 'samples'>): WatchedPorts {
  const seenPools = () => JSON.parse(settings.get(poolsKey) ?? '{}') as Record<string, SeenPool>
  return {
    api: homelab.api,
    pools: {
      get: (id) => seenPools()[id],
      keep: (id, pool) => settings.set(poolsKey, JSON.stringify({ ...seenPools(), [id]: pool })),
    },
    pbs: homelab.pbs,
    cluster,
    shell: homelab.shell,
    get proofs() {
      // A proof that may be another guest's proves nothing.
      const own = drills.proofs().items.filter(({ doubt }) => doubt === undefined)
      return new Map(own.map((proof) => [proof.vmid, proof]))
    },
    samples,
    async ask(toolName, toolInput) {
      const signal = AbortSignal.timeout(askMs)
      const principal = { kind: 'check', name: 'checks.yaml' }
      try {
        const { output } = await gate.executor.read({ toolName, toolInput }, { principal, signal })
        return output.isError === true ? { problem: output.summary } : { data: output.data }
      } catch (error) {
        if (!(error instanceof Mistake)) throw error
        return { problem: error.message }
      }
    },
    own(vmid, snapshot) {
      const later = gate.changes
        .later()
        .find(({ toolName, input }) => toolName === 'delete_snapshot' && input.vmid === vmid && input.name === snapshot)
      return later && { until: later.at }
    },
  }
}

/** The reads of the page of one alert. @param shown limits a change to the words that the reader may see */
function detailPorts(
  { foundation, homelab: { cluster }, gate, tokens, runbooks }: WatchNeeds,
  samples: DetailPorts['samples'],
  shown: (change: Change) => Change,
): DetailPorts {
  const executions = new SqliteExecutionStore(foundation.database)
  return {
    samples,
    async changes(targets, from, to) {
      const found = targets.flatMap((target) => gate.changes.list({ target, limit: 20, before: to + 1 }))
      return Promise.all(
        found
          .filter(({ at }) => at >= from)
          .map(shown)
          .map(async ({ id, at, sentence, requestedBy }) => {
            const [entry] = (await foundation.journal.page({ toolUseId: id, limit: 1 })).items
            return { at, sentence, by: requestedBy.name, isOurs: true, ...(entry && { entry: entry.seq }) }
          }),
      )
    },
    tasks: (node) =>
      cluster.tasks({ limit: 200, ...(node !== undefined && { node }) }, { signal: AbortSignal.timeout(tasksForMs) }),
    isOurs: ({ upid, user, startedAt }) => tokens.includes(user) || executions.upids(startedAt - slackMs).has(upid),
    offers: ({ check, object, inputs }, names) =>
      runbooks.offers(check, { object: offerable(object), runbooks: names, ...(inputs && { inputs }) }),
  }
}

/** An alert's object without the parts that are unknown. */
const offerable = ({ id, name, node, vmid }: AlertObject) => ({
  id,
  name,
  ...(node !== undefined && { node }),
  ...(vmid !== undefined && { vmid }),
})
