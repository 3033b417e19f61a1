import type { Alert, ClusterState, SamplesReply } from 'protocol'
import { cpuOf, fillOf, isBlind, isUnread, netOf, ramOf, withoutTemplates } from 'protocol/facts'
import { createContext, use } from 'react'
import { useValue } from '../../lib/use-value.ts'
import { Value } from '../../lib/value.ts'
import type { ClusterSocket } from '../../realtime/sockets.ts'
import { foldCluster } from './fold.ts'
import { type Issue, issuesOf } from './health.ts'
import { fromShown } from './unknown.ts'

const sampleEveryMs = 2_000
const minuteMs = 60_000
const minutesShown = 60
/** With fewer known minutes, a line shows the samples of every two seconds. */
const fewMinutes = 10
const secondsKept = 150
/** Maximum number of series in one request. */
const mostSeries = 64

export type ClusterView = {
  /** Undefined until the first snapshot. */
  state: ClusterState | undefined
  /** When this browser last received a cluster state that the server could read, Unix ms; 0 before the first. */
  heardAt: number
  /** True if the server is connected and can read the cluster. */
  isLive: boolean
  /** True if the server is connected. */
  isLinked: boolean
  issues: readonly Issue[]
}

const nothing: ClusterView = { state: undefined, heardAt: 0, isLive: false, isLinked: false, issues: [] }

/** The live cluster state in this browser, with the samples that it has received and the present issues. */
export class ClusterStore {
  readonly view = new Value<ClusterView>(nothing)
  /** The state at the time when a guest or node was last added, removed or renamed. For readers that need only names. */
  readonly named = new Value<ClusterState | undefined>(undefined)
  #names = ''
  /** Samples of the last hour, one a minute. Keys: `node/NAME` (CPU), and `cpu`, `ram` and `net` of the whole cluster. */
  readonly #minutes = new Map<string, Map<number, number>>()
  /** The newest samples, every two seconds, with the same keys. */
  readonly #seconds = new Map<string, readonly number[]>()
  /** Cache of `samples()` since the last sample. */
  readonly #lines = new Map<string, readonly (number | undefined)[]>()
  /** Minutes by which the server's clock is ahead. */
  #skew = 0
  readonly #readHour: (names: readonly string[]) => Promise<SamplesReply>
  #alerts: readonly Alert[] | undefined
  #sampledAt = 0
  /** Incremented at each sign-out, so that an answer for an earlier person is dropped. */
  #owner = 0

  constructor(socket: ClusterSocket, readHour: (names: readonly string[]) => Promise<SamplesReply>) {
    this.#readHour = readHour
    socket.on('cluster:snapshot', ({ cluster }) => {
      this.#put(fromShown(cluster))
      void this.catchUp()
    })
    socket.on('cluster:update', (update) => {
      const { state } = this.view.get()
      if (state !== undefined) this.#put(foldCluster(state, update))
    })
    socket.on('disconnect', () => this.view.set({ ...this.view.get(), isLive: false, isLinked: false }))
  }

  /** Clears the store at sign-out, because the next person may be allowed to see less. */
  forget(): void {
    this.#owner += 1
    for (const kept of [this.#minutes, this.#seconds, this.#lines]) kept.clear()
    this.#alerts = undefined
    this.#names = ''
    this.#sampledAt = 0
    this.named.set(undefined)
    this.view.set(nothing)
  }

  /**
   * Returns the last hour of `node/NAME` (CPU), `cpu`, `ram` or `net`, oldest first, by the minute. If few minutes are known, returns the newest
   * samples instead. Undefined is a gap.
   */
  samples(key: string): readonly (number | undefined)[] {
    const made = this.#lines.get(key) ?? this.#line(key)
    this.#lines.set(key, made)
    return made
  }

  #line(key: string): readonly (number | undefined)[] {
    const minutes = this.#minutes.get(key)
    if (minutes === undefined || minutes.size < fewMinutes) return this.#seconds.get(key) ?? []
    const now = this.#minute()
    const line = Array.from({ length: minutesShown }, (_, at) => minutes.get(now - minutesShown + 1 + at))
    const first = line.findIndex((value) => value !== undefined)
    return first < 0 ? [] : line.slice(first)
  }

  #minute = () => Math.floor(Date.now() / minuteMs) + this.#skew

  /** Reads the last hour from the server, for the time before this browser connected. */
  async catchUp(): Promise<void> {
    const owner = this.#owner
    try {
      const { nodes = [] } = this.view.get().state ?? {}
      const names = ['cluster', ...nodes.map(({ name }) => `node/${name}`)].slice(0, mostSeries)
      const { from, stepMs, items } = await this.#readHour(names)
      if (owner !== this.#owner) return
      const first = Math.floor(from / stepMs)
      this.#skew = first + minutesShown - 1 - Math.floor(Date.now() / minuteMs)
      for (const { name, values } of items) {
        const put = (key: string, line: readonly (number | null)[] = []) => {
          for (const [at, value] of line.entries()) if (value !== null) this.#keepMinute(key, first + at, value)
        }
        put(name === 'cluster' ? 'cpu' : name, values.cpuRatio)
        if (name !== 'cluster') continue
        put('ram', values.ramRatio)
        put('net', values.netBps)
      }
      this.#lines.clear()
      this.view.set({ ...this.view.get() })
    } catch {
      // If the hour could not be read, the lines start now.
    }
  }

  #keepMinute(key: string, minute: number, value: number): void {
    const minutes = this.#minutes.get(key) ?? new Map<number, number>()
    this.#minutes.set(key, minutes)
    minutes.set(minute, value)
    for (const old of minutes.keys()) if (old <= minute - minutesShown) minutes.delete(old)
  }

  #put(state: ClusterState): void {
    const now = Date.now()
    if (now - this.#sampledAt >= sampleEveryMs) {
      this.#sampledAt = now
      this.#sample(state)
    }
    const isRead = state.unreachableSince === undefined && !isBlind(state)
    // While the server cannot read the cluster, keep the time of the last good state.
    const heardAt = isRead ? now : this.view.get().heardAt
    this.view.set({ state, heardAt, isLive: isRead, isLinked: true, issues: issuesOf(state, this.#alerts) })
    const names = JSON.stringify([
      state.guests.map(({ vmid, name }) => [vmid, name]),
      state.nodes.map(({ name }) => name),
    ])
    if (names === this.#names) return
    this.#names = names
    this.named.set(state)
  }

  /** Takes in the alerts. @param alerts undefined: not read yet */
  setAlerts(alerts: readonly Alert[] | undefined): void {
    this.#alerts = alerts
    this.reconsider()
  }

  /** Computes the issues again after the alerts or the limits changed. */
  reconsider(): void {
    const view = this.view.get()
    if (view.state !== undefined) this.view.set({ ...view, issues: issuesOf(view.state, this.#alerts) })
  }

  #sample(state: ClusterState): void {
    const minute = this.#minute()
    this.#lines.clear()
    const push = (key: string, value: number | undefined) => {
      if (value === undefined) return
      this.#keepMinute(key, minute, value)
      this.#seconds.set(key, [...(this.#seconds.get(key) ?? []).slice(1 - secondsKept), value])
    }
    for (const { name, status, cpuRatio } of state.nodes) {
      if (status === 'online' && cpuRatio !== undefined) push(`node/${name}`, cpuRatio)
    }
    const { cpuRatio, ramRatio, netBps } = totalsOf(state)
    push('cpu', cpuRatio)
    push('ram', ramRatio)
    push('net', netBps)
  }
}

/** Totals of the whole cluster. Shared storage counts once. Undefined: not known. */
export function totalsOf(state: ClusterState) {
  const guests = withoutTemplates(state.guests)
  const isUnknown =
    isUnread(state, 'guests') || (guests.length > 0 && guests.every(({ status }) => status === 'unknown'))
  return {
    cpuRatio: cpuOf(state.nodes),
    ramRatio: ramOf(state.nodes),
    storageRatio: fillOf(state.storages),
    netBps: isUnknown ? undefined : netOf(state.guests),
    running: isUnknown ? undefined : guests.filter((guest) => guest.status === 'running').length,
    guests: guests.length,
    onlineCount: state.nodes.filter(({ status }) => status === 'online').length,
  }
}

export const ClusterContext = createContext<ClusterStore | undefined>(undefined)

export function useClusterStore(): ClusterStore {
  const store = use(ClusterContext)
  if (store === undefined) throw new Error('ClusterContext is missing')
  return store
}

export const useCluster = (): ClusterView => useValue(useClusterStore().view)
