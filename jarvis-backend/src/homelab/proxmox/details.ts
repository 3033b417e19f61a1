import { setMaxListeners } from 'node:events'
import type { Backup, ClusterState } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import type { Shell } from '../ports.ts'
import { NodeMinute, NodeNow, rowsOf, ServerRow } from '../pve/answers.ts'
import { rightsIn } from '../pve/rights.ts'
import { NoSshSetUp } from '../ssh/credentials.ts'
import { readBackups } from './backups.ts'
import { eachOf } from './each.ts'
import type { Known } from './known.ts'
import { findSelf, type Host } from './self.ts'
import { NoSensor, readTemperature } from './temperature.ts'
import type { Api } from './transport.ts'

/** Least times between reads, ms. */
const every = {
  rightsMs: 60_000,
  backupsMs: 600_000,
  backupsAgainMs: 60_000,
  selfMs: 86_400_000,
  loadMs: 60_000,
  temperatureMs: 60_000,
  /** Loads and temperatures while nobody watches. */
  figuresIdleMs: 300_000,
}
/** Most requests of one kind after one read of the cluster. */
const mostAtOnce = 4
const answerMs = 6_000
/** Pauses for a node without a sensor, or with unreadable sensors, ms. */
const cold = { noSensorMs: 600_000, failedMs: 120_000 }

export type Details = {
  /** Reads the token's rights if they are due. Rejects only with the signal's reason. */
  learnRights(signal: AbortSignal): Promise<void>
  /** Reads details that are due, after a read of the cluster. Never rejects. */
  follow(state: ClusterState, isLive: boolean): Promise<void>
  close(): void
}

/** Reads details that the cluster's list lacks, sparsely and each node in turn, and stores them in `known`. */
export function createDetails(parts: {
  api: Api
  clock: Clock
  shell: Shell
  known: Known
  host: Host
  /** Called when something new is known. */
  changed(): void
}): Details {
  const { api, clock, shell, known } = parts
  const ending = new AbortController()
  // Each running request adds a listener.
  setMaxListeners(0, ending.signal)
  const { signal } = ending
  const askedAt = new Map<string, number>()
  let isBusy = false
  let hasNews = false

  const isDue = (what: string, afterMs: number) => {
    const last = askedAt.get(what)
    return last === undefined || clock.now() - last >= afterMs
  }
  /** The items that are due, longest unread first. */
  function due<T>(items: readonly T[], what: (item: T) => string, afterMs: number): T[] {
    return items
      .filter((item) => isDue(what(item), afterMs))
      .sort((a, b) => (askedAt.get(what(a)) ?? 0) - (askedAt.get(what(b)) ?? 0))
      .slice(0, mostAtOnce)
  }
  const quietly = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch {
      // A detail that failed is read again in a later turn.
    }
  }

  async function learnRights(asked: AbortSignal) {
    if (!isDue('rights', every.rightsMs)) return
    askedAt.set('rights', clock.now())
    await quietly(async () => {
      known.rights = rightsIn(await api.get(['access', 'permissions'], {}, { signal: asked, answerMs }))
    })
    asked.throwIfAborted()
  }

  async function self(state: ClusterState) {
    await quietly(async () => {
      known.self = await findSelf(api, state, parts.host, signal)
      askedAt.set('self', clock.now())
      hasNews ||= known.self !== undefined
    })
  }

  async function backups(state: ClusterState) {
    askedAt.set('backups', clock.now())
    await quietly(async () => {
      if (state.storages.some(({ type }) => type === 'pbs')) await quietly(writers)
      const source = { api, rights: known.rights, seen: storageNodes(known) }
      const { items, missing } = await readBackups(source, state, {}, signal)
      known.areBackupsWhole = missing.length === 0
      // Backups on an unreachable storage stay the newest known ones.
      if (known.areBackupsWhole) known.backupAt.clear()
      known.backups = known.areBackupsWhole ? items : withUnread(known.backups, items, state)
      for (const { vmid, createdAt } of [...items].reverse()) known.backupAt.set(vmid, createdAt)
      known.backupsMissing = missing.filter((line) => line.startsWith('backups on ') || line.endsWith('not reachable'))
      const isBroken = missing.some((line) => line.includes('cannot be read'))
      if (isBroken) askedAt.set('backups', clock.now() - every.backupsMs + every.backupsAgainMs)
      parts.changed()
    })
  }

  async function writers() {
    const { rows } = rowsOf(ServerRow, await api.get(['storage'], { type: 'pbs' }, { signal, answerMs }))
    known.writers = new Map(
      rows.flatMap(({ storage, username }) => (username === undefined ? [] : [[storage, username]])),
    )
  }

  async function loads(nodes: readonly string[], afterMs: number) {
    await eachOf(
      due(nodes, (node) => `load ${node}`, afterMs),
      mostAtOnce,
      (node) =>
        quietly(async () => {
          askedAt.set(`load ${node}`, clock.now())
          known.load1.delete(node)
          known.cacheBytes.delete(node)
          const { loadavg, memory } = NodeNow.parse(await api.get(['nodes', node, 'status'], {}, { signal, answerMs }))
          const load = loadavg?.[0]
          if (load !== undefined) known.load1.set(node, { value: load, at: clock.now() })
          hasNews = true
          const bytes = await cacheOf(node, memory)
          if (bytes !== undefined) known.cacheBytes.set(node, { value: bytes, at: clock.now() })
        }),
    )
  }

  /** The caches in a node's used memory, bytes: the kernel's estimate of what is available leaves out ZFS's. */
  async function cacheOf(node: string, memory: NodeNow['memory']): Promise<number | undefined> {
    const { used, total, available } = memory ?? {}
    if (used === undefined || total === undefined || available === undefined) return undefined
    const minutes = await api.get(
      ['nodes', node, 'rrddata'],
      { timeframe: 'hour', cf: 'AVERAGE' },
      { signal, answerMs },
    )
    const arc = rowsOf(NodeMinute, minutes).rows.findLast(({ arcsize }) => arcsize !== undefined)?.arcsize ?? 0
    return Math.max(0, used - (total - available)) + arc
  }

  async function temperatures(nodes: readonly string[], afterMs: number) {
    await eachOf(
      due(nodes, (node) => `heat ${node}`, afterMs),
      mostAtOnce,
      async (node) => {
        askedAt.set(`heat ${node}`, clock.now())
        try {
          const { celsius } = await readTemperature(shell, node, { signal })
          known.temperatureC.set(node, { value: celsius, at: clock.now() })
          known.temperatureMissing.delete(node)
          known.withoutSensor.delete(node)
          hasNews = true
        } catch (error) {
          if (signal.aborted) return
          hasNews = true
          known.temperatureC.delete(node)
          if (error instanceof NoSensor) known.withoutSensor.add(node)
          // Without SSH the temperature is unknown; the status page says what would help.
          else if (error instanceof NoSshSetUp) known.temperatureMissing.delete(node)
          else known.temperatureMissing.set(node, wordsOf(error))
          const restMs = error instanceof NoSensor ? cold.noSensorMs : cold.failedMs
          askedAt.set(`heat ${node}`, clock.now() + restMs - afterMs)
        }
      },
    )
  }

  return {
    learnRights,
    async follow(state, isLive) {
      if (isBusy || signal.aborted) return
      isBusy = true
      hasNews = false
      const online = state.nodes.filter(({ status }) => status === 'online').map(({ name }) => name)
      // Not awaited, because storages may be slow.
      if (isDue('backups', every.backupsMs)) void backups(state)
      await Promise.all([
        isDue('self', every.selfMs) && known.self === undefined ? self(state) : undefined,
        loads(online, isLive ? every.loadMs : every.figuresIdleMs),
        temperatures(online, isLive ? every.temperatureMs : every.figuresIdleMs),
      ])
      isBusy = false
      if (hasNews && !signal.aborted) parts.changed()
    },
    close: () => ending.abort(new Error('closed')),
  }
}

/** What was read, and what is known of storages of which nothing was. */
function withUnread(known: readonly Backup[], read: readonly Backup[], { guests }: ClusterState): Backup[] {
  const seen = new Set(read.map(({ storage }) => storage))
  const there = new Set(guests.map(({ vmid }) => vmid))
  return [...read, ...known.filter(({ storage, vmid }) => !seen.has(storage) && there.has(vmid))]
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')

/** The nodes on which each storage is available. */
export function storageNodes({ reading }: Pick<Known, 'reading'>): Map<string, string[]> {
  const nodes = new Map<string, string[]>()
  for (const { storage, node, status } of reading?.storages ?? []) {
    if (status === 'available') nodes.set(storage, [...(nodes.get(storage) ?? []), node])
  }
  return nodes
}
