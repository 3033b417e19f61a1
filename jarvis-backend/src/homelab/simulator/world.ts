import { type Clock, sleep } from '../../lib/clock.ts'
import {
  type Backup,
  type ClusterState,
  type Guest,
  JarvisError,
  type Task,
  type UnitState,
} from '../../protocol/index.ts'
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
  /** What the node itself uses, without guests. */
  ownCpuRatio: number
  ownRamBytes: number
  extraLoad: number
  /** What it is like with nothing unusual running: heat is reckoned from here. */
  usual: { cpuRatio: number; temperatureC: number }
  bootedAt: number
  offlineSince: number | undefined
  /** A magic packet is on its way, or it boots. */
  isWaking: boolean
}

export type SimGuest = Omit<GuestSpec, 'upS'> & {
  usual: { cpuRatio: number; netBps: number }
  status: 'running' | 'stopped' | 'paused'
  startedAt: number
  startsOnBoot: boolean
  isHa: boolean
  /** The HA manager's word, while it is another than what the guest does. */
  haState: string | undefined
  isHot: boolean
  isTemplate: boolean
  /** The lock in its configuration: `backup`, `migrate`, … */
  lock: string | undefined
  /** A task works on it; Proxmox keeps this in a lock file and shows it nowhere. */
  isHeld: boolean
  backupAt: number | undefined
  nextShutdownTimesOut: boolean
  nextTaskFails: string | undefined
}

export type Effect = { at: number; kind: 'power' | 'service' | 'wake' | 'command' | 'api'; detail: string }

export type World = ReturnType<typeof createWorld>

/** The demo cluster's memory: what exists and is going on. Whoever changes something calls `changed()`. */
export function createWorld(clock: Clock, seed: number, speed: number) {
  const startedAt = clock.now()
  const listeners = new Set<() => void>()
  const timers = new Set<() => void>()
  let version = 0
  let slowMs = 0

  const world = {
    clock,
    seed,
    random: createRandom(seed),
    speed,
    startedAt,
    nodes: new Map(demoNodes.map((spec) => [spec.name, simNode(spec, startedAt)])),
    guests: new Map(demoGuests.map((spec) => [spec.vmid, simGuest(spec, startedAt)])),
    storages: demoStorages.map((spec): StorageSpec => ({ ...spec })),
    /** Oldest first. */
    tasks: [] as Task[],
    backups: [] as Backup[],
    effects: [] as Effect[],
    unitChanges: new Map<string, Partial<UnitState>>(),
    /** Where JARVIS itself runs: beside the demo cluster, not in it, unless a test says so. */
    self: undefined as ClusterState['self'],
    listeners,
    version: () => version,

    changed() {
      version += 1
      for (const listener of [...listeners]) listener()
    },

    /** Runs after `ms` at speed 1; the world has changed by it. */
    later(ms: number, run: () => void) {
      const cancel = clock.after(Math.ceil(ms / speed), () => {
        timers.delete(cancel)
        run()
        world.changed()
      })
      timers.add(cancel)
    },

    /** Waits `ms` at speed 1. @throws the signal's reason. */
    wait: (ms: number, signal: AbortSignal) => sleep(clock, Math.ceil(ms / speed), signal),

    record(kind: Effect['kind'], detail: string) {
      world.effects.push({ at: clock.now(), kind, detail })
    },

    slowNextCall(ms: number) {
      slowMs = ms
    },

    /** Every call begins with this. @throws the signal's reason. */
    async arrive(signal: AbortSignal) {
      signal.throwIfAborted()
      const ms = slowMs
      slowMs = 0
      if (ms > 0) await sleep(clock, ms, signal)
    },

    node(name: string): SimNode {
      const node = world.nodes.get(name)
      if (node !== undefined) return node
      const known = [...world.nodes.keys()].join(', ')
      throw new JarvisError('not_found', `There is no node ${JSON.stringify(name)}. Nodes: ${known}.`)
    },

    onlineNode(name: string): SimNode {
      const node = world.node(name)
      if (node.offlineSince === undefined) return node
      throw new JarvisError('cluster_unreachable', `${name} is offline: nothing on it can be reached. Wake it first.`)
    },

    guest(vmid: number): SimGuest {
      const guest = world.guests.get(vmid)
      if (guest !== undefined) return guest
      const known = [...world.guests.keys()].sort((a, b) => a - b)
      const more = known.length > 40 ? ', …' : ''
      throw new JarvisError('not_found', `There is no guest ${vmid}. Guests: ${known.slice(0, 40).join(', ')}${more}.`)
    },

    /** What is known of it: of a guest on a lost node, nothing. */
    statusOf(guest: SimGuest): Guest['status'] {
      return world.nodes.get(guest.node)?.offlineSince === undefined ? guest.status : 'unknown'
    },

    /** `agent is offline`, once for each that is. */
    missing: () =>
      [...world.nodes.values()]
        .filter((node) => node.offlineSince !== undefined)
        .map(({ name }) => `${name} is offline`),

    isQuorate() {
      const online = [...world.nodes.values()].filter((node) => node.offlineSince === undefined).length
      return online * 2 > world.nodes.size
    },

    close() {
      for (const cancel of timers) cancel()
      timers.clear()
      listeners.clear()
    },
  }
  return world
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

/** Degrees above the usual for so much more load. */
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
