import { join } from 'node:path'
import type { Registry } from 'house'
import type { PersonRef } from 'protocol'
import type { Shown } from '../auth/closed-words.ts'
import type { Gate } from '../calls/room.ts'
import type { Drills } from '../drill/drills.ts'
import type { Foundation } from '../foundation.ts'
import type { ComposedHomelab } from '../homelab/room.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'
import { alertRoutes } from '../http/alerts.ts'
import { checkRoutes } from '../http/checks.ts'
import { windowRoutes } from '../http/windows.ts'
import { oldBefore } from '../lib/clock.ts'
import type { Library } from '../runbooks/library.ts'
import { SqliteAlertStore, SqliteCheckStore, SqliteWindowStore } from '../store/sqlite/alerts.ts'
import { SqliteLeaningStore } from '../store/sqlite/leaning.ts'
import type { Catalog } from '../tools/catalog.ts'
import { withPorts } from '../tools/tool.ts'
import { watchTools } from '../tools/watch/index.ts'
import { AlertFacts } from './adapters/alert-facts.ts'
import { announce } from './adapters/alert-feed.ts'
import { AlertPage } from './adapters/alert-page.ts'
import { poolsKey, toolProblem, watchedPorts } from './adapters/check-ports.ts'
import type { AlertStore, WindowStore } from './alert.ts'
import { Board } from './board.ts'
import type { Check } from './check.ts'
import { makeChecks } from './checks/index.ts'
import { Hints } from './hint.ts'
import { OwnChecksFile } from './own-checks.ts'
import { LeaningReader } from './read-leaning.ts'
import { recordedIn } from './recorded.ts'
import { Rounds } from './rounds.ts'
import type { Surroundings } from './shown.ts'
import { Teller } from './teller.ts'
import { Ticker } from './ticker.ts'
import { Watch } from './watch.ts'

/** Time that ended alerts are kept, ms. */
const historyMs = 365 * 24 * 3_600_000

/** The parts of earlier rooms that the watch needs. */
export type WatchNeeds = {
  foundation: Foundation
  homelab: ComposedHomelab
  drills: Pick<Drills, 'proofs'>
  gate: Pick<Gate, 'changes' | 'executor' | 'world'>
  catalog: Pick<Catalog, 'get'>
  /** The checks of all rooms. */
  checks: Pick<Registry<Check>, 'list'>
  /** Checks that replace the shipped ones. */
  shipped?: readonly Check[] | undefined
  runbooks: Pick<Library, 'offers'>
  /** Limits a change to the words that a person may read. */
  shown(person: PersonRef): Pick<Shown, 'change'>
  /** The tokens that JARVIS uses at the cluster. Tasks of these tokens are JARVIS's own. */
  tokens: readonly (string | undefined)[]
  facts: JarvisFacts
}

/** The watch: checks, their rounds, alerts, silences and windows. Tells `alert.due`; hears `alert.told`, `cluster.left` and `files.changed`. */
export const watchRoom = defineRoom({
  name: 'watch',
  open(needs: WatchNeeds) {
    const { facts, foundation, homelab } = needs
    const { cluster } = homelab
    const opened = openWatch(needs)
    const { watch, board, rounds, teller, own } = opened
    // If checks.yaml is broken, `reload` leaves the earlier checks in force.
    facts.on('files.changed', () => {
      if (!own.reload()) return
      opened.closeGone()
      opened.changed()
    })
    facts.on('cluster.left', () => leaveCluster(opened, foundation))
    const ticker = new Ticker({
      clock: foundation.clock,
      state: () => cluster.state(),
      sweep: () => rounds.sweeps(),
      nextFires: () => board.nextFires(),
      async look() {
        await rounds.state()
        // Time alone can end a silence or a window.
        teller.consider()
      },
      watch: (listener) => cluster.watch(listener, 'idle'),
    })
    return {
      watch,
      contributes: {
        checks: needs.shipped ?? makeChecks(),
        tools: withPorts(watchTools, {
          alerts: () => watch.list(),
          ended: (limit: number) => watch.history({ limit }).items,
          acknowledge: (id: string, by: string) => watch.acknowledge(id, {}, by),
          silence: (id: string, by: string, given: { until: number; note: string }) => watch.silence(id, given, by),
        }),
        routes: [...alertRoutes(watch, needs.shown), ...checkRoutes(watch), ...windowRoutes(watch)],
      },
      resume: () => void own.reload(),
      start() {
        opened.store.prune(oldBefore(foundation.clock, historyMs))
        opened.closeGone()
        teller.resume()
        ticker.start()
      },
      async stop() {
        ticker.stop()
        teller.stop()
        await rounds.stop()
      },
    }
  },
})

type Opened = {
  watch: Watch
  board: Board
  rounds: Rounds
  teller: Teller
  own: OwnChecksFile
  leaning: LeaningReader
  store: AlertStore
  windows: WindowStore
  /** Reports a change to clients, and plans messages. */
  changed(): void
  /** Ends the alerts of checks that no longer exist. */
  closeGone(): void
}

function openWatch(needs: WatchNeeds): Opened {
  const { foundation, drills, gate, homelab } = needs
  const { clock, now, database, journal, redactor, report } = foundation
  const { cluster, limits } = homelab
  const store = new SqliteAlertStore(database)
  const windows = new SqliteWindowStore(database)
  const own = ownChecksOf(needs)
  const checks = () => [...needs.checks.list(), ...own.checks()]
  const samples = recordedIn(homelab.samples, now)
  const board = new Board({ store, now, samples })
  const leaning = new LeaningReader({
    store: new SqliteLeaningStore(database),
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
  const teller = openTeller(needs, { board, around })
  const changed = () => {
    foundation.activity.changed({ what: 'alerts' })
    teller.consider()
  }
  const rounds = new Rounds({
    checks,
    board,
    clock,
    report,
    changed,
    ports: watchedPorts({ homelab, foundation, drills, gate, samples }),
    store: new SqliteCheckStore(database),
    state: () => cluster.state(),
    limits: () => limits.current(),
    atomically: (work) => database.atomically(work),
    survey: (ports) => leaning.look(ports),
  })
  const hints = new Hints({ checks, clock, soon: (ids) => rounds.soon(ids) })
  const watch = new Watch({
    hint: (type) => hints.hear(type),
    detail: (shown) => new AlertPage({ ...needs, samples, shown }),
    checks,
    board,
    rounds,
    store,
    windows,
    around,
    now,
    changed,
    problems: () => own.problems(),
    record: (body, work) =>
      database.durably(() => {
        work()
        journal.append('alert', redactor.value(body))
      }),
  })
  function closeGone() {
    const known = new Set(checks().map(({ id }) => id))
    board.close(({ check }) => !known.has(check), 'The check is no longer there.')
  }
  return { watch, board, rounds, teller, own, leaning, store, windows, changed, closeGone }
}

const ownChecksOf = ({ foundation, checks, catalog }: Pick<WatchNeeds, 'foundation' | 'checks' | 'catalog'>) =>
  new OwnChecksFile(join(foundation.dataDir, 'checks.yaml'), () => ({
    taken: new Set(checks.list().map(({ id }) => id)),
    toolProblem: (name, input) => toolProblem(catalog, name, input),
  }))

function openTeller({ foundation, facts }: WatchNeeds, parts: { board: Board; around(): Surroundings }): Teller {
  const { clock, database, activity, report, redact } = foundation
  const told = new AlertFacts(facts, redact)
  return new Teller({
    ...parts,
    clock,
    changed: () => activity.changed({ what: 'alerts' }),
    announce: (alerts) => announce(alerts, foundation),
    durably: (work) => database.durably(work),
    untilFree: (forever) => database.untilFree(forever),
    report,
    send: (message) => told.send(message),
  })
}

/** Ends everything that was known about the earlier cluster. */
function leaveCluster(
  { board, leaning, windows }: Pick<Opened, 'board' | 'leaning' | 'windows'>,
  { database, settings, journal, now }: Foundation,
): void {
  database.durably(() => {
    board.leave('Another cluster is connected.')
    leaning.forget()
    settings.set(poolsKey, '{}')
    for (const { id } of windows.list(now())) {
      windows.remove(id)
      journal.append('alert', { change: 'window_removed', window: id, by: 'jarvis' })
    }
  })
}
