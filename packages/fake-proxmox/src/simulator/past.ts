import type { HistorySpan } from 'homelab-ports/ports'
import { minuteMs, minutesIn, type Past, samplesOf } from 'homelab-ports/samples'
import { backupServer, darkNode, hotGuest } from './demo-lab.ts'
import { diskRate, move } from './metrics.ts'
import { createRandom } from './random.ts'
import { snapshot } from './snapshot.ts'
import { World } from './world.ts'

/** Steps computed for a minute, and steps that the values need to settle. */
const stepsAMinute = 2
const stepsToSettle = 40

/** Minutes for each value. Like in Proxmox, a day is recorded as means. */
const minutesAtOnce = { hour: 1, day: 5 }

/** Yields the demo's measured values before its start, oldest first. They are computed like present values, with the time as seed. */
export function* pastOf({ clock, startedAt, seed }: World, span: HistorySpan): Generator<Past> {
  const now = clock.now()
  const stepMs = minutesAtOnce[span] * minuteMs
  const oldest = now - (now % minuteMs) - (minutesIn[span] - 1) * minuteMs
  let era: ReturnType<typeof openEra> | undefined
  for (let at = oldest - (oldest % stepMs); at <= startedAt; at += stepMs) {
    if (era === undefined || !era.holds(startedAt - at)) era = openEra(startedAt, startedAt - at)
    const minutes = Array.from({ length: minutesAtOnce[span] }, (_, minute) => at + minute * minuteMs)
    yield {
      minutes: minutes.filter((minute) => minute >= oldest && minute <= startedAt),
      samples: era.samples(createRandom(seed ^ (at / minuteMs))),
    }
  }
}

/** The demo cluster as it was at a past time. The state is valid until the next event of the demo's story. */
function openEra(startedAt: number, agoMs: number) {
  const world = new World({ now: () => startedAt, after: () => () => {} }, 0, 1)
  const node = world.node(darkNode.name)
  const bootMs = startedAt - node.bootedAt
  const hasBefallen = [darkNode.forMs, hotGuest.forMs, bootMs].map((ms) => agoMs <= ms)
  const [isPastDark, isHot, isBooted] = hasBefallen
  world.guest(hotGuest.vmid).isHot = isHot === true
  if (!isPastDark) world.guest(backupServer.vmid).status = 'running'
  // Offline since long ago, so that its guests are not shown as running.
  if (isPastDark && !isBooted) node.offlineSince = 0

  world.random = () => 0.5
  for (let step = 0; step < stepsToSettle; step += 1) move(world)
  // The snapshot is taken once, and each sample changes only some of its values, because a day has many samples.
  const state = snapshot(world, new Set())
  const guests = state.guests.flatMap((view) => {
    const guest = world.guest(view.vmid)
    return view.status === 'running' ? [{ view, guest, settled: { ...guest } }] : []
  })
  const nodes = state.nodes.flatMap((view) => {
    const of = world.node(view.name)
    return view.status === 'online' ? [{ view, node: of, settled: { ...of } }] : []
  })
  return {
    holds: (ms: number) => [darkNode.forMs, hotGuest.forMs, bootMs].every((at, i) => ms <= at === hasBefallen[i]),
    samples(random: () => number) {
      for (const { guest, settled } of guests) {
        guest.cpuRatio = settled.cpuRatio
        guest.netBps = settled.netBps
      }
      for (const { node, settled } of nodes) {
        node.load1 = settled.load1
        node.temperatureC = settled.temperatureC
      }
      world.random = random
      for (let step = 0; step < stepsAMinute; step += 1) move(world)
      for (const { view, guest } of guests) {
        view.cpuRatio = guest.cpuRatio
        view.netInBps = guest.netBps
        view.netOutBps = 0
        view.diskBps = diskRate(guest)
      }
      for (const { view, node } of nodes) {
        view.cpuRatio = node.cpuRatio
        view.load1 = node.load1
        view.temperatureC = node.temperatureC
      }
      return samplesOf(state)
    },
  }
}
