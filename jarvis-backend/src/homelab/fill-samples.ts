import type { Cluster, HistorySpan } from 'homelab-ports/ports'
import { minuteMs, minutesIn, type Past, type SampleStore } from 'homelab-ports/samples'
import { sleep } from 'node-kit/clock'
import { type Clock, oldBefore } from '../lib/clock.ts'

/** Smallest gap that is filled, minutes. Shorter gaps are not worth the requests. */
const leastMinutes = 3
/**
 * Delays, ms. The last hour is filled first, but only after JARVIS has answered its first requests. The rest of the day follows once the memory used
 * at start is freed. A real cluster gets a longer delay, because it has had many requests by then.
 */
const afterMs = { hour: 500, demoDay: 17_000, day: 60_000 }
/** Minutes written per transaction, which takes about a millisecond. */
const minutesAtOnce = 10

/**
 * Fills gaps in the samples of the last day from the cluster's own records. Does so once per start, when the cluster can be read. Does not overwrite
 * sampled minutes. Runs in the background; failures are logged in one line.
 */
export function fillSamples(parts: {
  cluster: Pick<Cluster, 'state' | 'watch' | 'history'>
  store: Pick<SampleStore, 'read' | 'fill'>
  clock: Clock
  /** Called after samples were added. */
  changed(): void
  log(line: string): void
}): { stop(): void } {
  const { cluster, store, clock } = parts
  const ending = new AbortController()
  const { signal } = ending
  let missed = 0
  let firstMissed = ''

  /** Resolves once the cluster can be read. */
  function readable(): Promise<void> {
    const isSo = () => cluster.state().nodes.length > 0 && cluster.state().unreachableSince === undefined
    if (isSo()) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        unwatch()
        settle()
      }
      const unwatch = cluster.watch(() => isSo() && end(resolve), 'idle')
      signal.addEventListener('abort', () => end(() => reject(signal.reason)), { once: true })
    })
  }

  function note(why: string) {
    missed += 1
    if (missed === 1) firstMissed = why
  }

  /** Minutes of the last day without a sample of the cluster. */
  function gaps(): { newest: number; minutes: Set<number> } {
    const newest = clock.now() - (clock.now() % minuteMs)
    const from = newest - (minutesIn.day - 1) * minuteMs
    const [seen] = [...store.read(['cluster'], { stepMs: minuteMs, from, count: minutesIn.day })]
    const all = Array.from({ length: minutesIn.day }, (_, at) => from + at * minuteMs)
    return { newest, minutes: new Set(all.filter((_, at) => seen?.[1][at]?.[0] === undefined)) }
  }

  async function fill(span: HistorySpan, wanted: ReadonlySet<number>) {
    if (wanted.size < leastMinutes || cluster.history === undefined) return
    let past: Past[] = []
    let count = 0
    const write = () => {
      store.fill(past)
      past = []
      count = 0
    }
    for await (const { minutes, samples } of cluster.history(span, { signal, missed: note })) {
      const missing = minutes.filter((at) => wanted.has(at))
      if (missing.length === 0) continue
      past.push({ minutes: missing, samples })
      count += missing.length
      if (count < minutesAtOnce) continue
      write()
      await new Promise(setImmediate)
      signal.throwIfAborted()
    }
    write()
    parts.changed()
  }

  async function begin() {
    await sleep(clock, afterMs.hour, signal)
    await readable()
    if (oldBefore(clock, minuteMs) < clock.now() - 2 * minuteMs) return
    const { newest, minutes } = gaps()
    const ofHour = new Set([...minutes].filter((at) => newest - at < minutesIn.hour * minuteMs))
    const ofDay = new Set([...minutes].filter((at) => !ofHour.has(at)))
    await fill('hour', ofHour)
    await sleep(clock, cluster.state().isDemo ? afterMs.demoDay : afterMs.day, signal)
    await fill('day', ofDay)
    if (missed > 0) parts.log(`${missed} questions for what the cluster remembers went unanswered: ${firstMissed}`)
  }
  begin().catch((error: unknown) => {
    if (!signal.aborted) parts.log(`What the cluster remembers could not be kept: ${String(error)}`)
  })

  return { stop: () => ending.abort(new Error('stopped')) }
}
