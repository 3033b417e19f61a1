import type { GuestRow } from '../pve/answers.ts'

/** Bytes per second; undefined until the counters have changed once, or if the cluster does not count. */
export type Rate = { inBps?: number; outBps?: number; diskBps?: number }
export type Rates = {
  learn(guests: readonly GuestRow[], at: number): void
  of(vmid: number): Rate
}

/** Byte counters at a time. `counts`: bytes since the guest's start. */
type Counter = { at: number; counts: readonly number[]; rates?: readonly number[] }

/** Time without traffic after which the rate is 0, ms. Before that the cluster's list may only be behind. */
const silentMs = 30_000

/** Computes rates from the counters since each guest's start, which the cluster updates every ten seconds. */
export function createRates(): Rates {
  const net = createCounters(({ netin, netout }) => both(netin, netout))
  const disk = createCounters(({ diskread, diskwrite }) => both(diskread, diskwrite))
  return {
    learn(guests, at) {
      for (const kind of [net, disk]) kind.learn(guests, at)
    },
    of(vmid) {
      const [inBps, outBps] = net.of(vmid) ?? []
      const [readBps, writeBps] = disk.of(vmid) ?? []
      return {
        ...(inBps !== undefined && outBps !== undefined && { inBps, outBps }),
        ...(readBps !== undefined && writeBps !== undefined && { diskBps: readBps + writeBps }),
      }
    },
  }
}

const both = (first: number | undefined, second: number | undefined) =>
  first === undefined || second === undefined ? undefined : [first, second]

/** Tracks counters that the cluster updates together. */
function createCounters(countsOf: (guest: GuestRow) => readonly number[] | undefined) {
  let counters = new Map<number, Counter>()
  return {
    learn(guests: readonly GuestRow[], at: number) {
      const next = new Map<number, Counter>()
      for (const guest of guests) {
        const counts = countsOf(guest)
        if (counts !== undefined) next.set(guest.vmid, counted(counters.get(guest.vmid), { at, counts }))
      }
      counters = next
    },
    of: (vmid: number) => counters.get(vmid)?.rates,
  }
}

function counted(before: Counter | undefined, now: Counter): Counter {
  const moved = now.counts.map((count, index) => count - (before?.counts[index] ?? 0))
  // A restart of the guest resets the counters, so the measurement begins again.
  if (before === undefined || moved.some((bytes) => bytes < 0)) return now
  const seconds = (now.at - before.at) / 1000
  const hasMoved = moved.some((bytes) => bytes > 0)
  if (seconds <= 0 || (!hasMoved && seconds * 1000 < silentMs)) return before
  return { ...now, rates: moved.map((bytes) => Math.round(bytes / seconds)) }
}
