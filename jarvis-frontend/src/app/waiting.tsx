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

/** How many cards wait, and changes that go back unless somebody keeps them. */
export const useWaitingCount = (): number => (useConfirmations()?.pending.length ?? 0) + (useArmed()?.items.length ?? 0)

/** The number of all that waits, as a link to them, in every page head. */
export function WaitingButton() {
  const count = useWaitingCount()
  if (count === 0) return null
  return (
    <Link to="/waiting" className="waiting-button" title={`${plural(count, 'thing')} for you  Ctrl .`}>
      <Tier tier="red" size={12} />
      <span>
        <span className="num">{count}</span> waiting
      </span>
    </Link>
  )
}
