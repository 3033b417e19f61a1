import { type ClusterState, type Limits, type MaintenanceWindow, usualLimits } from 'protocol'
import { onTestFinished } from 'vitest'
import { startSampler } from '../../src/homelab/sampler.ts'
import { SqliteAlertStore, SqliteCheckStore, SqliteWindowStore } from '../../src/store/sqlite/alerts.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { SqliteSampleStore } from '../../src/store/sqlite/samples/samples.ts'
import { Board } from '../../src/watch/board.ts'
import type { Check, CheckPorts } from '../../src/watch/check.ts'
import { makeChecks } from '../../src/watch/checks/index.ts'
import type { Leaning } from '../../src/watch/leaning.ts'
import type { AlertMessage } from '../../src/watch/message.ts'
import { recordedIn } from '../../src/watch/recorded.ts'
import { Rounds } from '../../src/watch/rounds.ts'
import type { Surroundings } from '../../src/watch/shown.ts'
import { Teller } from '../../src/watch/teller.ts'
import { Ticker } from '../../src/watch/ticker.ts'
import { Watch } from '../../src/watch/watch.ts'
import type { FakeClock } from './fake-clock.ts'

export const minuteMs = 60_000
/** Checks that need no more than the state. */
export const stateChecks = makeChecks().filter(({ id, pace }) => pace === 'state' && id !== 'ups')
const never = () => Promise.reject(new Error('nothing is read here'))

/** A cluster of two nodes in order, with `guests` containers on each. */
export function quietState(at: number, guests = 0): ClusterState {
  const nodes = ['pve', 'pve2'].map((name) => ({
    name,
    status: 'online' as const,
    isProtected: false,
    cpuRatio: 0.2,
    cpuCount: 8,
    ramBytes: 4,
    ramTotalBytes: 10,
    uptimeS: 100_000,
    load1: 1,
    temperatureC: 50,
  }))
  return {
    name: 'lab',
    isDemo: false,
    at,
    isQuorate: true,
    missing: [],
    tasks: [],
    nodes,
    guests: nodes.flatMap(({ name: node }, index) =>
      Array.from({ length: guests }, (_, number) => ({
        vmid: 100 * (index + 1) + number,
        name: `app${number}`,
        type: 'ct' as const,
        node,
        status: 'running' as const,
        isProtected: false,
        uptimeS: 90_000,
        cpuRatio: 0.1,
        cpuCount: 2,
        ramBytes: 1,
        ramTotalBytes: 4,
        diskBytes: 1,
        diskTotalBytes: 4,
        isHa: false,
        tags: [],
        backupAt: at - 3_600_000,
      })),
    ),
    storages: [
      {
        name: 'local',
        node: 'pve',
        type: 'zfspool',
        content: ['rootdir'],
        isActive: true,
        usedBytes: 5,
        totalBytes: 10,
      },
    ],
  }
}

/** Starts the watch without a server: its real parts over a state that the test sets, on a database that may outlive it. */
export function startWatching(options: {
  clock: FakeClock
  state: ClusterState
  checks?: readonly Check[]
  limits?: Limits
  path?: string
  samples?: CheckPorts['samples']
  /** Keeps samples each minute, as a site does, and looks at those. */
  isRecording?: boolean
  /** Objects that stand on other objects. */
  leaning?: Leaning
  /** Whom a message reaches. */
  send?: (message: AlertMessage) => Promise<string>
}) {
  const { clock, checks = stateChecks, limits = usualLimits, send = async () => '1 device' } = options
  const database = openDatabase(options.path ?? ':memory:')
  const now = () => clock.now()
  let state = options.state
  const listeners = new Set<() => void>()
  const sent: { at: number; message: AlertMessage }[] = []
  const store = new SqliteAlertStore(database)
  const windows = new SqliteWindowStore(database)
  const ring = new SqliteSampleStore(database)
  const { samples = options.isRecording ? recordedIn(ring, now) : () => [] } = options
  const board = new Board({ store, now, samples })
  const around = (): Surroundings => ({
    now: now(),
    state,
    limits,
    windows: windows.list(now()),
    checkOf: (id) => checks.find((check) => check.id === id),
    leaning: options.leaning,
  })
  const teller = new Teller({
    board,
    around,
    clock,
    announce() {},
    changed() {},
    durably: database.durably,
    untilFree: database.untilFree,
    report(error) {
      throw error
    },
    send(message) {
      sent.push({ at: now(), message })
      return send(message)
    },
  })
  const changed = () => teller.consider()
  const rounds = new Rounds({
    board,
    clock,
    changed,
    atomically: database.atomically,
    store: new SqliteCheckStore(database),
    checks: () => checks,
    ports: {
      api: { get: never },
      shell: { run: never },
      proofs: new Map(),
      samples,
      own: () => undefined,
      pools: { get: () => undefined, keep() {} },
      ask: never,
      cluster: { tasks: never, backups: never, nodeDetail: never },
    },
    state: () => state,
    limits: () => limits,
    report(error) {
      throw error
    },
  })
  const watch = new Watch({
    board,
    rounds,
    store,
    windows,
    around,
    now,
    changed,
    detail: () => ({
      samples,
      changes: async () => [],
      isOurs: () => false,
      offers: () => [],
      tasks: async () => ({ items: [], missing: [] }),
    }),
    checks: () => checks,
    hint() {},
    problems: () => [],
    record: (_body, work) => database.durably(work),
  })
  teller.resume()
  const sampler = options.isRecording
    ? startSampler({
        clock,
        store: ring,
        state: () => state,
        report(error) {
          throw error
        },
      })
    : undefined
  const ticker = new Ticker({
    clock,
    state: () => state,
    sweep: () => rounds.sweeps(),
    nextFires: () => board.nextFires(),
    async look() {
      await rounds.state()
      teller.consider()
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  })
  ticker.start()
  let isOver = false
  function stop() {
    if (isOver) return
    isOver = true
    ticker.stop()
    sampler?.stop()
    teller.stop()
    void rounds.stop()
    database.close()
  }
  onTestFinished(stop)

  return {
    watch,
    sent,
    stop,
    ring,
    leave: (ending: string) => board.leave(ending),
    bodies: () => sent.map(({ message }) => message.body),
    /** Replaces parts of the state, as a read of the cluster does. */
    set(change: Partial<ClusterState> | ((before: ClusterState) => Partial<ClusterState>)) {
      state = { ...state, ...(typeof change === 'function' ? change(state) : change), at: now() }
      for (const listener of listeners) listener()
    },
    /** `node-heat node/pve firing`, gravest first. */
    lines: () => watch.alerts().map((alert) => `${alert.check} ${alert.object.id} ${alert.state}`),
    of: (check: string) => watch.alerts().filter((alert) => alert.check === check),
    addWindow: (window: Pick<MaintenanceWindow, 'objects' | 'from' | 'until'>) =>
      watch.addWindow({ name: 'New disk', ...window }, 'lena'),
  }
}

/** The state with some values of one node changed. */
export const withNode = (name: string, change: Partial<ClusterState['nodes'][number]>) => (before: ClusterState) => ({
  nodes: before.nodes.map((node) => (node.name === name ? { ...node, ...change } : node)),
})

/** The state in which a node does not answer, as the poller reads it: what stands on it is not known. */
export const nodeLost = (name: string) => (before: ClusterState) => ({
  nodes: before.nodes.map((node) =>
    node.name === name ? { name, status: 'offline' as const, isProtected: false } : node,
  ),
  guests: before.guests.map((guest) =>
    guest.node === name
      ? { ...guest, status: 'unknown' as const, cpuRatio: null, ramBytes: null, uptimeS: null }
      : guest,
  ),
  storages: before.storages.map((storage) =>
    storage.node === name ? { ...storage, isActive: null, usedBytes: null } : storage,
  ),
})
