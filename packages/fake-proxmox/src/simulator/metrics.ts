import { hotGuest } from './demo-lab.ts'
import { heatOf, type SimGuest, type SimNode, type World } from './world.ts'

const metricsEveryMs = 2_000
/** Maximum number of steps that are computed after a gap. Values do not depend on older steps. */
const mostSteps = 30

export interface Metrics {
  /** Computes the values up to the present. */
  upToNow(): void
  stop(): void
  /** Calls `listener` after each step. Values change by themselves only while there is a watcher. @returns stops that */
  watch(listener: () => void): () => void
}

/** Updates the measured values to the present, in steps of two seconds. */
export function createMetrics(world: World): Metrics {
  let doneSteps = 0
  let cancel: (() => void) | undefined

  function upToNow() {
    const steps = Math.floor((world.clock.now() - world.startedAt) / metricsEveryMs)
    const due = Math.min(steps - doneSteps, mostSteps)
    if (due <= 0) return
    doneSteps = steps
    for (let step = 0; step < due; step += 1) move(world)
    world.changed()
  }

  const tick = () => {
    cancel = world.clock.after(metricsEveryMs, () => {
      tick()
      upToNow()
    })
  }
  const stop = () => {
    cancel?.()
    cancel = undefined
  }

  return {
    upToNow,
    stop,
    watch(listener: () => void) {
      // Wrap the listener, so that a function that is registered twice counts as two watchers.
      const watcher = () => listener()
      upToNow()
      world.listeners.add(watcher)
      if (cancel === undefined) tick()
      return () => {
        world.listeners.delete(watcher)
        if (world.listeners.size === 0) stop()
      }
    },
  }
}

/** Share of the temperature difference that disappears in each step: a chip follows the load within seconds. */
const coolingPerStep = 0.3

/** Changes all measured values by one step of two seconds. */
export function move(world: World) {
  const jitter = () => world.random() * 2 - 1
  for (const guest of world.guests.values()) if (guest.status === 'running') moveGuest(guest, jitter)
  for (const node of world.nodes.values()) if (node.offlineSince === undefined) moveNode(world, node, jitter)
}

function moveGuest(guest: SimGuest, jitter: () => number) {
  const cpuGoal = guest.isHot ? hotGuest.cpuRatio : guest.usual.cpuRatio
  const sway = Math.min(cpuGoal, 1 - cpuGoal) * 0.25
  guest.cpuRatio = between(0.001, 1, guest.cpuRatio + (cpuGoal - guest.cpuRatio) * 0.4 + jitter() * sway)
  guest.netBps = Math.max(
    0,
    guest.netBps + (guest.usual.netBps - guest.netBps) * 0.4 + jitter() * guest.usual.netBps * 0.2,
  )
}

function moveNode(world: World, node: SimNode, jitter: () => number) {
  const guests = [...world.guests.values()].filter(({ node: at, status }) => at === node.name && status === 'running')
  const guestCores = guests.reduce((sum, { cpuRatio, cpuCount }) => sum + cpuRatio * cpuCount, 0)
  const own = node.ownCpuRatio * (1 + jitter() * 0.1)
  node.cpuRatio = between(0.001, 1, own + guestCores / node.cpuCount)
  node.ramBytes = Math.min(
    node.ramTotalBytes,
    node.ownRamBytes + guests.reduce((sum, { ramRatio, ramTotalBytes }) => sum + ramRatio * ramTotalBytes, 0),
  )
  const hot = guests.some(({ isHot }) => isHot) ? hotGuest.extraLoad : 0
  const loadGoal = Math.max(0.01, node.cpuRatio * node.cpuCount + node.extraLoad + hot)
  node.load1 += (loadGoal - node.load1) * 0.1
  const heatGoal = node.usual.temperatureC + heatOf(node.cpuRatio - node.usual.cpuRatio)
  node.temperatureC = between(20, 99, node.temperatureC + (heatGoal - node.temperatureC) * coolingPerStep)
}

const between = (low: number, high: number, value: number) => Math.min(high, Math.max(low, value))

/** A guest's disk traffic, bytes per second: it grows with the guest's network traffic and CPU. */
export const diskRate = ({ netBps, cpuRatio, cpuCount }: Pick<SimGuest, 'netBps' | 'cpuRatio' | 'cpuCount'>): number =>
  Math.round(netBps * 0.3 + cpuRatio * cpuCount * 2e6)
