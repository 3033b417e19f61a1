import type { ClusterState } from 'protocol'
import type { Clock } from '../lib/clock.ts'

const minuteMs = 60_000
/** A change of the cluster is looked at after this, so that what changes together is seen together. */
const settlesMs = 1_000
const firstSweepMs = 10_000

/** Calls the rounds: each minute, when a pending alert is about to fire, and when a node or the quorum comes or goes. */
export function startTicker(parts: {
  clock: Clock
  state(): ClusterState
  watch(listener: () => void): () => void
  look(): Promise<void>
  sweep(): Promise<void>
  /** When the next pending alert fires, Unix ms; infinite where none is pending. */
  nextFires(): number
}): { stop(): void } {
  const { clock } = parts
  let isOver = false
  let cancel = () => {}
  let sweepsFrom = clock.now() + firstSweepMs
  let seen = outline(parts.state())

  function schedule(ms: number) {
    cancel()
    if (!isOver) cancel = clock.after(Math.max(0, ms), () => void tick())
  }
  async function tick() {
    await parts.look()
    if (isOver) return
    const now = clock.now()
    // Where the clock was set back, the sweep does not wait for the old time.
    if (now >= sweepsFrom || sweepsFrom - now > firstSweepMs) {
      sweepsFrom = now
      void parts.sweep()
    }
    const untilSweep = sweepsFrom > now ? sweepsFrom - now : minuteMs
    const untilFires = parts.nextFires() - now
    schedule(Math.min(minuteMs - (now % minuteMs), untilSweep, untilFires > 0 ? untilFires : minuteMs))
  }
  const unwatch = parts.watch(() => {
    const now = outline(parts.state())
    if (now === seen) return
    seen = now
    schedule(settlesMs)
  })
  schedule(0)
  return {
    stop() {
      isOver = true
      cancel()
      unwatch()
    },
  }
}

/** The parts of a state whose change is worth a look at once. */
const outline = ({ nodes, isQuorate, unreachableSince, unread, storages }: ClusterState) =>
  JSON.stringify([
    isQuorate,
    unreachableSince !== undefined,
    unread,
    nodes.map(({ name, status }) => [name, status]),
    storages.map(({ name, node, isActive }) => [name, node, isActive]),
  ])
