import { useSessions } from '../api/sessions.ts'
import { useWaiting } from '../api/waiting.ts'
import { plural } from '../lib/format.ts'
import { Link } from '../ui/link.tsx'
import { Tier } from '../ui/tier.tsx'

export function useTitleOf(): (sessionId: string) => string | undefined {
  const sessions = useSessions()
  return (sessionId) => sessions?.find((session) => session.id === sessionId)?.title
}

/** The number of waiting items, as a link to the list. Shown in every page's header. */
export function WaitingButton() {
  const { count } = useWaiting()
  if (count === 0) return null
  return (
    <Link to="/waiting" className="waiting-button" title={`${plural(count, 'thing')} for you  Ctrl .`}>
      <Tier tier="red" size={12} />
      <span>
        <span className="num">{count}</span> <span>waiting</span>
      </span>
    </Link>
  )
}
