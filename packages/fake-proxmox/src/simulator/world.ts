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
  /** Use of the node itself, without guests. */
  ownCpuRatio: number
  ownRamBytes: number
  extraLoad: number
  /** Figures without unusual load; heat is computed relative to them. */
  usual: { cpuRatio: number; temperatureC: number }
  bootedAt: number
  offlineSince: number | undefined
  /** A magic packet was sent, or the node boots. */
  isWaking: boolean
}

export type SimGuest = Omit<GuestSpec, 'upS'> & {
  usual: { cpuRatio: number; netBps: number }
  status: 'running' | 'stopped' | 'paused'
  startedAt: number
  startsOnBoot: boolean
  isHa: boolean
  /** The HA manager's state, while it differs from the guest's own. */
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

export type World = ReturnType<typeof createWorld>

/** The demo cluster's memory. Every change must call `changed()`. */
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
    /** As `upsc` says it: `OL` on mains, `OB` on battery, `LB` low. */
    upsStatus: 'OL',
    unitChanges: new Map<string, Partial<UnitState>>(),
    /** Where JARVIS itself runs: outside the demo cluster, unless a test sets it. */
    self: undefined as ClusterState['self'],
    listeners,
    version: () => version,

    changed() {
      version += 1
      for (const listener of [...listeners]) listener()
    },

    /** Runs `run` after `ms` at speed 1, and then `changed()`. */
    later(ms: number, run: () => void) {
      const cancel = clock.after(Math.ceil(ms / speed), () => {
        timers.delete(cancel)
        run()
        world.changed()
      })
      timers.add(cancel)
    },

    /** Waits `ms` at speed 1. @throws the signal's reason */
    wait: (ms: number, signal: AbortSignal) => sleep(clock, Math.ceil(ms / speed), signal),

    record(kind: Effect['kind'], detail: string) {
      world.effects.push({ at: clock.now(), kind, detail })
    },

    slowNextCall(ms: number) {
      slowMs = ms
    },

    /** Begins every call. @throws the signal's reason */
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

    /** A guest's status; unknown on a lost node. */
    statusOf(guest: SimGuest): Guest['status'] {
      return world.nodes.get(guest.node)?.offlineSince === undefined ? guest.status : 'unknown'
    },

    /** Offline nodes, in words: `agent is offline`. */
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

/** Degrees above usual for a load above usual. */
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
