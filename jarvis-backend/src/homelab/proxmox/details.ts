import { setMaxListeners } from 'node:events'
import type { Shell } from 'homelab-ports/ports'
import type { Backup, ClusterState } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import { NodeMinute, NodeNow, rowsOf, ServerRow } from '../pve/answers.ts'
import { rightsIn } from '../pve/rights.ts'
import { NoSshSetUp } from '../ssh/credentials.ts'
import { readBackups } from './backups.ts'
import { eachOf } from './each.ts'
import type { Known } from './known.ts'
import { findSelf, type Host } from './self.ts'
import { NoSensor, readTemperature } from './temperature.ts'
import type { Api } from './transport.ts'

/** Shortest times between two reads of the same detail, ms. */
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
/** Maximum number of requests of one kind that follow one read of the cluster. */
const mostAtOnce = 4
const answerMs = 6_000
/** Pauses before the next temperature read, ms: of a node without a sensor, and of a node whose sensors could not be read. */
const cold = { noSensorMs: 600_000, failedMs: 120_000 }

export type Details = {
  /** Reads the token's rights if a read is due. Rejects only with the signal's reason. */
  learnRights(signal: AbortSignal): Promise<void>
  /** Call it after each read of the cluster: reads the details that are due. Never rejects. */
  follow(state: ClusterState, isLive: boolean): Promise<void>
  close(): void
}

/** The sources of the details, and the place where they are kept. */
export type DetailParts = {
  api: Api
  clock: Clock
  shell: Shell
  known: Known
  host: Host
  /** Called after new details were read. */
  changed(): void
}

/** Reads details that the cluster's list lacks, and stores them in `known`. Asks seldom, and one node after the other. */
export class DetailReader implements Details {
  readonly #parts: DetailParts
  readonly #ending = new AbortController()
  readonly #askedAt = new Map<string, number>()
  #isBusy = false
  #hasNews = false

  constructor(parts: DetailParts) {
    this.#parts = parts
    // Turn off Node's warning about many listeners: each running request adds one.
    setMaxListeners(0, this.#signal)
  }

  async learnRights(asked: AbortSignal): Promise<void> {
    if (!this.#isDue('rights', every.rightsMs)) return
    const { api, known } = this.#parts
    this.#note('rights')
    await quietly(async () => {
      known.rights = rightsIn(await api.get(['access', 'permissions'], {}, { signal: asked, answerMs }))
    })
    asked.throwIfAborted()
  }

  async follow(state: ClusterState, isLive: boolean): Promise<void> {
    if (this.#isBusy || this.#signal.aborted) return
    this.#isBusy = true
    this.#hasNews = false
    const online = state.nodes.filter(({ status }) => status === 'online').map(({ name }) => name)
    // Not awaited, because storages may answer slowly.
    if (this.#isDue('backups', every.backupsMs)) void this.#backups(state)
    await Promise.all([
      this.#isDue('self', every.selfMs) && this.#parts.known.self === undefined ? this.#self(state) : undefined,
      this.#loads(online, isLive ? every.loadMs : every.figuresIdleMs),
      this.#temperatures(online, isLive ? every.temperatureMs : every.figuresIdleMs),
    ])
    this.#isBusy = false
    if (this.#hasNews && !this.#signal.aborted) this.#parts.changed()
  }

  close(): void {
    this.#ending.abort(new Error('closed'))
  }

  get #signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Notes when a detail was requested. @param laterMs shifts that time: a positive value makes the next read due later, a negative one earlier */
  #note(what: string, laterMs = 0) {
    this.#askedAt.set(what, this.#parts.clock.now() + laterMs)
  }

  #isDue(what: string, afterMs: number): boolean {
    const last = this.#askedAt.get(what)
    return last === undefined || this.#parts.clock.now() - last >= afterMs
  }

  /** Returns the nodes for which this figure is due, the longest unread first. */
  #due(nodes: readonly string[], figure: 'load' | 'heat', afterMs: number): string[] {
    const lastOf = (node: string) => this.#askedAt.get(`${figure} ${node}`) ?? 0
    return nodes
      .filter((node) => this.#isDue(`${figure} ${node}`, afterMs))
      .sort((a, b) => lastOf(a) - lastOf(b))
      .slice(0, mostAtOnce)
  }

  async #self(state: ClusterState) {
    const { api, known, host } = this.#parts
    await quietly(async () => {
      known.self = await findSelf(api, state, { host, signal: this.#signal })
      this.#note('self')
      this.#hasNews ||= known.self !== undefined
    })
  }

  async #backups(state: ClusterState) {
    const { api, known } = this.#parts
    this.#note('backups')
    await quietly(async () => {
      if (state.storages.some(({ type }) => type === 'pbs')) await quietly(() => this.#writers())
      const source = { api, rights: known.rights, seen: storageNodes(known), state }
      const { items, missing } = await readBackups(source, {}, this.#signal)
      known.areBackupsWhole = missing.length === 0
      // The last known backups on a storage that is not reachable now are kept.
      if (known.areBackupsWhole) known.backupAt.clear()
      known.backups = known.areBackupsWhole ? items : withUnread(known.backups, items, state)
      for (const { vmid, createdAt } of [...items].reverse()) known.backupAt.set(vmid, createdAt)
      known.backupsMissing = missing.filter((line) => line.startsWith('backups on ') || line.endsWith('not reachable'))
      const isBroken = missing.some((line) => line.includes('cannot be read'))
      if (isBroken) this.#note('backups', every.backupsAgainMs - every.backupsMs)
      this.#parts.changed()
    })
  }

  async #writers() {
    const { api, known } = this.#parts
    const ask = { signal: this.#signal, answerMs }
    const { rows } = rowsOf(ServerRow, await api.get(['storage'], { type: 'pbs' }, ask))
    known.writers = new Map(
      rows.flatMap(({ storage, username }) => (username === undefined ? [] : [[storage, username]])),
    )
  }

  async #loads(nodes: readonly string[], afterMs: number) {
    await eachOf(this.#due(nodes, 'load', afterMs), mostAtOnce, (node) => quietly(() => this.#load(node)))
  }

  async #load(node: string) {
    const { api, clock, known } = this.#parts
    this.#note(`load ${node}`)
    known.load1.delete(node)
    known.cacheBytes.delete(node)
    const ask = { signal: this.#signal, answerMs }
    const { loadavg, memory } = NodeNow.parse(await api.get(['nodes', node, 'status'], {}, ask))
    const load = loadavg?.[0]
    if (load !== undefined) known.load1.set(node, { value: load, at: clock.now() })
    this.#hasNews = true
    const bytes = await this.#cacheOf(node, memory)
    if (bytes !== undefined) known.cacheBytes.set(node, { value: bytes, at: clock.now() })
  }

  /** Returns the part of a node's used memory that is cache, bytes. Adds ZFS's cache, which the kernel's estimate of available memory leaves out. */
  async #cacheOf(node: string, memory: NodeNow['memory']): Promise<number | undefined> {
    const { used, total, available } = memory ?? {}
    if (used === undefined || total === undefined || available === undefined) return undefined
    const hour = { timeframe: 'hour', cf: 'AVERAGE' }
    const minutes = await this.#parts.api.get(['nodes', node, 'rrddata'], hour, { signal: this.#signal, answerMs })
    const arc = rowsOf(NodeMinute, minutes).rows.findLast(({ arcsize }) => arcsize !== undefined)?.arcsize ?? 0
    return Math.max(0, used - (total - available)) + arc
  }

  async #temperatures(nodes: readonly string[], afterMs: number) {
    await eachOf(this.#due(nodes, 'heat', afterMs), mostAtOnce, (node) => this.#temperature(node, afterMs))
  }

  async #temperature(node: string, afterMs: number) {
    const { clock, known, shell } = this.#parts
    this.#note(`heat ${node}`)
    try {
      const { celsius } = await readTemperature(shell, node, { signal: this.#signal })
      known.temperatureC.set(node, { value: celsius, at: clock.now() })
      known.temperatureMissing.delete(node)
      known.withoutSensor.delete(node)
      this.#hasNews = true
    } catch (error) {
      if (this.#signal.aborted) return
      this.#hasNews = true
      known.temperatureC.delete(node)
      if (error instanceof NoSensor) known.withoutSensor.add(node)
      // Without SSH the temperature is simply unknown. The status page says how to set SSH up.
      else if (error instanceof NoSshSetUp) known.temperatureMissing.delete(node)
      else known.temperatureMissing.set(node, wordsOf(error))
      this.#note(`heat ${node}`, (error instanceof NoSensor ? cold.noSensorMs : cold.failedMs) - afterMs)
    }
  }
}

/** Ignores a failure: the detail is read again the next time it is due. */
async function quietly(work: () => Promise<void>) {
  try {
    await work()
  } catch {
    // The age of the last known value shows that no newer one could be read.
  }
}

/** Returns the backups that were read, and the known backups of storages that could not be read. */
function withUnread(known: readonly Backup[], read: readonly Backup[], { guests }: ClusterState): Backup[] {
  const seen = new Set(read.map(({ storage }) => storage))
  const there = new Set(guests.map(({ vmid }) => vmid))
  return [...read, ...known.filter(({ storage, vmid }) => !seen.has(storage) && there.has(vmid))]
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')

/** Returns the nodes on which each storage is available, by storage. */
export function storageNodes({ reading }: Pick<Known, 'reading'>): Map<string, string[]> {
  const nodes = new Map<string, string[]>()
  for (const { storage, node, status } of reading?.storages ?? []) {
    if (status === 'available') nodes.set(storage, [...(nodes.get(storage) ?? []), node])
  }
  return nodes
}
