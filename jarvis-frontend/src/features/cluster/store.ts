import type { ClusterState } from 'jarvis-backend/protocol'
import { createContext, use } from 'react'
import { useValue } from '../../lib/use-value.ts'
import { Value } from '../../lib/value.ts'
import type { ClusterSocket } from '../../realtime/sockets.ts'
import { foldCluster } from './fold.ts'
import { type Issue, issuesOf, limits } from './health.ts'

const sampleEveryMs = 2_000
const samplesKept = 360

export type ClusterView = {
  /** Undefined until the first snapshot. */
  state: ClusterState | undefined
  /** When this browser last heard of the cluster. */
  heardAt: number
  isLive: boolean
  issues: readonly Issue[]
}

/** The live cluster as this browser knows it, and what it has seen since it connected. */
export class ClusterStore {
  readonly view = new Value<ClusterView>({ state: undefined, heardAt: 0, isLive: false, issues: [] })
  /** Ratios since connect, oldest first, by `node/NAME`, `vmid`, `vmid ram`, or `cpu` and `ram` of the whole; bytes a second by `vmid net` and `net`. */
  readonly #samples = new Map<string, readonly number[]>()
  readonly #busySince = new Map<string, number>()
  /** Undefined for what was so at first sight: nobody here knows since when. */
  readonly #issueSince = new Map<string, number | undefined>()
  #sampledAt = 0

  constructor(socket: ClusterSocket) {
    socket.on('cluster:snapshot', ({ cluster }) => this.#put(cluster))
    socket.on('cluster:update', (update) => {
      const { state } = this.view.get()
      if (state !== undefined) this.#put(foldCluster(state, update))
    })
    socket.on('disconnect', () => this.view.set({ ...this.view.get(), isLive: false }))
  }

  samples(key: string): readonly number[] {
    return this.#samples.get(key) ?? []
  }

  #put(state: ClusterState): void {
    const now = Date.now()
    const isFirst = this.view.get().state === undefined
    // What is busy at first sight may have been so for long; what gets busy later must stay so to count.
    this.#watchLoad(state, isFirst ? 0 : now)
    if (now - this.#sampledAt >= sampleEveryMs) {
      this.#sampledAt = now
      this.#sample(state)
    }
    const issues = issuesOf(state, now, (key) => this.#busySince.get(key))
    for (const key of this.#issueSince.keys()) {
      if (!issues.some((issue) => issue.key === key)) this.#issueSince.delete(key)
    }
    for (const issue of issues) {
      if (!this.#issueSince.has(issue.key)) this.#issueSince.set(issue.key, isFirst ? undefined : now)
      issue.since = this.#issueSince.get(issue.key)
    }
    this.view.set({ state, heardAt: now, isLive: true, issues })
  }

  #watchLoad(state: ClusterState, now: number): void {
    const loads = [
      ...state.nodes.map((node) => [`node/${node.name}`, node.cpuRatio ?? 0] as const),
      ...state.guests.map((guest) => [String(guest.vmid), guest.cpuRatio] as const),
    ]
    for (const [key, ratio] of loads) {
      if (ratio < limits.cpuRatio) this.#busySince.delete(key)
      else if (!this.#busySince.has(key)) this.#busySince.set(key, now)
    }
  }

  #sample(state: ClusterState): void {
    const push = (key: string, ratio: number) => {
      this.#samples.set(key, [...(this.#samples.get(key) ?? []).slice(1 - samplesKept), ratio])
    }
    for (const node of state.nodes) if (node.cpuRatio !== undefined) push(`node/${node.name}`, node.cpuRatio)
    for (const guest of state.guests) {
      if (guest.status !== 'running') continue
      push(String(guest.vmid), guest.cpuRatio)
      push(`${guest.vmid} ram`, guest.ramTotalBytes === 0 ? 0 : guest.ramBytes / guest.ramTotalBytes)
      push(`${guest.vmid} net`, (guest.netInBps ?? 0) + (guest.netOutBps ?? 0))
    }
    const { cpuRatio, ramRatio, netBps } = totalsOf(state)
    push('cpu', cpuRatio)
    push('ram', ramRatio)
    push('net', netBps)
  }
}

/** The whole cluster in numbers; shared storage counts once. */
export function totalsOf(state: ClusterState) {
  const online = state.nodes.filter((node) => node.status === 'online')
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
  const share = (used: number, of: number) => (of === 0 ? 0 : used / of)
  const cores = sum(online.map((node) => node.cpuCount ?? 1))
  return {
    cpuRatio: share(sum(online.map((node) => (node.cpuRatio ?? 0) * (node.cpuCount ?? 1))), cores),
    ramRatio: share(sum(online.map((node) => node.ramBytes ?? 0)), sum(online.map((node) => node.ramTotalBytes ?? 0))),
    storageRatio: share(sum(state.storages.map((s) => s.usedBytes)), sum(state.storages.map((s) => s.totalBytes))),
    netBps: sum(state.guests.map((guest) => (guest.netInBps ?? 0) + (guest.netOutBps ?? 0))),
    running: state.guests.filter((guest) => guest.status === 'running').length,
    onlineCount: online.length,
  }
}

export const ClusterContext = createContext<ClusterStore | undefined>(undefined)

export function useClusterStore(): ClusterStore {
  const store = use(ClusterContext)
  if (store === undefined) throw new Error('ClusterContext is missing')
  return store
}

export const useCluster = (): ClusterView => useValue(useClusterStore().view)
