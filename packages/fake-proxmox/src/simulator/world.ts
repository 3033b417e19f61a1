import { type Clock, sleep } from 'node-kit/clock'
import { type Backup, type ClusterState, type Guest, JarvisError, type Task, type UnitState } from 'protocol'
import {
  demoGuests,
  demoNodes,
  demoStorages,
  type GuestSpec,
  hotGuest,
  type NodeSpec,
  type StorageSpec,
  underHa,
} from './demo-lab.ts'
import { createRandom } from './random.ts'

export type SimNode = NodeSpec & {
  /** Use of resources by the node itself, without its guests. */
  ownCpuRatio: number
  ownRamBytes: number
  extraLoad: number
  /** Values under usual load. The temperature is computed relative to them. */
  usual: { cpuRatio: number; temperatureC: number }
  bootedAt: number
  offlineSince: number | undefined
  /** True after a magic packet was sent, and while the node boots. */
  isWaking: boolean
}

export type SimGuest = Omit<GuestSpec, 'upS'> & {
  usual: { cpuRatio: number; netBps: number }
  status: 'running' | 'stopped' | 'paused'
  startedAt: number
  startsOnBoot: boolean
  isHa: boolean
  /** The HA manager's state; undefined while it equals the guest's own state. */
  haState: string | undefined
  isHot: boolean
  isTemplate: boolean
  /** The lock in its configuration: `backup`, `migrate`, … */
  lock: string | undefined
  /** A task works on the guest. Proxmox keeps this in a lock file and does not show it. */
  isHeld: boolean
  backupAt: number | undefined
  nextShutdownTimesOut: boolean
  nextTaskFails: string | undefined
}

export type Effect = { at: number; kind: 'power' | 'service' | 'wake' | 'command' | 'api'; detail: string }

/** The state of the demo cluster. Every change must call `changed()`. */
export class World {
  readonly clock: Clock
  readonly seed: number
  random: () => number
  readonly speed: number
  readonly startedAt: number
  readonly nodes: Map<string, SimNode>
  readonly guests: Map<number, SimGuest>
  readonly storages: StorageSpec[]
  /** Oldest first. */
  readonly tasks: Task[] = []
  readonly backups: Backup[] = []
  readonly effects: Effect[] = []
  /** The UPS status as `upsc` prints it: `OL` on mains, `OB` on battery, `LB` battery low. */
  upsStatus = 'OL'
  readonly unitChanges = new Map<string, Partial<UnitState>>()
  /** The guest or node on which JARVIS itself runs; undefined: outside the demo cluster. Set by tests. */
  self: ClusterState['self']
  readonly listeners = new Set<() => void>()
  readonly #timers = new Set<() => void>()
  #version = 0
  #slowMs = 0

  constructor(clock: Clock, seed: number, speed: number) {
    this.clock = clock
    this.seed = seed
    this.random = createRandom(seed)
    this.speed = speed
    this.startedAt = clock.now()
    this.nodes = new Map(demoNodes.map((spec) => [spec.name, simNode(spec, this.startedAt)]))
    this.guests = new Map(demoGuests.map((spec) => [spec.vmid, simGuest(spec, this.startedAt)]))
    this.storages = demoStorages.map((spec): StorageSpec => ({ ...spec }))
  }

  /** Returns a number that changes with each change of the cluster. */
  version(): number {
    return this.#version
  }

  changed(): void {
    this.#version += 1
    for (const listener of [...this.listeners]) listener()
  }

  /** Runs `run` after `ms` at speed 1, and then `changed()`. */
  later(ms: number, run: () => void): void {
    const cancel = this.clock.after(Math.ceil(ms / this.speed), () => {
      this.#timers.delete(cancel)
      run()
      this.changed()
    })
    this.#timers.add(cancel)
  }

  /** Waits `ms` at speed 1. @throws the signal's reason */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    return sleep(this.clock, Math.ceil(ms / this.speed), signal)
  }

  record(kind: Effect['kind'], detail: string): void {
    this.effects.push({ at: this.clock.now(), kind, detail })
  }

  slowNextCall(ms: number): void {
    this.#slowMs = ms
  }

  /** Called at the start of every call of the cluster; waits if a test has slowed the call. @throws the signal's reason */
  async arrive(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const ms = this.#slowMs
    this.#slowMs = 0
    if (ms > 0) await sleep(this.clock, ms, signal)
  }

  /** @throws JarvisError `not_found` */
  node(name: string): SimNode {
    const node = this.nodes.get(name)
    if (node !== undefined) return node
    const known = [...this.nodes.keys()].join(', ')
    throw new JarvisError('not_found', `There is no node ${JSON.stringify(name)}. Nodes: ${known}.`)
  }

  /** @throws JarvisError `not_found`, `cluster_unreachable` */
  onlineNode(name: string): SimNode {
    const node = this.node(name)
    if (node.offlineSince === undefined) return node
    throw new JarvisError('cluster_unreachable', `${name} is offline: nothing on it can be reached. Wake it first.`)
  }

  /** @throws JarvisError `not_found` */
  guest(vmid: number): SimGuest {
    const guest = this.guests.get(vmid)
    if (guest !== undefined) return guest
    const known = [...this.guests.keys()].sort((a, b) => a - b)
    const more = known.length > 40 ? ', …' : ''
    throw new JarvisError('not_found', `There is no guest ${vmid}. Guests: ${known.slice(0, 40).join(', ')}${more}.`)
  }

  /** Returns a guest's status; `unknown` if its node is offline. */
  statusOf(guest: SimGuest): Guest['status'] {
    return this.nodes.get(guest.node)?.offlineSince === undefined ? guest.status : 'unknown'
  }

  /** Names the offline nodes: `agent is offline`. */
  missing(): string[] {
    return [...this.nodes.values()]
      .filter((node) => node.offlineSince !== undefined)
      .map(({ name }) => `${name} is offline`)
  }

  isQuorate(): boolean {
    const online = [...this.nodes.values()].filter((node) => node.offlineSince === undefined).length
    return online * 2 > this.nodes.size
  }

  close(): void {
    for (const cancel of this.#timers) cancel()
    this.#timers.clear()
    this.listeners.clear()
  }
}

function simNode(spec: NodeSpec, now: number): SimNode {
  const running = demoGuests.filter(({ node, upS }) => node === spec.name && upS !== undefined)
  const cores = (guests: GuestSpec[], cpuOf: (guest: GuestSpec) => number) =>
    guests.reduce((sum, guest) => sum + cpuOf(guest) * guest.cpuCount, 0) / spec.cpuCount
  const isHot = running.some(({ vmid }) => vmid === hotGuest.vmid)
  const guestsNow = cores(running, ({ vmid, cpuRatio }) => (vmid === hotGuest.vmid ? hotGuest.cpuRatio : cpuRatio))
  const guestsUsually = cores(running, ({ cpuRatio }) => cpuRatio)
  const ownCpuRatio = Math.max(0.01, spec.cpuRatio - guestsNow)
  const usualCpu = ownCpuRatio + guestsUsually
  return {
    ...spec,
    ownCpuRatio,
    ownRamBytes: spec.ramBytes - running.reduce((sum, guest) => sum + guest.ramRatio * guest.ramTotalBytes, 0),
    extraLoad: spec.load1 - spec.cpuRatio * spec.cpuCount - (isHot ? hotGuest.extraLoad : 0),
    usual: { cpuRatio: usualCpu, temperatureC: spec.temperatureC - heatOf(spec.cpuRatio - usualCpu) },
    bootedAt: now - spec.upS * 1000,
    offlineSince: undefined,
    isWaking: false,
  }
}

/** Degrees above the usual temperature for a CPU ratio above the usual one. */
export const heatOf = (cpuRatio: number): number => cpuRatio * 54

export function simGuest({ upS, ...spec }: GuestSpec, now: number): SimGuest {
  const isHot = spec.vmid === hotGuest.vmid
  return {
    ...spec,
    cpuRatio: isHot ? hotGuest.cpuRatio : spec.cpuRatio,
    usual: { cpuRatio: spec.cpuRatio, netBps: spec.netBps },
    status: upS === undefined ? 'stopped' : 'running',
    startedAt: now - (upS ?? 0) * 1000,
    startsOnBoot: upS !== undefined,
    isHa: underHa.has(spec.vmid),
    haState: undefined,
    isHot,
    isTemplate: false,
    lock: undefined,
    isHeld: false,
    backupAt: undefined,
    nextShutdownTimesOut: false,
    nextTaskFails: undefined,
  }
}
