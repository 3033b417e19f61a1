import { listPasskeys } from '../../api/passkeys.ts'
import { useLoad } from '../../api/use-load.ts'
import { hasPasskeys } from '../../lib/passkeys.ts'
import { Visible } from '../../ui/boxed.tsx'
import { KeyMark } from '../../ui/key-mark.tsx'
import { Link } from '../../ui/link.tsx'

/** Says that the approval of a card must be signed, and what this person still needs for that. @param mayDecide true if this person decides cards */
export const Signs = ({ mayDecide }: { mayDecide: boolean }) => (
  <p className="signs">
    <KeyMark />
    <span>{mayDecide ? <OwnKey /> : 'A passkey signs this approval.'}</span>
  </p>
)

function OwnKey() {
  const { data } = useLoad('passkeys', listPasskeys)
  const lacks = 'Your passkey must sign this approval. '
  if (data?.problem !== undefined) return [lacks, <Visible key="why" text={data.problem} />]
  if (data?.items.length === 0)
    return (
      <>
        {lacks}You have none yet: <Link to="/settings/people">add one</Link>, then come back.
      </>
    )
  return data === undefined || hasPasskeys()
    ? 'Your passkey signs this approval.'
    : `${lacks}This browser has no passkeys: use another one.`
}
