import { useArmed } from '../api/changes.ts'
import { useConfirmations } from '../api/confirmations.ts'
import { useSessions } from '../api/sessions.ts'
import { plural } from '../lib/format.ts'
import { Link } from '../ui/link.tsx'
import { Tier } from '../ui/tier.tsx'

export function useTitleOf(): (sessionId: string) => string | undefined {
  const sessions = useSessions()
  return (sessionId) => sessions?.find((session) => session.id === sessionId)?.title
}

/** The number of waiting cards, plus the changes that go back by themselves unless a person keeps them. */
export const useWaitingCount = (): number => (useConfirmations()?.pending.length ?? 0) + (useArmed()?.items.length ?? 0)

/** The number of waiting items, as a link to the list. Shown in every page's header. */
export function WaitingButton() {
  const count = useWaitingCount()
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
