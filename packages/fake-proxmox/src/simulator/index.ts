import { type GuestMarks, isBeingMade, marksIn, remadeIn } from 'homelab-ports/guest-identity'
import type { Homelab } from 'homelab-ports/ports'
import type { Clock } from 'node-kit/clock'
import { createModelApi } from '../pve-model/api.ts'
import { createModelControls, type ModelControls } from '../pve-model/controls.ts'
import { fullConfig, linesOf } from '../pve-model/guests/files.ts'
import { createModel, type Model } from '../pve-model/model.ts'
import { createCluster } from './cluster.ts'
import { createConsoles } from './consoles.ts'
import { createControls, type SimulatorControls } from './controls.ts'
import { demoSeeds } from './demo-configs.ts'
import { createDemoPbs } from './demo-pbs.ts'
import { writeHistory } from './history.ts'
import { createMetrics } from './metrics.ts'
import { createNetworkTimers } from './network-timers.ts'
import { DemoHost } from './pve-host.ts'
import { createShell, type GuestFileOf } from './shell.ts'
import { createTerminals } from './terminals.ts'
import { createWaker } from './waker.ts'
import { World } from './world.ts'

export type { SimulatorControls } from './controls.ts'
export type { Effect } from './world.ts'

/** @throws Error if there is no such guest */
const guestFileOf = ({ host, files }: Model): GuestFileOf => {
  return (vmid) => {
    const guest = host.guest(vmid)
    if (guest === undefined) throw new Error(`no guest ${vmid}`)
    const file = files.of(guest)
    return { config: linesOf(fullConfig(guest, file)), snapshots: file.snapshots }
  }
}

/** Returns a function that gives the marks of a guest. It returns the same object until the marks change. */
function marksOf({ host, files }: Model, world: World) {
  const last = new Map<number, { text: string; marks: GuestMarks }>()
  return (vmid: number): GuestMarks | undefined => {
    const guest = host.guest(vmid)
    if (guest === undefined || isBeingMade(guest.lock)) return undefined
    const remade = remadeIn(vmid, world.tasks)
    const type = guest.type === 'qemu' ? 'vm' : 'ct'
    const marks = { ...marksIn(type, files.of(guest).config), ...(remade !== undefined && { remade }) }
    const text = JSON.stringify(marks)
    const before = last.get(vmid)
    if (before?.text === text) return before.marks
    last.set(vmid, { text, marks })
    return marks
  }
}

/** A cluster in memory that answers like Proxmox. It does not contain the parts that JARVIS adds to every cluster. */
export type Simulator = Homelab & {
  /** True if more than half of the nodes are online. */
  isQuorate(): boolean
  controls: SimulatorControls & { pve: ModelControls }
}

/**
 * The demo cluster: four nodes and 21 guests in memory that behave like Proxmox.
 * @param options.protectedTargets `node/agent1`, `vm/101`, `ct/104`: only shown as protected, not enforced here
 * @param options.speed divides the duration of tasks and boots; 1 means a few seconds each
 */
export function createSimulator(options: {
  clock: Clock
  seed?: number
  protectedTargets: ReadonlySet<string>
  speed?: number
}): Simulator {
  const world = new World(options.clock, options.seed ?? 1, options.speed ?? 1)
  writeHistory(world)
  const metrics = createMetrics(world)
  const host = new DemoHost(world)
  const model = createModel(host, demoSeeds(world.startedAt))
  const shell = createShell(world, metrics, guestFileOf(model))
  return {
    cluster: createCluster({
      world,
      metrics,
      protectedTargets: options.protectedTargets,
      marks: marksOf(model, world),
    }),
    api: createModelApi(model, {
      now: () => world.clock.now(),
      wait: (ms, signal) => world.wait(ms, signal),
      arrive: (signal) => world.arrive(signal),
      record: (request) => world.record('api', request),
    }),
    isQuorate: () => world.isQuorate(),
    pbs: createDemoPbs(world),
    shell,
    networkTimers: createNetworkTimers(world, host),
    terminals: createTerminals(world, shell),
    consoles: createConsoles(world),
    waker: createWaker(world),
    controls: { ...createControls(world), pve: createModelControls(model) },
  }
}
