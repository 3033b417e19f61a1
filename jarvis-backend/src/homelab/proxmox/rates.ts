import type { GuestRow } from './answers.ts'

export type Rates = {
  learn(guests: readonly GuestRow[], at: number): void
  /** Bytes per second; undefined until the counters have moved once. */
  of(vmid: number): { inBps: number; outBps: number } | undefined
}

type Counter = { at: number; netin: number; netout: number; rate?: { inBps: number; outBps: number } }

/** After this long without traffic the rate is 0, ms; before, the list may only be behind. */
const silentMs = 30_000

/** Computes network rates from the counters since each guest's start, which the cluster updates every ten seconds. */
export function createRates(): Rates {
  let counters = new Map<number, Counter>()
  return {
    learn(guests, at) {
      const next = new Map<number, Counter>()
      for (const { vmid, netin, netout } of guests) {
        if (netin === undefined || netout === undefined) continue
        next.set(vmid, counted(counters.get(vmid), { at, netin, netout }))
      }
      counters = next
    },
    of: (vmid) => counters.get(vmid)?.rate,
  }
}

function counted(before: Counter | undefined, now: Counter): Counter {
  // A restart resets the counters.
  if (before === undefined || now.netin < before.netin || now.netout < before.netout) return now
  const seconds = (now.at - before.at) / 1000
  const hasMoved = now.netin !== before.netin || now.netout !== before.netout
  if (seconds <= 0 || (!hasMoved && seconds * 1000 < silentMs)) return before
  const rate = {
    inBps: Math.round((now.netin - before.netin) / seconds),
    outBps: Math.round((now.netout - before.netout) / seconds),
  }
  return { ...now, rate }
}
