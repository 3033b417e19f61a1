import type { Change } from 'protocol'
import { Link } from '../../ui/link.tsx'
import { leftBy } from './left-by.ts'
import { useChange } from './use-change.ts'

/** To the guest's configuration, beside what the change left; nothing where the change set none. */
export function CompareLink({ change }: { change: Change }) {
  const { vmid } = change.target
  if (vmid === undefined || leftBy(change) === undefined) return null
  return (
    <Link className="text-link" to={`/guest/${vmid}?tab=config&against=${encodeURIComponent(`change:${change.id}`)}`}>
      Compare…
    </Link>
  )
}

/** The same, where only the change's id is known. */
export function CompareLinkOf({ id }: { id: string }) {
  const change = useChange(id)
  return change === undefined ? null : <CompareLink change={change} />
}
