import { span } from '../../lib/format.ts'
import type { Link } from '../../realtime/link.ts'
import { Mark } from '../../ui/mark.tsx'
import { useNow } from '../../ui/use-now.ts'

/** A strip above the composer while the connection is lost. It covers no content. */
export function LinkStrip({ link, isRunning, onTry }: { link: Link; isRunning: boolean; onTry: () => void }) {
  const now = useNow(1_000)
  // Show no strip if the connection returns within a second.
  if (link.status === 'live' || now - link.since < 1_000) return null
  return (
    <div className="strip lost" role="status">
      <Mark kind="unknown" size={12} />
      <span>
        {link.status === 'connecting'
          ? `JARVIS is not reached yet, after ${span(now - link.since)}.`
          : `Connection lost ${span(now - link.since)} ago.`}{' '}
        {isRunning && 'Whether the answer goes on is not known. '}Nothing is sent now; what you write stays here.
      </span>
      <button type="button" className="button small" onClick={onTry}>
        Try now
      </button>
    </div>
  )
}
