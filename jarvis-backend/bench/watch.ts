import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createModelApi } from 'fake-proxmox/pve-model/api'
import { createModel } from 'fake-proxmox/pve-model/model'
import { FakeHost } from 'fake-proxmox/server/pve-host'
import { fakeSeeds } from 'fake-proxmox/server/seeds'
import { World } from 'fake-proxmox/server/world'
import type { PveReader } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import { type ClusterState, usualLimits } from 'protocol'
import { SqliteAlertStore, SqliteCheckStore } from '../src/store/sqlite/alerts.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { Board } from '../src/watch/board.ts'
import { makeChecks } from '../src/watch/checks/index.ts'
import { LeaningReader } from '../src/watch/read-leaning.ts'
import { Rounds } from '../src/watch/rounds.ts'
import type { Row } from './rows.ts'

const nodes = 50
const guests = 2_000
const minutes = 20
const minuteMs = 60_000
const hourMs = 3_600_000

/** All checks over a large cluster in memory, in this process: nothing of it waits, so all time is the checks' own. */
export const watchRow = (): Row => ({
  name: 'watch',
  lines: [
    { title: `all checks, ${nodes} nodes, ${guests.toLocaleString('en')} guests: % of a core`, most: 3 },
    { title: 'requests to the cluster of one sweep, for each guest and node', most: 3 },
  ],
  ours: watching,
})

async function watching(): Promise<number[]> {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-bench-'))
  const database = openDatabase(join(dir, 'jarvis.db'))
  const signal = new AbortController().signal
  try {
    const options = {
      anchor: Date.now(),
      speed: 1,
      proxyDelayMs: 0,
      denyDelayMs: 0,
      nodes,
      guests,
      entries: 1,
      isOld: false,
    }
    const world = new World({ ...options, token: 'x' }, systemClock)
    const host = new FakeHost(world)
    const model = createModelApi(createModel(host, fakeSeeds), {
      now: Date.now,
      wait: async () => {},
      arrive: async () => {},
      record() {},
    })
    let requests = 0
    const api: PveReader = {
      get(path, query, ask) {
        requests += 1
        return model.get(path, query, ask)
      },
    }
    const state = stateOf(host)
    const leaning = new LeaningReader({ store: { read: () => undefined, write() {} }, named: () => [] })
    const rounds = new Rounds({
      checks: makeChecks,
      store: new SqliteCheckStore(database),
      board: new Board({ store: new SqliteAlertStore(database), now: Date.now, samples: () => [] }),
      ports: {
        api,
        shell: { run: async () => ({ stdout: '', stderr: 'not found', exitCode: 127, truncated: false }) },
        cluster: {
          tasks: async () => ({ items: [], missing: [] }),
          backups: async () => ({ items: [], missing: [] }),
          nodeDetail: async (name) => ({ name, rootBytes: 10, rootTotalBytes: 100 }),
        },
        proofs: new Map(),
        samples: () => [],
        pools: { get: () => undefined, keep() {} },
        own: () => undefined,
        ask: async () => ({}),
      },
      state: () => state,
      limits: () => usualLimits,
      clock: systemClock,
      atomically: database.atomically,
      report(error) {
        throw error
      },
      changed() {},
      survey: (ports) => leaning.look(ports),
    })
    signal.throwIfAborted()
    const swept = await cpuMsOf(() => rounds.all())
    const looked = await cpuMsOf(async () => {
      for (let minute = 0; minute < minutes; minute += 1) {
        for (const guest of state.guests) guest.cpuRatio = Math.random()
        await rounds.state()
      }
    })
    await rounds.stop()
    return [(looked / minutes / minuteMs + swept / hourMs) * 100, requests / (nodes + guests)]
  } finally {
    database.close()
    rmSync(dir, { recursive: true })
  }
}

async function cpuMsOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** As the poller would have it. The demo's flag leaves out the pauses of a sweep, which cost nothing. */
function stateOf(host: FakeHost): ClusterState {
  const at = Date.now()
  return {
    name: 'bench',
    isDemo: true,
    at,
    tasks: [],
    isQuorate: true,
    missing: [],
    nodes: host.nodes().map(({ name }) => ({
      name,
      status: 'online',
      isProtected: false,
      cpuRatio: 0.2,
      temperatureC: 50,
      ramBytes: 10,
      ramTotalBytes: 100,
    })),
    guests: host.guests().map(({ vmid, name, node, type, status }) => ({
      vmid,
      name,
      node,
      status,
      type: type === 'qemu' ? 'vm' : 'ct',
      isProtected: false,
      uptimeS: 100_000,
      cpuRatio: 0.1,
      cpuCount: 2,
      ramBytes: 1,
      ramTotalBytes: 2,
      diskBytes: 1,
      diskTotalBytes: 2,
      isHa: false,
      tags: [],
      backupAt: at - hourMs,
    })),
    storages: host.storages().map(({ name, type, content }) => ({
      name,
      type,
      content: [...content],
      isActive: true,
      usedBytes: 1,
      totalBytes: 2,
    })),
  }
}
