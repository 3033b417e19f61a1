import { clock } from '../lib/format.ts'
import { arcPath } from './arc.ts'
import { useNow } from './use-now.ts'

/** A countdown such as `12:41`. Screen readers do not read it; the live region announces five minutes and one minute. */
export function TimeLeft({ until, aheadMs = 0 }: { until: number; aheadMs?: number }) {
  const left = until - useNow(1_000) - aheadMs
  return (
    <span className="num" role="timer" aria-live="off" style={left < 60_000 ? { fontWeight: 600 } : undefined}>
      {clock(left)}
    </span>
  )
}

type ExpiryProps = { from: number; until: number; aheadMs?: number; words?: string }

/** The remaining time of a card or change, with a ring. @param aheadMs how far the clock of `until` is ahead of this browser's */
export function Expiry({ from, until, aheadMs = 0, words = 'expires in' }: ExpiryProps) {
  const left = (until - useNow(1_000) - aheadMs) / Math.max(1, until - from)
  return (
    <span className="expiry">
      <span>{words}</span>
      <TimeLeft until={until} aheadMs={aheadMs} />
      <svg width="15" height="15" viewBox="0 0 16 16" aria-hidden="true">
        <circle className="timer-ring" cx="8" cy="8" r="6" />
        <path className="timer-ring left" d={arcPath({ c: 8, r: 6 }, 0, Math.min(359.9, Math.max(4, 360 * left)))} />
      </svg>
    </span>
  )
}
