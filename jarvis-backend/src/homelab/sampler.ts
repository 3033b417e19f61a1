import { minuteMs, type SampleStore, samplesOf } from 'homelab-ports/samples'
import type { ClusterState } from 'protocol'
import { type Clock, oldBefore } from '../lib/clock.ts'

/** Stores the last read state at each whole minute, without asking the cluster. Nothing is stored while the cluster cannot be reached. */
export function startSampler(parts: {
  state(): ClusterState
  store: Pick<SampleStore, 'keep'>
  clock: Clock
  report(error: unknown): void
}): { stop(): void } {
  const { clock } = parts
  let cancel: (() => void) | undefined
  function schedule() {
    cancel = clock.after(minuteMs - (clock.now() % minuteMs), take)
  }
  function take() {
    schedule()
    const state = parts.state()
    if (state.unreachableSince !== undefined || state.nodes.length === 0) return
    const now = clock.now()
    // The clock has jumped ahead. A sample at that time would make the store drop every older sample.
    if (oldBefore(clock, minuteMs) < now - 2 * minuteMs) return
    try {
      parts.store.keep(now - (now % minuteMs), samplesOf(state))
    } catch (error) {
      parts.report(error)
    }
  }
  schedule()
  return { stop: () => cancel?.() }
}
