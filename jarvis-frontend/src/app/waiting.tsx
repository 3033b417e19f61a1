import { useMemo } from 'react'
import { useConfirmations } from '../api/confirmations.ts'
import { useSessions } from '../api/sessions.ts'
import { actOf } from '../features/confirmations/sentence.ts'
import { plural } from '../lib/format.ts'
import { Link } from '../ui/link.tsx'
import { Tier } from '../ui/tier.tsx'

/** For each guest, what a waiting card would do to it. */
export function useGhosts(): ReadonlyMap<number, string> {
  const waiting = useConfirmations()?.pending
  return useMemo(
    () =>
      new Map(
        (waiting ?? []).flatMap((row) =>
          row.target.vmid === undefined ? [] : [[row.target.vmid, actOf(row).ghost] as const],
        ),
      ),
    [waiting],
  )
}

export function useTitleOf(): (sessionId: string) => string | undefined {
  const sessions = useSessions()
  return (sessionId) => sessions?.find((session) => session.id === sessionId)?.title
}

/** The number of waiting cards, as a link to them, in every page head. */
export function WaitingButton() {
  const count = useConfirmations()?.pending.length ?? 0
  if (count === 0) return null
  return (
    <Link to="/waiting" className="waiting-button" title={`${plural(count, 'card')} for you  Ctrl .`}>
      <Tier tier="red" size={12} />
      <span>
        <span className="num">{count}</span> waiting
      </span>
    </Link>
  )
}
