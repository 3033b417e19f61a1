import type { ClusterState } from 'protocol'
import type { Clock } from '../lib/clock.ts'

const minuteMs = 60_000
/** Time between a change of the cluster and the look at it, ms, so that changes that come together are seen together. */
const settlesMs = 1_000
const firstSweepMs = 10_000

export type TickerParts = {
  clock: Clock
  state(): ClusterState
  watch(listener: () => void): () => void
  look(): Promise<void>
  sweep(): Promise<void>
  /** The time at which the next pending alert fires, Unix ms; infinite if none is pending. */
  nextFires(): number
}

/** Starts the rounds: each minute, when a pending alert is about to fire, and when a node or the quorum comes or goes. */
export class Ticker {
  readonly #parts: TickerParts
  #isOver = false
  #cancel = () => {}
  #unwatch = () => {}
  #sweepsFrom = 0
  /** The outline of the state at the last look. */
  #seen = ''

  constructor(parts: TickerParts) {
    this.#parts = parts
  }

  start(): void {
    const { clock, state, watch } = this.#parts
    this.#sweepsFrom = clock.now() + firstSweepMs
    this.#seen = outline(state())
    this.#unwatch = watch(() => {
      const now = outline(state())
      if (now === this.#seen) return
      this.#seen = now
      this.#schedule(settlesMs)
    })
    this.#schedule(0)
  }

  stop(): void {
    this.#isOver = true
    this.#cancel()
    this.#unwatch()
  }

  #schedule(ms: number): void {
    this.#cancel()
    if (!this.#isOver) this.#cancel = this.#parts.clock.after(Math.max(0, ms), () => void this.#tick())
  }

  async #tick(): Promise<void> {
    const { clock, look, sweep, nextFires } = this.#parts
    await look()
    if (this.#isOver) return
    const now = clock.now()
    // If the clock was set back, the sweep does not wait for the old time.
    if (now >= this.#sweepsFrom || this.#sweepsFrom - now > firstSweepMs) {
      this.#sweepsFrom = now
      void sweep()
    }
    const untilSweep = this.#sweepsFrom > now ? this.#sweepsFrom - now : minuteMs
    const untilFires = nextFires() - now
    this.#schedule(Math.min(minuteMs - (now % minuteMs), untilSweep, untilFires > 0 ? untilFires : minuteMs))
  }
}

/** The parts of a state whose change is worth an immediate look. */
const outline = ({ nodes, isQuorate, unreachableSince, unread, storages }: ClusterState) =>
  JSON.stringify([
    isQuorate,
    unreachableSince !== undefined,
    unread,
    nodes.map(({ name, status }) => [name, status]),
    storages.map(({ name, node, isActive }) => [name, node, isActive]),
  ])
