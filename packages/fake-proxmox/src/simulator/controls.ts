import type { ClusterState, Guest, UnitState } from 'protocol'
import { gib } from './demo-lab.ts'
import { beginTask, endTask } from './tasks.ts'
import { bootNode } from './waker.ts'
import { type Effect, simGuest, type World } from './world.ts'

/** Lets tests change the demo cluster. The product never uses these controls. */
export type SimulatorControls = {
  /** Every changing request and every command that reached the cluster, oldest first. */
  readonly effects: readonly Effect[]
  setNodeOffline(name: string, offline: boolean): void
  lockGuest(vmid: number, lock: string | undefined): void
  /** Sets the HA manager's state of a guest; undefined restores the simulated state. */
  setHaState(vmid: number, state: string | undefined): void
  /** Starts a task such as `vzdump` or `qmigrate`, with a lock if given. @returns a function that ends the task */
  beginWork(vmid: number, type: string, lock?: string): () => void
  tagGuest(vmid: number, tags: readonly string[]): void
  /** Sets the guest or node on which JARVIS itself runs. */
  setSelf(self: ClusterState['self']): void
  /** The guest ignores its next clean shutdown or reboot. */
  timeoutNextShutdown(vmid: number): void
  /** The guest's next task ends with `message` and changes nothing. */
  failNextTask(vmid: number, message: string): void
  /** Delays the next call by `ms` before it reaches the cluster. */
  slowNextCall(ms: number): void
  renameGuest(vmid: number, name: string): void
  /** Changes a service on every node, by its unit name; adds an unknown service. */
  setUnit(id: string, change: Partial<UnitState>): void
  migrateGuest(vmid: number, node: string): void
  setStatus(vmid: number, status: Exclude<Guest['status'], 'unknown'>): void
  /** Adds `count` guests from vmid 1000 on, across all nodes; every fifth is stopped. */
  addGuests(count: number): void
}

export function createControls(world: World): SimulatorControls {
  const change = (run: () => void) => {
    run()
    world.changed()
  }
  return {
    effects: world.effects,
    setNodeOffline: (name, offline) =>
      change(() => {
        const node = world.node(name)
        const isOffline = node.offlineSince !== undefined
        if (offline && !isOffline) {
          node.offlineSince = world.clock.now()
          const cut = world.tasks.filter((task) => task.node === name && task.status === 'running')
          for (const { upid } of cut) endTask(world, upid, 'unexpected status')
        }
        if (!offline && isOffline) bootNode(world, node)
      }),
    lockGuest: (vmid, lock) =>
      change(() => {
        world.guest(vmid).lock = lock
      }),
    setHaState: (vmid, state) =>
      change(() => {
        world.guest(vmid).haState = state
      }),
    beginWork(vmid, type, lock) {
      const guest = world.guest(vmid)
      guest.lock = lock
      const { upid } = beginTask(world, { node: guest.node, type, vmid })
      return () =>
        change(() => {
          guest.lock = undefined
          endTask(world, upid, 'OK')
        })
    },
    tagGuest: (vmid, tags) =>
      change(() => {
        world.guest(vmid).tags = [...tags]
      }),
    setSelf: (self) =>
      change(() => {
        world.self = self
      }),
    timeoutNextShutdown: (vmid) => {
      world.guest(vmid).nextShutdownTimesOut = true
    },
    failNextTask: (vmid, message) => {
      world.guest(vmid).nextTaskFails = message
    },
    slowNextCall: (ms) => world.slowNextCall(ms),
    renameGuest: (vmid, name) =>
      change(() => {
        world.guest(vmid).name = name
      }),
    setUnit: (id, unit) =>
      change(() => {
        world.unitChanges.set(id, { ...world.unitChanges.get(id), ...unit })
      }),
    migrateGuest: (vmid, node) =>
      change(() => {
        world.guest(vmid).node = world.node(node).name
      }),
    setStatus: (vmid, status) =>
      change(() => {
        const guest = world.guest(vmid)
        if (guest.status === 'stopped') guest.startedAt = world.clock.now()
        guest.status = status
      }),
    addGuests: (count) =>
      change(() => {
        const nodes = [...world.nodes.keys()]
        const first = Math.max(999, ...world.guests.keys()) + 1
        for (let vmid = first; vmid < first + count; vmid += 1) {
          const spec = {
            vmid,
            type: vmid % 2 === 0 ? ('vm' as const) : ('ct' as const),
            name: `worker-${vmid}`,
            node: nodes[vmid % nodes.length] ?? 'pve',
            cpuCount: 2,
            cpuRatio: 0.02,
            ramRatio: 0.4,
            ramTotalBytes: gib,
            diskRatio: 0.3,
            diskTotalBytes: 16 * gib,
            netBps: 10_000,
            ...(vmid % 5 !== 0 && { upS: 3_600 }),
            tags: ['worker'],
          }
          world.guests.set(vmid, simGuest(spec, world.clock.now()))
        }
      }),
  }
}
